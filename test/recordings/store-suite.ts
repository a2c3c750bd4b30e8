import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../src/model/exchange.ts';
import type { RecordingStore } from '../../src/recordings/store.ts';
import { type ExchangeParts, exchange, PROJECT_PATH, plainOf } from '../support/exchanges.ts';
import { exchangeOf, find } from '../support/recordings.ts';

/** A place for one recording, empty at first. */
export interface StorePlace {
  /** A new process as it were. @param replaces mode `all` */
  open(replaces?: boolean): Promise<RecordingStore>;
}

/** What a store has of a method and path, read if it is not in memory. */
async function read(store: RecordingStore, method = 'PATCH', path = PROJECT_PATH): Promise<Exchange[]> {
  await store.ready?.(method, path);
  return find(store, method, path);
}

const answered = (json: number | string, parts: ExchangeParts = {}) =>
  exchange({ body: { json: { a: 1 } }, answer: { json }, ...parts });
const FIRST = answered(1);
const SECOND = answered(2, { recordedAt: '2026-11-20T12:00:01.000Z' });
const OTHER = answered(3, { body: { json: { a: 2 } } });

/** The promises of the port, which every store keeps. */
export function describeStore(name: string, newPlace: () => Promise<StorePlace>): void {
  describe(`${name} keeps the promises of a store`, () => {
    it('finds what was appended at once, oldest first, and only for its method and path', async () => {
      const store = await (await newPlace()).open();
      expect(store.isEmpty()).toBe(true);
      expect(await read(store)).toEqual([]);
      store.append(plainOf(FIRST));
      expect(store.isEmpty()).toBe(false);
      const { all } = store.exchanges('PATCH', PROJECT_PATH);
      const [first] = all;
      store.append(plainOf(SECOND));
      await store.flush();
      expect(await read(store)).toEqual([FIRST, SECOND]);
      // A sequence that somebody is in the middle of goes on.
      expect(store.exchanges('PATCH', PROJECT_PATH).all).toBe(all);
      expect(all[0]).toBe(first);
      expect(await read(store, 'GET')).toEqual([]);
      expect(await read(store, 'PATCH', `${PROJECT_PATH}/`)).toEqual([]);
      await store.close();
    });

    it('has everything after it was closed and opened again, also what came while it was written', async () => {
      const place = await newPlace();
      const store = await place.open();
      for (let i = 0; i < 20; i++) {
        store.append(plainOf(answered(i)));
        const flushed = store.flush();
        store.append(plainOf(answered(`${i} later`)));
        await flushed;
      }
      await store.close();
      const again = await place.open();
      again.append(plainOf(FIRST));
      expect(await read(again)).toHaveLength(41);
      await again.close();
    });

    it('lists every method and path once', async () => {
      const place = await newPlace();
      const store = await place.open();
      const paths = ['/a', '/a/', '/A', '/a/b', `/${'long/'.repeat(200)}`];
      for (const path of paths) store.append(plainOf(exchange({ path })));
      store.append(plainOf(exchange({ path: '/a', method: 'GET' })));
      const all = [...paths.map((path) => `PATCH ${path}`), 'GET /a'].sort();
      const list = (from: RecordingStore) =>
        Array.from(from.places(), ({ method, path }) => `${method} ${path}`).sort();
      expect(list(store)).toEqual(all);
      await store.flush();
      store.append(plainOf(exchange({ path: '/a' })));
      expect(list(store)).toEqual(all);
      await store.close();
      expect(list(await place.open())).toEqual(all);
    });

    it('gives back every kind of body and header', async () => {
      const place = await newPlace();
      const plainText = { 'content-type': 'text/plain' };
      const image = { 'content-type': 'image/png' };
      const bytes = Buffer.alloc(300_000, 'x\u0000é').fill(255, 0, 1);
      const all = [
        exchange({ query: 'a=1', body: { json: { name: 'x', ids: [1, 2] } }, session: 'mine' }),
        exchange({ answer: { text: 'x' }, headers: { ...plainText, 'set-cookie': ['a', 'b'] } }),
        exchange({ answer: { json: { a: 1.5 }, indent: 2, newline: true } }),
        exchange({ answer: { base64: bytes.toString('base64') }, headers: image }),
        exchange({ answer: { text: '\u0000 "quoted" \\ \u2028 \ud83d\ude00' }, headers: plainText }),
      ];
      const store = await place.open();
      for (const one of all) store.append(plainOf(one));
      await store.close();
      const again = await place.open();
      expect(await read(again)).toEqual(all);
      await again.close();
    });

    it('finds a request by its value and by its bytes, once it is read', async () => {
      const place = await newPlace();
      const store = await place.open();
      for (const one of [FIRST, OTHER, SECOND]) store.append(plainOf(one));
      await store.close();
      const again = await place.open();
      await again.load();
      await again.ready?.('PATCH', PROJECT_PATH);
      expect(again.ready?.('PATCH', PROJECT_PATH)).toBeUndefined();
      const found = again.exchanges('PATCH', PROJECT_PATH);
      const same = found.withBytes('', Buffer.from('{"a":1}'));
      expect(same?.map(exchangeOf)).toEqual([FIRST, SECOND]);
      expect(found.find(FIRST.request)).toBe(same);
      expect(again.exchanges('PATCH', '/nothing').all.length).toBe(0);
      await again.close();
    });

    it('has the answers of the last run that replaces, and what that did not ask for', async () => {
      const place = await newPlace();
      const run = async (exchanges: readonly Exchange[], replaces: boolean) => {
        const store = await place.open(replaces);
        for (const one of exchanges) store.append(plainOf(one));
        await store.close();
        const again = await place.open();
        const answers = (await read(again)).map(({ response }) => (response.body as { json: string }).json);
        await again.close();
        return answers.sort();
      };
      const kept = [answered('kept', { query: 'a=1' }), answered('kept', { session: 'other' })];
      await run([answered('1'), answered('2'), ...kept], false);
      expect(await run([answered('3'), answered('4')], true)).toEqual(['3', '4', 'kept', 'kept']);
      expect(await run([answered('5')], false)).toEqual(['3', '4', '5', 'kept', 'kept']);
      expect(await run([answered('6')], true)).toEqual(['6', 'kept', 'kept']);
    });

    it('counts what is not kept yet', async () => {
      const store = await (await newPlace()).open();
      expect(store.status()?.takes).toBe(true);
      store.append(plainOf(FIRST));
      expect(store.status()).toMatchObject({ waiting: 1, lost: 0 });
      await store.flush();
      expect(store.status()).toMatchObject({ recorded: 1, waiting: 0, lost: 0 });
      expect(store.status()?.trouble).toBeUndefined();
      await store.close();
    });
  });
}
