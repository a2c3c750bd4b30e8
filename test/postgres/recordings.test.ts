// @module-tag postgres
import { appendFileSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../src/postgres/database.ts';
import { placesOf, requireStored } from '../../src/postgres/frames.ts';
import { Outbox } from '../../src/postgres/outbox.ts';
import { PgRecordingStore } from '../../src/postgres/recordings.ts';
import { decodeFrame, encodeFrame, type MergeMode, openJournal } from '../../src/recordings/journal.ts';
import { DEFAULT_RULES } from '../../src/recordings/match.ts';
import type { RecordingStore } from '../../src/recordings/store.ts';
import { describeStore } from '../recordings/store-suite.ts';
import { cleanUpLater } from '../support/clean-up.ts';
import { exchange, PROJECT_PATH, plainOf } from '../support/exchanges.ts';
import { openAt, type Postgres, startPostgres } from '../support/postgres.ts';
import { find, turn } from '../support/recordings.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let server: Postgres;
beforeAll(async () => {
  server = await startPostgres();
}, 60_000);

async function openOutbox(database: Database, folder = temporaryFolder(), mode: MergeMode = 'append') {
  const notices: string[] = [];
  const notice = (text: string) => notices.push(text);
  const outbox = await Outbox.open({ database, recording: 'r/1', folder, notice, mode });
  cleanUpLater(() => outbox.close().catch(() => undefined));
  return { outbox, notices, folder };
}

/** @param mode absent: it is only read */
async function open(database: Database, mode?: MergeMode, name = 'r/1'): Promise<PgRecordingStore> {
  const outbox = mode && (await openOutbox(database, undefined, mode)).outbox;
  const places = await placesOf(database, name);
  const store = new PgRecordingStore(name, { database, rules: DEFAULT_RULES, outbox }, places);
  const close = store.close.bind(store);
  store.close = () => close().then(() => outbox?.close());
  cleanUpLater(() => store.close().catch(() => undefined));
  return store;
}

const answered = (text: string, path = PROJECT_PATH) => plainOf(exchange({ answer: { text }, path }));

async function recordInto(store: RecordingStore, ...texts: string[]): Promise<void> {
  for (const text of texts) store.append(answered(text));
  await store.flush();
}

const textsOf = (store: RecordingStore) =>
  find(store).map(({ response }) => (response?.body as { text: string } | undefined)?.text);

async function textsIn(database: Database): Promise<string[]> {
  const rows = await database.query<{ frame: Buffer }>(
    'SELECT frame FROM patchgate_exchanges ORDER BY ordinal',
  );
  return rows.map(({ frame }) => decodeFrame(frame).response.body.toString());
}

describe('with PostgreSQL', { tags: 'slow' }, () => {
  describeStore('the database', async () => {
    const database = await openAt(await server.database());
    return { open: (replaces = false) => open(database, replaces ? 'all' : 'append') };
  });
});

describe('a recording in the database', { tags: 'slow' }, () => {
  it('is one for all gates, and each path is read when it is first asked for', async () => {
    const url = await server.database();
    const [one, two] = [await open(await openAt(url), 'append'), await open(await openAt(url), 'append')];
    await recordInto(one, 'a');
    await recordInto(two, 'b');
    await recordInto(one, 'c');
    const database = await openAt(url);
    const reader = await open(database);
    await reader.ready('PATCH', PROJECT_PATH);
    expect(textsOf(reader)).toEqual(['a', 'b', 'c']);
    await reader.ready('PATCH', '/late');
    one.append(answered('late', '/late'));
    await recordInto(one, 'd');
    await reader.ready('PATCH', '/late');
    expect(reader.exchanges('PATCH', '/late').all.length).toBe(1);
    await database.close();
    expect(reader.ready('PATCH', PROJECT_PATH)).toBeUndefined();
    expect(textsOf(reader)).toEqual(['a', 'b', 'c']);
    await expect(reader.ready('PATCH', '/other')).rejects.toMatchObject({ code: 'store-unavailable' });
  });

  it('has the answers of the last run, however often it is recorded again', async () => {
    const database = await openAt(await server.database());
    for (const texts of [['a', 'b'], ['a', 'c'], ['d']]) {
      await recordInto(await open(database, 'all'), ...texts);
      const reader = await open(database);
      await reader.ready('PATCH', PROJECT_PATH);
      expect(textsOf(reader)).toEqual(texts);
    }
  });

  it('takes paths of any length, and has a name that is near', async () => {
    const database = await openAt(await server.database());
    await expect(requireStored(database, 'r')).rejects.toThrow('there is none in postgres://');
    const store = await open(database, 'append');
    const path = `/${'x'.repeat(15_000)}`;
    store.append(answered('a', path));
    await store.close();
    const reader = await open(database);
    await reader.ready('PATCH', path);
    expect(reader.exchanges('PATCH', path).all.length).toBe(1);
    await expect(requireStored(database, 'r/2')).rejects.toMatchObject({ hint: 'did you mean "r/1"?' });
  });
});

/** What a killed process has left. @returns its folder */
function leave(database: Pick<Database, 'name'>, folder: string, ...texts: string[]): string {
  const left = join(folder, encodeURIComponent(database.name), 'r%2F1~dead');
  const journal = openJournal(join(left, '.patchgate'), 'append', 1_000_000, 'dead');
  const frames = Buffer.concat(texts.flatMap((text) => encodeFrame(answered(text))));
  journal.append([frames], frames.length);
  journal.close();
  return left;
}

describe('an outbox', { tags: 'slow' }, () => {
  it('ships what is appended, in its order, and is gone when it is closed', async () => {
    const database = await openAt(await server.database());
    const { outbox, folder } = await openOutbox(database);
    const texts = Array.from({ length: 1200 }, (_, i) => `${i} \u0000 "quoted" \\`);
    for (const text of texts) outbox.append(answered(text));
    outbox.appendAudit('2026-11-20T12:00:00.000Z', '{"audit": "\\u0000"}');
    await turn();
    expect(outbox.status()).toMatchObject({ waiting: 1201, lost: 0 });
    await expect.poll(() => outbox.status()).toMatchObject({ waiting: 0, lost: 0 });
    expect(await textsIn(database)).toEqual(texts);
    expect(await database.query('SELECT at, line FROM patchgate_audit')).toEqual([
      { at: new Date('2026-11-20T12:00:00.000Z'), line: { audit: '\u0000' } },
    ]);
    await outbox.close();
    const left = readdirSync(folder, { recursive: true, withFileTypes: true });
    expect(left.filter((found) => found.isFile()).map(({ name }) => name)).toEqual(['.gitignore']);
  });

  it('that a killed process left is shipped once, without what was cut off; a living one is left alone', async () => {
    const database = await openAt(await server.database());
    const folder = temporaryFolder();
    await openOutbox(database, folder);
    for (const round of [1, 2]) {
      const left = leave(database, folder, '1', '2', '3');
      appendFileSync(join(left, '.patchgate/journal.1'), '{"request":{"method"');
      const { notices } = await openOutbox(database, folder);
      expect(await textsIn(database)).toEqual(['1', '2', '3']);
      expect(existsSync(left), `${round}`).toBe(false);
      expect(notices).toEqual([expect.stringContaining('is in the database now')]);
    }
  });

  it('of another database is left alone, and one that is broken keeps its frames', async () => {
    const database = await openAt(await server.database());
    const folder = temporaryFolder();
    const other = leave({ name: 'other' }, folder, '1');
    const broken = leave(database, folder, '1');
    writeFileSync(join(broken, '.patchgate/journal.1'), 'no journal\n');
    const { notices } = await openOutbox(database, folder);
    expect(notices).toEqual([
      expect.stringMatching(/keeps what the database has not yet: .*this is no journal/),
    ]);
    expect([existsSync(other), existsSync(broken)]).toEqual([true, true]);
  });
});
