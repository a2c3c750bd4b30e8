// @module-tag postgres
/** Several gates that record into one database, and replay from it. */
import { existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { decodeFrame } from '../../src/recordings/journal.ts';
import { type Running, runBinary, startBinary } from '../support/binary.ts';
import { cleanUpLater } from '../support/clean-up.ts';
import { type Postgres, rowsOf, startPostgres } from '../support/postgres.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let server: Postgres;
let target: string;
beforeAll(async () => {
  server = await startPostgres();
  let count = 0;
  const echo = createServer((req, res) => {
    res.setHeader('content-type', 'application/json');
    res.end(JSON.stringify({ url: req.url, count: ++count }));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => echo.once('listening', resolve));
  cleanUpLater(() => void echo.close());
  target = `http://127.0.0.1:${(echo.address() as AddressInfo).port}`;
}, 60_000);

const start = (args: readonly string[], store: string, cwd = temporaryFolder()) =>
  startBinary(args, { cwd, env: { PATCHGATE_STORE: store } });

const proxy = (store: string, record: string, cwd?: string, ...more: string[]) =>
  start(['proxy', target, '--record', record, '--recording', 'r', '--no-guard', ...more], store, cwd);

async function get({ url }: Pick<Running, 'url'>, path: string): Promise<unknown> {
  const answer = await fetch(url + path);
  const text = await answer.text();
  return answer.status === 200 ? (JSON.parse(text) as unknown) : answer.status;
}

async function queriesIn(store: string): Promise<string[]> {
  const rows = await rowsOf<{ frame: Buffer }>(
    store,
    'SELECT frame FROM patchgate_exchanges ORDER BY ordinal',
  );
  return rows.map(({ frame }) => decodeFrame(frame).request.query);
}

describe('gates on one database', { tags: 'slow' }, () => {
  it('record every answered exchange once, whichever of them is killed', { timeout: 60_000 }, async () => {
    const store = await server.database();
    const folders = [temporaryFolder(), temporaryFolder()];
    let gates = await Promise.all(folders.map((folder) => proxy(store, 'all', folder)));
    const answered: string[] = [];
    for (let round = 0; round < 3; round++) {
      const [one, two] = gates as [Running, Running];
      let isOver = false;
      const clients = [one, one, two, two].map(async (gate, client) => {
        for (let i = 0; !isOver; i++) {
          const query = `n=${round}-${client}-${i}`;
          const answer = await get(gate, `/path/${i % 7}?${query}`).catch(() => undefined);
          if (answer) answered.push(query);
          else return;
        }
      });
      await expect.poll(() => answered.length).toBeGreaterThan(150 * (round + 1));
      await one.stop('SIGKILL');
      isOver = true;
      await Promise.all(clients);
      gates = [await proxy(store, 'all', folders[0]), two];
    }
    for (const gate of gates) expect((await gate.stop()).stderr).not.toContain('waiting for the database');
    const kept = await queriesIn(store);
    expect(new Set(kept).size).toBe(kept.length);
    expect(answered.filter((query) => !kept.includes(query))).toEqual([]);
    for (const folder of folders) {
      const outbox = readdirSync(join(folder, '.patchgate/outbox'), { recursive: true, withFileTypes: true });
      expect(outbox.filter((found) => found.isFile()).map(({ name }) => name)).toEqual(['.gitignore']);
    }
    expect(existsSync(join(folders[0] as string, 'recordings'))).toBe(false);
  });

  it('replay what others recorded, each path as it was when it was first asked for', {
    timeout: 60_000,
  }, async () => {
    const store = await server.database();
    const none = await runBinary(['replay', '--recording', 'r'], { env: { PATCHGATE_STORE: store } });
    expect(none.code).toBe(2);
    expect(none.stderr).toContain('there is no recording "r" in postgres://');
    const recorder = await proxy(store, 'all');
    const first = await get(recorder, '/a');
    const second = await get(recorder, '/a');
    await expect.poll(() => queriesIn(store)).toHaveLength(2);
    const replay = await start(['replay', '--recording', 'r'], store);
    expect(await get(replay, '/a')).toEqual(first);
    expect(await get(replay, '/a')).toEqual(second);
    expect(await get(replay, '/a')).toEqual(second);
    expect(await get(replay, '/b')).toBe(501);
    await get(recorder, '/a');
    const other = await get(recorder, '/b');
    await expect.poll(() => get(replay, '/b')).toEqual(other);
    expect(await get(replay, '/a')).toEqual(second);
    await replay.stop();
    await recorder.stop();
  });

  it('new_episodes: what one has recorded it answers itself, in the order of recording', {
    timeout: 60_000,
  }, async () => {
    const store = await server.database();
    const gate = await proxy(store, 'new_episodes');
    const answer = await get(gate, '/a');
    for (let i = 0; i < 20; i++) expect(await get(gate, '/a')).toEqual(answer);
    await gate.stop();
    const again = await proxy(store, 'new_episodes');
    expect(await get(again, '/a')).toEqual(answer);
    await get(again, '/b');
    await again.stop();
    expect(await queriesIn(store)).toHaveLength(2);
  });

  it('go on without the database, and keep what it does not have', { timeout: 90_000 }, async () => {
    const own = await startPostgres();
    const store = await own.database();
    const folder = temporaryFolder();
    const gate = await proxy(store, 'all', folder);
    await get(gate, '/a?n=1');
    await expect.poll(() => queriesIn(store)).toEqual(['n=1']);
    await own.kill();
    expect(await get(gate, '/a?n=2')).toMatchObject({ url: '/a?n=2' });
    await gate.said('Nothing is lost', 'stderr');
    const health = await (await fetch(`${gate.url}/__patchgate/health`)).json();
    expect(health).toMatchObject({ trouble: expect.stringContaining('') });
    const metrics = await (await fetch(`${gate.url}/__patchgate/metrics`)).text();
    expect(metrics).toContain('patchgate_exchanges_waiting 1');
    const { code, stderr } = await gate.stop();
    expect(code).toBe(0);
    expect(stderr).toMatch(/waiting for the database in \S+: 1 line of what/);
    expect(stderr).toContain('recorded 2 exchanges in "r" of the database\n');
    await own.start();
    await (await proxy(store, 'all', folder)).stop();
    expect(await queriesIn(store)).toEqual(['n=1', 'n=2']);
  });

  it('audit into it, and into a file where one is named', { timeout: 60_000 }, async () => {
    const store = await server.database();
    const folder = temporaryFolder();
    const gate = await start(['proxy', target, '--audit', 'audit.ndjson'], store, folder);
    const answer = await fetch(`${gate.url}/api/v2/accounts/1/projects/42`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: '{"nonsense": 1}',
    });
    expect(answer.status).toBe(422);
    await gate.stop();
    const rows = await rowsOf<{ line: { path: string } }>(store, 'SELECT line FROM patchgate_audit');
    expect(rows).toMatchObject([{ line: { method: 'PATCH', verdict: 'block' } }]);
    expect(existsSync(join(folder, 'audit.ndjson'))).toBe(true);
  });
});
