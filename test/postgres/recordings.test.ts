// @module-tag postgres
import { beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../src/postgres/database.ts';
import { requireStored } from '../../src/postgres/frames.ts';
import { Outbox } from '../../src/postgres/outbox.ts';
import { PgRecordingStore } from '../../src/postgres/recordings.ts';
import type { MergeMode } from '../../src/recordings/journal.ts';
import { DEFAULT_RULES } from '../../src/recordings/match-rules.ts';
import type { RecordingStore } from '../../src/recordings/store.ts';
import { cleanUpLater } from '../support/clean-up.ts';
import { exchange, PROJECT_PATH, plainOf } from '../support/exchanges.ts';
import { openAt, type Postgres, rowsOf, startPostgres } from '../support/postgres.ts';
import { find } from '../support/recordings.ts';
import { describeStore } from '../support/store-suite.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let server: Postgres;
beforeAll(async () => {
  server = await startPostgres();
}, 60_000);

async function open(
  database: Database,
  { mode }: { mode?: MergeMode } = {},
  name = 'r',
  folder = temporaryFolder(),
): Promise<PgRecordingStore> {
  const options = { database, recording: name, folder, notice: () => undefined };
  const outbox = mode && (await Outbox.open({ ...options, mode }));
  const store = await PgRecordingStore.open(name, { database, rules: DEFAULT_RULES, outbox });
  const close = store.close.bind(store);
  store.close = () => close().then(() => outbox?.close());
  cleanUpLater(() => store.close().catch(() => undefined));
  return store;
}

describe('with PostgreSQL', { tags: 'slow' }, () => {
  describeStore('the database', async () => {
    const database = await openAt(await server.database());
    return {
      open: (replaces = false) => open(database, { mode: replaces ? 'all' : 'append' }),
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
      await open(await openAt(url), { mode: 'append' }),
      await open(await openAt(url), { mode: 'append' }),
    ];
    await recordInto(one, 'a');
    await recordInto(two, 'b');
    await recordInto(one, 'c');
    const reader = await open(await openAt(url));
    await reader.ready('PATCH', PROJECT_PATH);
    expect(textsOf(reader)).toEqual(['a', 'b', 'c']);
  });

  it('is read when it is first asked for, and goes on without the database then', async () => {
    const own = await startPostgres();
    const url = await own.database();
    const recorder = await open(await openAt(url), { mode: 'append' });
    await recordInto(recorder, 'a');
    const reader = await open(await openAt(url));
    await reader.ready('PATCH', '/late');
    expect(reader.exchanges('PATCH', '/late').length).toBe(0);
    for (const path of ['/late', '/other']) recorder.append(plainOf(answered('late', path)));
    await recordInto(recorder, 'b');
    await reader.ready('PATCH', '/late');
    expect(reader.exchanges('PATCH', '/late').length).toBe(1);
    await reader.ready('PATCH', PROJECT_PATH);
    await own.kill();
    expect(reader.ready('PATCH', PROJECT_PATH)).toBeUndefined();
    expect(textsOf(reader)).toEqual(['a', 'b']);
    await expect(reader.ready('PATCH', '/other')).rejects.toMatchObject({ code: 'store-unavailable' });
    recorder.append(plainOf(answered('c')));
    await own.start();
    const again = await openAt(url);
    await expect
      .poll(async () => {
        await recorder.flush();
        const late = await open(again);
        await late.ready('PATCH', PROJECT_PATH);
        return textsOf(late);
      })
      .toEqual(['a', 'b', 'c']);
  }, 60_000);

  it('keeps what is recorded while its path is read, once', async () => {
    const store = await open(await openAt(await server.database()), { mode: 'append' });
    for (let i = 0; i < 20; i++) {
      const path = `/path/${i}`;
      store.append(plainOf(answered('before', path)));
      const reading = store.ready('PATCH', path);
      for (let turns = 0; turns <= i; turns++) await new Promise(setImmediate);
      store.append(plainOf(answered('while', path)));
      await reading;
      store.append(plainOf(answered('after', path)));
      const texts = store.exchanges('PATCH', path).all.map(({ exchange: { response } }) => response.body);
      expect(texts).toEqual([{ text: 'before' }, { text: 'while' }, { text: 'after' }]);
    }
    await store.close();
  });

  it('has one row for each answer, however often it is recorded again', async () => {
    const url = await server.database();
    const database = await openAt(url);
    for (const texts of [['a', 'b'], ['a', 'c'], ['d']]) {
      const store = await open(database, { mode: 'all' });
      await recordInto(store, ...texts);
      await store.close();
      const rows = await rowsOf<{ count: string }>(url, 'SELECT count(*) FROM patchgate_exchange');
      expect(rows).toEqual([{ count: String(texts.length) }]);
    }
  });

  it('takes paths of any length', async () => {
    const database = await openAt(await server.database());
    const store = await open(database, { mode: 'append' });
    const path = `/${'x'.repeat(15_000)}`;
    store.append(plainOf(answered('a', path)));
    await store.close();
    const reader = await open(database);
    await reader.ready('PATCH', path);
    expect(reader.exchanges('PATCH', path).length).toBe(1);
  });

  it('that is not there has a name that is near', async () => {
    const database = await openAt(await server.database());
    await expect(requireStored(database, 'checkout')).rejects.toThrow('there is none in postgres://');
    const store = await open(database, { mode: 'append' }, 'checkout');
    await recordInto(store, 'a');
    await requireStored(database, 'checkout');
    await expect(requireStored(database, 'chekout')).rejects.toMatchObject({
      hint: 'did you mean "checkout"?',
    });
  });
});
