// @module-tag postgres
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Exchange } from '../../src/model/exchange.ts';
import { putChanged, putFilesIn, readOut } from '../../src/postgres/copy-recording.ts';
import type { Database } from '../../src/postgres/database.ts';
import { numberedIn, pathsIn, putBack } from '../../src/postgres/stored-paths.ts';
import { readExchanges, writeExchanges } from '../../src/recordings/files.ts';
import { DEFAULT_RULES } from '../../src/recordings/match-rules.ts';
import { locationOf } from '../../src/recordings/store/location.ts';
import { exchange } from '../support/exchanges.ts';
import { openAt, type Postgres, startPostgres } from '../support/postgres.ts';
import { filesBelow, recordAll } from '../support/recordings.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let server: Postgres;
beforeAll(async () => {
  server = await startPostgres();
}, 60_000);

const open = async () => openAt(await server.database());

const at = (second: number) => `2026-11-20T12:00:0${second}.000Z`;
const EXCHANGES: Exchange[] = [
  exchange({ path: '/a', body: { json: { a: 1.5 } }, answer: { json: 'ä\u0000\ud800' }, recordedAt: at(1) }),
  exchange({
    path: '/a',
    body: { json: { a: 1.5 } },
    answer: { json: 2 },
    recordedAt: at(4),
    session: 'x "y"',
  }),
  exchange({
    path: '/b%20c/D',
    method: 'GET',
    answer: { base64: Buffer.alloc(9000, 0xff).toString('base64') },
    recordedAt: at(2),
  }),
  exchange({ path: `/${'long/'.repeat(200)}`, answer: { json: {}, indent: 2 }, recordedAt: at(3) }),
  exchange({
    path: '/text',
    method: 'GET',
    headers: { 'content-type': 'text/plain' },
    answer: { text: 'é'.repeat(600_000) },
    recordedAt: at(5),
  }),
];

async function recorded(): Promise<string> {
  const folder = temporaryFolder();
  await recordAll(folder, 'x', EXCHANGES);
  return join(folder, 'x');
}

const NEW = { rules: DEFAULT_RULES, run: 'r1' };

async function put(database: Database, root: string, drops: 'same' | 'nothing' = 'same') {
  return putFilesIn(database, 'x', root, { ...NEW, drops });
}

const rowsOf = ({ query }: Database) =>
  query<{ place: string; path: string; sequence: Buffer; run: string }>(
    'SELECT place, path, sequence, run FROM patchgate_exchange ORDER BY place',
  );

describe('a recording', { tags: 'slow' }, () => {
  it('is the same, byte by byte, after a way to the database and back', async () => {
    const database = await open();
    const root = await recorded();
    expect(await put(database, root)).toBe(EXCHANGES.length);
    const back = temporaryFolder();
    await readOut(database, await pathsIn(database, 'x'), back);
    const { '.patchgate/.gitignore': _, ...files } = filesBelow(root);
    expect(filesBelow(join(back, 'x'))).toEqual(files);
    expect(Object.keys(files)).toHaveLength(4);
  });

  it('is in the order of its times there', async () => {
    const database = await open();
    await put(database, await recorded());
    const times: string[] = [];
    for await (const { number, exchange } of numberedIn(database, 'x', {}))
      times.push(`${number} ${exchange.meta.recordedAt}`);
    expect(times).toEqual([1, 2, 3, 4, 5].map((n) => `${n} ${at(n)}`));
  });

  it('is read in part', async () => {
    const database = await open();
    await put(database, await recorded());
    const chosen = async (choice: Parameters<typeof numberedIn>[2]) => {
      const found: number[] = [];
      for await (const { number } of numberedIn(database, 'x', choice)) found.push(number);
      return found;
    };
    expect(await chosen({ path: '/a' })).toEqual([1, 4]);
    expect(await chosen({ path: '/b%*' })).toEqual([2]);
    expect(await chosen({ path: '/_' })).toEqual([]);
    expect(await chosen({ method: 'get' })).toEqual([2, 5]);
    expect(await chosen({ path: '/a', numbers: [4, 5] })).toEqual([4]);
  });

  it('is added to what is there, or replaces the same requests', async () => {
    const database = await open();
    const root = await recorded();
    const counts = async () =>
      (await pathsIn(database, 'x')).map(({ path, exchanges }) => [path[1], exchanges]);
    await put(database, root);
    await put(database, root, 'nothing');
    expect(await counts()).toEqual([
      ['a', 4],
      ['b', 2],
      ['l', 2],
      ['t', 2],
    ]);
    await put(database, root, 'same');
    expect(await counts()).toEqual([
      ['a', 2],
      ['b', 1],
      ['l', 1],
      ['t', 1],
    ]);
  });

  it('keeps what is known of the exchanges that stay', async () => {
    const database = await open();
    await put(database, await recorded());
    // As a gate with other rules would have put it there.
    await database.query(
      "UPDATE patchgate_exchange SET run = 'run of ' || place, sequence = sha256(place::text::bytea)",
    );
    const before = await rowsOf(database);
    const folder = temporaryFolder();
    const written = await readOut(database, await pathsIn(database, 'x'), folder);
    const place = { method: 'PATCH', path: '/a' };
    const file = join(folder, 'x', locationOf(place.method, place.path));
    await writeExchanges(file, (readExchanges(file) ?? []).slice(1));
    await putChanged(database, written, NEW);
    expect(await rowsOf(database)).toEqual(before.slice(1));
    // Changed in its place, and only the request says which sequence it is of.
    const again = await readOut(database, await pathsIn(database, 'x'), folder);
    const [left] = readExchanges(file) as readonly [Exchange];
    await writeExchanges(file, [{ ...left, request: { ...left.request, query: 'b=1' } }]);
    await putChanged(database, again, NEW);
    const [first, second, third, fourth] = await rowsOf(database);
    const [, , , former] = before;
    expect([first, second, fourth]).toEqual([before[1], before[2], before[4]]);
    expect(third).toEqual({ ...former, sequence: expect.any(Buffer) });
    expect(third?.sequence).not.toEqual(former?.sequence);
  });

  it('stays as it is where it was recorded into meanwhile', async () => {
    const database = await open();
    await put(database, await recorded());
    const [path] = await pathsIn(database, 'x');
    if (!path) throw new Error('nothing is there');
    await database.query('UPDATE patchgate_path SET version = version + 1');
    const before = await rowsOf(database);
    await expect(putBack(database, path, [], NEW)).rejects.toMatchObject({ code: 'recording-in-use' });
    expect(await rowsOf(database)).toEqual(before);
  });

  it('with a path that fits into no index is left where it is', async () => {
    const database = await open();
    const folder = temporaryFolder();
    await recordAll(folder, 'x', [EXCHANGES[0] as Exchange, exchange({ path: `/${'x'.repeat(2000)}` })]);
    await expect(put(database, join(folder, 'x'))).rejects.toMatchObject({ code: 'bad-usage' });
    expect(await pathsIn(database)).toEqual([]);
  });
});
