// @module-tag postgres
import { beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../src/postgres/database.ts';
import { Outbox } from '../../src/postgres/outbox.ts';
import { type PgRecordingOptions, PgRecordingStore } from '../../src/postgres/recordings.ts';
import { requireStored } from '../../src/postgres/stored-paths.ts';
import { DEFAULT_RULES } from '../../src/recordings/match-rules.ts';
import type { RecordingStore } from '../../src/recordings/store.ts';
import { cleanUpLater } from '../support/clean-up.ts';
import { exchange, PROJECT_PATH, plainOf } from '../support/exchanges.ts';
import { openAt, type Postgres, startPostgres } from '../support/postgres.ts';
import { find } from '../support/recordings.ts';
import { describeStore } from '../support/store-suite.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let server: Postgres;
beforeAll(async () => {
  server = await startPostgres();
}, 60_000);

async function open(
  database: Database,
  { writable = false, ...options }: Partial<PgRecordingOptions> & { writable?: boolean } = {},
  name = 'r',
): Promise<PgRecordingStore> {
  const outbox = writable
    ? await Outbox.open({ database, folder: temporaryFolder(), notice: () => undefined })
    : undefined;
  const store = await PgRecordingStore.open(name, { database, rules: DEFAULT_RULES, outbox, ...options });
  const close = store.close.bind(store);
  store.close = () => close().then(() => outbox?.close());
  cleanUpLater(() => store.close().catch(() => undefined));
  return store;
}

describe('with PostgreSQL', { tags: 'slow' }, () => {
  describeStore('the database', async () => {
    const database = await openAt(await server.database());
    return {
      async open(replaces = false) {
        const store = await open(database, { writable: true, replaces });
        // What is recorded is found at once where something was asked for before.
        store.exchanges('GET', '/');
        return store;
      },
    };
  });
});

const answered = (text: string, path = PROJECT_PATH) => exchange({ answer: { text }, path });

async function recordInto(store: RecordingStore, ...texts: string[]): Promise<void> {
  for (const text of texts) store.append(plainOf(answered(text)));
  await store.flush();
}

function textsOf(store: RecordingStore): (string | undefined)[] {
  return find(store).map(({ response }) => (response?.body as { text: string } | undefined)?.text);
}

describe('a recording in the database', { tags: 'slow' }, () => {
  it('is one for all gates', async () => {
    const url = await server.database();
    const [one, two] = [
      await open(await openAt(url), { writable: true }),
      await open(await openAt(url), { writable: true }),
    ];
    await recordInto(one, 'a');
    await recordInto(two, 'b');
    await recordInto(one, 'c');
    const reader = await open(await openAt(url));
    await reader.ready('PATCH', PROJECT_PATH);
    expect(textsOf(reader)).toEqual(['a', 'b', 'c']);
  });

  it('is told of what others record, and keeps the exchanges that it has', async () => {
    const url = await server.database();
    const recorder = await open(await openAt(url), { writable: true });
    await recordInto(recorder, 'a');
    const reader = await open(await openAt(url));
    await reader.load();
    expect(reader.ready('PATCH', PROJECT_PATH)).toBeUndefined();
    const [first] = reader.exchanges('PATCH', PROJECT_PATH).all;
    await expect
      .poll(async () => {
        // As soon as it listens.
        await recordInto(recorder, 'more');
        return reader.ready('PATCH', PROJECT_PATH) !== undefined;
      })
      .toBe(true);
    await reader.ready('PATCH', PROJECT_PATH);
    expect(textsOf(reader).slice(0, 2)).toEqual(['a', 'more']);
    expect(reader.exchanges('PATCH', PROJECT_PATH).all[0]).toBe(first);
    recorder.append(plainOf(answered('new', '/new')));
    await expect.poll(() => [...reader.places()].length).toBe(2);
    const database = await openAt(url);
    await database.query(
      "UPDATE patchgate_exchange SET exchange = jsonb_set(exchange::jsonb, '{response,status}', '418') WHERE path = '/new'",
    );
    await database.query("UPDATE patchgate_path SET version = version + 1 WHERE path = '/new'");
    await expect
      .poll(async () => {
        await reader.ready('PATCH', '/new');
        return find(reader, 'PATCH', '/new').map(({ response }) => response?.status);
      })
      .toEqual([418]);
    // Every user of the database may send that.
    for (const text of ['no JSON', 'null', '{}'])
      await database.query("SELECT pg_notify('patchgate_path', $1)", [text]);
    await database.query("DELETE FROM patchgate_exchange WHERE path = '/new'");
    await database.query("DELETE FROM patchgate_path WHERE path = '/new'");
    await expect.poll(() => [...reader.places()].length).toBe(1);
    await reader.ready('PATCH', '/new');
    expect(reader.exchanges('PATCH', '/new').length).toBe(0);
  });

  it('answers from memory while the database is away, and catches up when it is back', async () => {
    const own = await startPostgres();
    const url = await own.database();
    const recorder = await open(await openAt(url), { writable: true });
    recorder.append(plainOf(answered('other', '/other')));
    await recordInto(recorder, 'a');
    const reader = await open(await openAt(url));
    await reader.ready('PATCH', PROJECT_PATH);
    await own.kill();
    expect(textsOf(reader)).toEqual(['a']);
    await expect(reader.ready('PATCH', '/other')).rejects.toMatchObject({ code: 'store-unavailable' });
    expect(reader.exchanges('PATCH', '/other').length).toBe(1);
    expect(() => reader.exchanges('PATCH', '/other').all).toThrow('not read');
    recorder.append(plainOf(answered('b')));
    await own.start();
    await expect
      .poll(async () => {
        await reader.ready('PATCH', PROJECT_PATH);
        return textsOf(reader);
      })
      .toEqual(['a', 'b']);
  }, 60_000);

  it('has no place for a path that no index takes', async () => {
    const store = await open(await openAt(await server.database()), { writable: true });
    store.append(plainOf(answered('a', `/${'x'.repeat(3000)}`)));
    store.append(plainOf(answered('b', `/${'x'.repeat(1999)}`)));
    await store.flush();
    expect(store.counts).toEqual({ waiting: 0, lost: 1, journalBytes: 0 });
  });

  it('that is not there has a name that is near', async () => {
    const database = await openAt(await server.database());
    await expect(requireStored(database, 'checkout')).rejects.toThrow('there is none in postgres://');
    const store = await open(database, { writable: true }, 'checkout');
    await recordInto(store, 'a');
    await requireStored(database, 'checkout');
    await expect(requireStored(database, 'chekout')).rejects.toMatchObject({
      hint: 'did you mean "checkout"?',
    });
  });
});
