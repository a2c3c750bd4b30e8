/** Recordings that grow old, and what of them no test needs any more: what the program says, and how it ends. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../src/model/exchange.ts';
import { locationOf } from '../../src/recordings/store/location.ts';
import { startBinary } from '../support/binary.ts';
import { exchange, stringifyRecording } from '../support/exchanges.ts';
import { startGate, startRecorder, startReplay } from '../support/in-process.ts';
import { startTarget } from '../support/target.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const DAY = 86_400_000;
const ago = (days: number) => new Date(Date.now() - days * DAY).toISOString();

/** A folder with the recording "default", of GETs. */
function recorded(exchanges: Record<string, Exchange[]>): string {
  const cwd = temporaryFolder();
  for (const [path, list] of Object.entries(exchanges)) {
    const file = join(cwd, 'recordings', 'default', locationOf('GET', path));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, stringifyRecording(list));
  }
  return cwd;
}

const get = (path: string, parts: Parameters<typeof exchange>[0] = {}) =>
  exchange({ method: 'GET', path, recordedAt: ago(1), ...parts });

const lastRun = (cwd: string) =>
  JSON.parse(
    readFileSync(join(cwd, 'recordings', 'default', '.patchgate', 'runs.ndjson'), 'utf8')
      .trimEnd()
      .split('\n')
      .at(-1) as string,
  );

async function statuses({ url }: { url: string }, ...paths: string[]): Promise<number[]> {
  const all: number[] = [];
  for (const path of paths) all.push((await fetch(url + path)).status);
  return all;
}

describe('--max-age', () => {
  const OLD = { '/old': [get('/old', { recordedAt: ago(45) })], '/new': [get('/new')] };

  it('warns: in the answer, once, and at the end', async () => {
    const gate = await startBinary(['replay', '--max-age', '30d'], { cwd: recorded(OLD) });
    const old = await fetch(`${gate.url}/old`);
    expect([old.status, old.headers.get('patchgate-stale')]).toEqual([200, '45d']);
    expect((await fetch(`${gate.url}/new`)).headers.get('patchgate-stale')).toBeNull();
    await fetch(`${gate.url}/old`);
    const { code, stderr } = await gate.stop();
    expect(code).toBe(0);
    expect(stderr.match(/GET \/old was recorded 45d ago, and --max-age is 30d/g)).toHaveLength(1);
    expect(stderr).toContain(
      '2 answers were older than 30d; record again: patchgate proxy <target> --record',
    );
    expect(stderr).not.toContain('/new');
  });

  it('refuses, where that is asked for', async () => {
    const gate = await startReplay(recorded(OLD), { maxAge: '30d', onStale: 'refuse' });
    const old = await fetch(`${gate.url}/old`);
    expect(old.status).toBe(501);
    const problem = (await old.json()) as Record<string, string>;
    expect(problem).toMatchObject({ type: 'urn:patchgate:problem:no-recording', reason: 'stale' });
    expect(problem.detail).toContain('45d');
    expect(problem.hint).toContain('patchgate proxy <target> --record');
    expect(await statuses(gate, '/new')).toEqual([200]);
  });

  it('records what is too old again, where the rest is recorded', async () => {
    const cwd = recorded(OLD);
    const target = await startTarget((_req, res) => res.writeHead(203).end());
    const gate = await startRecorder(cwd, target.url, {
      ...{ record: 'new_episodes', maxAge: '30d', onStale: 'refuse' },
    });
    expect(await statuses(gate, '/old', '/old', '/new')).toEqual([203, 203, 200]);
    expect(target.received.map(({ url }) => url)).toEqual(['/old']);
  });
});

describe('--fail-unused', () => {
  const RECORDED = {
    '/a': [
      get('/a', { status: 201 }),
      get('/a', { status: 202 }),
      get('/a', { query: 'token=[redacted]&y=1' }),
    ],
    '/b': [get('/b')],
  };

  it('ends with 1 and names what was never served', async () => {
    const cwd = recorded(RECORDED);
    const gate = await startBinary(['replay', '--fail-unused'], { cwd });
    expect(await statuses(gate, '/a', '/none')).toEqual([201, 501]);
    const { code, stderr } = await gate.stop();
    expect(code).toBe(1);
    const day = ago(1).slice(0, 10);
    expect(stderr).toContain(
      [
        'patchgate: 3 of 4 exchanges of "default" were never served:',
        `  GET /a (2 of 2), recorded ${day}`,
        `  GET /a?token=[redacted]&y=1, recorded ${day}`,
        `  GET /b, recorded ${day}\n`,
      ].join('\n'),
    );
    expect(lastRun(cwd)).toMatchObject({
      failed: true,
      served: [{ method: 'GET', path: '/a', indexes: [0] }],
    });
  });

  it('ends with 0 where all was served, in whatever session', async () => {
    const gate = await startBinary(['replay', '--fail-unused'], { cwd: recorded(RECORDED) });
    expect(await statuses(gate, '/a', '/a', '/a?y=1&token=other')).toEqual([201, 202, 200]);
    await fetch(`${gate.url}/b`, { headers: { 'Patchgate-Session': 'x' } });
    await fetch(`${gate.url}/__patchgate/reset`, { method: 'POST' });
    const { code, stderr } = await gate.stop('SIGINT');
    expect(code).toBe(0);
    expect(stderr).toContain('every exchange of "default" was served (4)');
  });

  it('does not count what was recorded in the same run', async () => {
    const { url } = await startTarget();
    const recordings = join(recorded({ '/b': [get('/b')] }), 'recordings');
    const proxy = await startGate({ target: url, record: 'new_episodes', failUnused: true, recordings });
    expect(await statuses(proxy, '/b', '/fresh')).toEqual([200, 200]);
    expect(await proxy.gate.unserved()).toMatchObject({ recording: 'default', total: 1, count: 0 });
  });

  it('says nothing where nothing is replayed', async () => {
    const gate = await startBinary(['fake'], { env: { PATCHGATE_FAIL_UNUSED: 'true' } });
    const { code, stderr } = await gate.stop();
    expect(code).toBe(0);
    expect(stderr).not.toContain('served');
  });
});

describe('the last run', () => {
  it('is left in the recording by what replays it, hidden from git', async () => {
    const cwd = recorded({ '/a': [get('/a')], '/b': [get('/b')] });
    const replay = await startReplay(cwd);
    expect(await statuses(replay, '/b')).toEqual([200]);
    await replay.gate.close();
    expect(replay.notices).toEqual([]);
    const hidden = join(cwd, 'recordings', 'default', '.patchgate');
    expect(readdirSync(hidden).sort()).toEqual(['.gitignore', 'runs.ndjson']);
    expect(lastRun(cwd)).toEqual({
      startedAt: expect.stringMatching(/^20.*Z$/),
      endedAt: expect.stringMatching(/^20.*Z$/),
      served: [{ method: 'GET', path: '/b', indexes: [0] }],
    });
  });
});
