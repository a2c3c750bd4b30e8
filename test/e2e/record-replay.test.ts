/** Recorded against the fake, replayed without it: the same statuses, the same bytes. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { cleanUp, type Running, startBinary, temporaryFolder } from '../support/binary.ts';
import {
  BAD_PROJECT,
  GOOD_PROJECT,
  JSON_TYPE,
  ODD_PROJECT_TEXT,
  PROJECT_PATH,
} from '../support/e2e-bodies.ts';
import { type RawRequest, type RawResponse, sendRaw, valuesOf } from '../support/raw.ts';
import { closeTargets, startTarget } from '../support/target.ts';

afterEach(async () => {
  await cleanUp();
  await closeTargets();
});

const patch = (path: string, body: unknown): RawRequest => ({
  method: 'PATCH',
  path,
  headers: [JSON_TYPE],
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const BASE = '/api/v2/accounts/current';
const TRAFFIC: RawRequest[] = [
  { path: PROJECT_PATH },
  patch(PROJECT_PATH, GOOD_PROJECT),
  patch(PROJECT_PATH, ODD_PROJECT_TEXT),
  { path: `${PROJECT_PATH}?fields=name&x=%20` },
  patch(`${BASE}/features/7`, { description: 'x' }),
  patch(`${BASE}/drafts/1001`, { draftId: 1001, percentTraffic: 50 }),
  patch(`${BASE}/projects/999`, GOOD_PROJECT),
  { path: `${BASE}/features/12345` },
  { method: 'HEAD', path: PROJECT_PATH },
];

/** What a client can tell two answers apart by. */
async function answersTo(gate: Running, requests: readonly RawRequest[]) {
  const answers: { status: number; type: string[]; body: string }[] = [];
  for (const request of requests) {
    const response = await sendRaw(gate.port, request);
    answers.push({
      status: response.status,
      type: valuesOf(response, 'content-type'),
      body: response.body.toString('latin1'),
    });
  }
  return answers;
}

/** All files below a folder, with their text. */
function filesIn(folder: string): Map<string, string> {
  const entries = existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }) : [];
  return new Map(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => [file, readFileSync(file, 'utf8')]),
  );
}

function problemIn(response: RawResponse): Record<string, unknown> {
  return JSON.parse(response.body.toString()) as Record<string, unknown>;
}

describe('a recording of the fake', () => {
  it('answers as the fake did, when that is gone', async () => {
    const cwd = temporaryFolder();
    const fake = await startBinary(['fake']);
    const gate = await startBinary(['proxy', fake.url, '--record', '--recording', 'checkout'], { cwd });
    const recorded = await answersTo(gate, TRAFFIC);
    expect(recorded.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200, 404, 404, 200]);
    expect((await gate.stop()).code).toBe(0);
    expect((await fake.stop()).code).toBe(0);

    const replay = await startBinary(['replay', '--recording', 'checkout'], { cwd });
    expect(await answersTo(replay, TRAFFIC)).toEqual(recorded);
    const files = filesIn(join(cwd, 'recordings'));
    expect([...files.keys()].some((file) => file.endsWith(join('projects', '42', 'PATCH.json')))).toBe(true);
    expect((await replay.stop()).code).toBe(0);
    // Replaying writes nothing.
    expect(filesIn(join(cwd, 'recordings'))).toEqual(files);
  });

  it('made again from the same traffic is the same, but for when', async () => {
    const cwd = temporaryFolder();
    const withoutTimes = () =>
      new Map(
        [...filesIn(join(cwd, 'recordings'))].map(([file, text]) => [
          file,
          text.replace(/"(?:recordedAt|durationMs)": ?[^,}\n]+/g, ''),
        ]),
      );
    const runs: unknown[] = [];
    for (let run = 0; run < 2; run++) {
      const fake = await startBinary(['fake']);
      const gate = await startBinary(['proxy', fake.url, '--record'], { cwd });
      await answersTo(gate, TRAFFIC);
      await gate.stop();
      await fake.stop();
      runs.push(withoutTimes());
    }
    expect(runs[1]).toEqual(runs[0]);
  });

  it('is judged in front of: what is bad is blocked in a replay, too', async () => {
    const cwd = temporaryFolder();
    const replay = await startBinary(['replay'], { cwd });
    const response = await sendRaw(replay.port, patch(PROJECT_PATH, BAD_PROJECT));
    expect(response.status).toBe(422);
  });

  it('is played in order, its last answer again and again, and from the start after a reset', async () => {
    const cwd = temporaryFolder();
    let count = 0;
    const target = await startTarget((_req, res) => res.end(`answer ${++count}`));
    const gate = await startBinary(['proxy', target.url, '--record'], { cwd });
    await answersTo(gate, [{ path: '/next' }, { path: '/next' }, { path: '/next' }]);
    await gate.stop();
    const replay = await startBinary(['replay'], { cwd });
    const bodies = async (times: number) =>
      (
        await answersTo(
          replay,
          Array.from({ length: times }, () => ({ path: '/next' })),
        )
      ).map(({ body }) => body);
    expect(await bodies(4)).toEqual(['answer 1', 'answer 2', 'answer 3', 'answer 3']);
    await fetch(`${replay.url}/__patchgate/reset`, { method: 'POST' });
    expect(await bodies(1)).toEqual(['answer 1']);
  });

  it('keeps bytes that are no text, and gives compressed ones back plain', async () => {
    const cwd = temporaryFolder();
    const bytes = Buffer.from([0, 255, 254, 13, 10, 128]);
    const target = await startTarget((req, res) => {
      if (req.url === '/bytes') res.end(bytes);
      else res.writeHead(200, { 'content-encoding': 'gzip', etag: '"1"' }).end(gzipSync('{"plain": true}'));
    });
    const gate = await startBinary(['proxy', target.url, '--record'], { cwd });
    await answersTo(gate, [{ path: '/bytes' }, { path: '/gzip' }]);
    await gate.stop();
    await target.close();
    const replay = await startBinary(['replay'], { cwd });
    expect((await sendRaw(replay.port, { path: '/bytes' })).body.equals(bytes)).toBe(true);
    const plain = await sendRaw(replay.port, { path: '/gzip' });
    expect(plain.body.toString()).toBe('{"plain": true}');
    expect(valuesOf(plain, 'content-encoding')).toEqual([]);
  });
});

describe('a file that people wrote', () => {
  it('is answered from with the framing of this connection', async () => {
    const cwd = temporaryFolder();
    const headers = {
      'transfer-encoding': 'chunked',
      'content-length': '99',
      connection: 'close',
      'x-own': 'kept',
    };
    const exchange = {
      request: { method: 'GET', path: '/x', query: '', headers: {} },
      response: { status: 200, headers, body: { text: 'ok' } },
      meta: { recordedAt: '2026-11-20T12:00:00.000Z', durationMs: 1 },
    };
    const folder = join(cwd, 'recordings', 'default', 'x');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'GET.json'), JSON.stringify({ formatVersion: 1, exchanges: [exchange] }));
    const replay = await startBinary(['replay'], { cwd });
    const response = await sendRaw(replay.port, { path: '/x' });
    expect(response).toMatchObject({ status: 200, isWhole: true });
    expect(response.body.toString()).toBe('ok');
    expect(valuesOf(response, 'content-length')).toEqual(['2']);
    expect(valuesOf(response, 'transfer-encoding')).toEqual([]);
    expect(valuesOf(response, 'x-own')).toEqual(['kept']);
  });
});

describe('a miss', () => {
  it('is a 501 that explains, pointer by pointer', async () => {
    const cwd = temporaryFolder();
    const fake = await startBinary(['fake']);
    const gate = await startBinary(['proxy', fake.url, '--record', '--recording', 'checkout'], { cwd });
    await answersTo(gate, [patch(PROJECT_PATH, GOOD_PROJECT)]);
    await gate.stop();
    const replay = await startBinary(['replay', '--recording', 'checkout'], { cwd });
    const response = await sendRaw(replay.port, patch(PROJECT_PATH, { ...GOOD_PROJECT, name: 'Other' }));
    expect(response.status).toBe(501);
    const problem = problemIn(response);
    expect(problem).toMatchObject({ type: 'urn:patchgate:problem:no-recording', recording: 'checkout' });
    expect(JSON.stringify(problem)).toContain('/name');
    expect((await sendRaw(replay.port, { path: '/never/seen' })).status).toBe(501);
    await replay.said('501');
  });

  it.each([
    ['forward', 0],
    ['record', 1],
  ] as const)('goes to the target with --on-miss %s', async (onMiss, kept) => {
    const cwd = temporaryFolder();
    let count = 0;
    const target = await startTarget((_req, res) => res.end(`live ${++count}`));
    const replay = await startBinary(['replay', '--on-miss', onMiss, '--target', target.url], { cwd });
    const answers = await answersTo(replay, [
      patch(PROJECT_PATH, ODD_PROJECT_TEXT),
      patch(PROJECT_PATH, ODD_PROJECT_TEXT),
      { method: 'POST', path: '/other', body: 'x' },
    ]);
    expect(answers.map(({ body }) => body)).toEqual(
      kept ? ['live 1', 'live 1', 'live 2'] : ['live 1', 'live 2', 'live 3'],
    );
    expect(target.received[0]?.body.toString()).toBe(ODD_PROJECT_TEXT);
    expect(target.received.at(-1)?.body.toString()).toBe('x');
    await replay.stop();
    expect(filesIn(join(cwd, 'recordings')).size).toBe(kept * 2);
  });
});

describe('record mode', () => {
  /** Asks a proxy in the given mode for a path, with a target that counts; tells the answers. */
  async function run(cwd: string, mode: string[], paths: string[], env: Record<string, string> = {}) {
    const target = await startTarget((req, res) => res.end(`live ${req.url}`));
    const gate = await startBinary(['proxy', target.url, ...mode], { cwd, env });
    const answers = await answersTo(
      gate,
      paths.map((path) => ({ path })),
    );
    await gate.stop();
    await target.close();
    return {
      statuses: answers.map(({ status }) => status),
      asked: target.received.map(({ url }) => url),
      files: filesIn(join(cwd, 'recordings')).size,
      stderr: gate.stderr(),
    };
  }

  it('none replays only', async () => {
    const cwd = temporaryFolder();
    await run(cwd, ['--record'], ['/known']);
    const result = await run(cwd, ['--record', 'none'], ['/known', '/new']);
    expect(result).toMatchObject({ statuses: [200, 501], asked: [], files: 1 });
  });

  it('once records a recording that is not there, then replays it', async () => {
    const cwd = temporaryFolder();
    const first = await run(cwd, ['--record', 'once'], ['/a', '/b']);
    expect(first).toMatchObject({ statuses: [200, 200], asked: ['/a', '/b'], files: 2 });
    const second = await run(cwd, ['--record', 'once'], ['/a', '/c']);
    expect(second).toMatchObject({ statuses: [200, 501], asked: [], files: 2 });
  });

  it('new_episodes replays what is known and records the rest', async () => {
    const cwd = temporaryFolder();
    await run(cwd, ['--record=all'], ['/a']);
    const result = await run(cwd, ['--record', 'new_episodes'], ['/a', '/b', '/b']);
    expect(result).toMatchObject({ statuses: [200, 200, 200], asked: ['/b'], files: 2 });
  });

  it('all forwards all, and is what the bare option means', async () => {
    const cwd = temporaryFolder();
    await run(cwd, ['--record'], ['/a']);
    const result = await run(cwd, ['--record', '--recording', 'default'], ['/a', '/b']);
    expect(result).toMatchObject({ statuses: [200, 200], asked: ['/a', '/b'], files: 2 });
  });

  it('is not taken from the target that stands behind the bare option', async () => {
    const target = await startTarget();
    const gate = await startBinary(['proxy', '--record', target.url]);
    expect((await sendRaw(gate.port, { path: '/x' })).status).toBe(200);
  });

  it.each(['once', 'new_episodes'])('%s replays only where CI is set, and says so', async (mode) => {
    const result = await run(temporaryFolder(), ['--record', mode], ['/a'], { CI: 'true' });
    expect(result).toMatchObject({ statuses: [501], asked: [], files: 0 });
    expect(result.stderr).toContain('--record-in-ci');
    const forced = await run(temporaryFolder(), ['--record', mode, '--record-in-ci'], ['/a'], { CI: 'true' });
    expect(forced).toMatchObject({ statuses: [200], asked: ['/a'], files: 1 });
  });
});

describe('redaction', () => {
  const SECRET = 'S3CR3T-value';

  it('keeps secrets out of every file, the log and the control API, and matches all the same', async () => {
    const cwd = temporaryFolder();
    const target = await startTarget((_req, res) => {
      res.setHeader('Set-Cookie', [`session=${SECRET}`, `other=${SECRET}`]);
      res.setHeader('X-Api-Key', SECRET);
      res.setHeader('Content-Type', 'application/json');
      res.end(JSON.stringify({ id: 1, accessToken: SECRET, nested: [{ Client_Secret: SECRET }] }));
    });
    const gate = await startBinary(['proxy', target.url, '--record'], { cwd });
    const request = (secret: string): RawRequest => ({
      method: 'POST',
      path: `/api/v2/login?token=${secret}&page=1`,
      headers: [
        JSON_TYPE,
        ...['Authorization', 'PROXY-AUTHORIZATION', 'Cookie', 'token', 'X-Auth-Token', 'x_csrf_token'].map(
          (name) => [name, secret] as const,
        ),
      ],
      body: JSON.stringify({ user: 'u', password: secret, deep: { 'api-key': secret } }),
    });
    const response = await sendRaw(gate.port, request(SECRET));
    // The client and the target get all of it.
    expect(response.body.toString()).toContain(SECRET);
    expect(target.received[0]?.body.toString()).toContain(SECRET);
    expect(target.received[0]?.headers.authorization).toBe(SECRET);
    const shown = await (await fetch(`${gate.url}/__patchgate/exchanges`)).text();
    expect(shown).toContain('/api/v2/login');
    expect(shown).not.toContain(SECRET);
    const { stdout, stderr } = await gate.stop();
    expect(stdout).toContain('/api/v2/login');
    expect(stdout + stderr).not.toContain(SECRET);
    const files = [...filesIn(cwd)].flat().join('\n');
    expect(files).toContain('[redacted]');
    expect(files).not.toContain(SECRET);

    const replay = await startBinary(['replay'], { cwd });
    expect((await sendRaw(replay.port, request('another'))).status).toBe(200);
  });
});
