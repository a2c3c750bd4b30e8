import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../src/model/exchange.ts';
import { SentRequest } from '../../src/recordings/match.ts';
import type { PlainExchange } from '../../src/recordings/plain-exchange.ts';
import type { RecordingStore } from '../../src/recordings/store.ts';
import { type ExchangeParts, exchange, PROJECT_PATH, plainOf } from './exchanges.ts';
import { find, turn } from './recordings.ts';

/** A place for one recording, empty at first; each `open` is a new process as it were. */
export interface StorePlace {
  /** @param replaces the first answer to each request drops what there was before */
  open(replaces?: boolean): Promise<RecordingStore>;
  /** What would be left here if the process that has it open were killed now. */
  killed(): Promise<StorePlace>;
}

/** What a store has of a method and path, read if it is not in memory. */
async function read(store: RecordingStore, method = 'PATCH', path = PROJECT_PATH): Promise<Exchange[]> {
  await store.ready?.(method, path);
  return find(store, method, path);
}

const FIRST = exchange({
  body: { json: { a: 1 } },
  answer: { json: 1 },
  recordedAt: '2026-01-01T00:00:00.000Z',
});
const SECOND = exchange({
  body: { json: { a: 1 } },
  answer: { json: 2 },
  recordedAt: '2026-01-02T00:00:00.000Z',
});
const OTHER = exchange({
  body: { json: { a: 2 } },
  answer: { json: 3 },
  recordedAt: '2026-01-03T00:00:00.000Z',
});

/** The promises of the port, which every store keeps. Those of files have some more: see below. */
export function describeStore(name: string, newPlace: () => Promise<Pick<StorePlace, 'open'>>): void {
  describe(`${name} keeps the promises of a store`, () => {
    it('is empty until something is appended', async () => {
      const store = await (await newPlace()).open();
      expect(store.isEmpty()).toBe(true);
      expect(await read(store)).toEqual([]);
      store.append(plainOf(FIRST));
      expect(store.isEmpty()).toBe(false);
      await store.close();
    });

    it('finds what was appended at once, oldest first, and only for its method and path', async () => {
      const store = await (await newPlace()).open();
      store.append(plainOf(FIRST));
      store.append(plainOf(SECOND));
      expect(await read(store)).toEqual([FIRST, SECOND]);
      expect(await read(store, 'GET')).toEqual([]);
      expect(await read(store, 'PATCH', `${PROJECT_PATH}/`)).toEqual([]);
      await store.close();
    });

    it('gives the same list as long as exchanges are only added', async () => {
      const store = await (await newPlace()).open();
      await read(store);
      store.append(plainOf(FIRST));
      const found = store.exchanges('PATCH', PROJECT_PATH);
      const { all } = found;
      const [first] = all;
      store.append(plainOf(SECOND));
      expect(store.exchanges('PATCH', PROJECT_PATH).all).toBe(all);
      expect(all).toHaveLength(2);
      await store.flush();
      // A sequence that somebody is in the middle of goes on.
      expect(await read(store)).toEqual([FIRST, SECOND]);
      expect(store.exchanges('PATCH', PROJECT_PATH).all[0]).toBe(first);
      await store.close();
    });

    it('says of a body that was not kept how long it was', async () => {
      const store = await (await newPlace()).open();
      const { request, response, ...rest } = plainOf(FIRST);
      const body = Buffer.alloc(0);
      store.append({
        request: { ...request, body, omitted: 7 },
        response: { ...response, body, omitted: 8 },
        ...rest,
      });
      const [found] = await read(store);
      expect([found?.request.body, found?.response?.body]).toEqual([{ omitted: 7 }, { omitted: 8 }]);
      await store.close();
    });

    it('has everything after it was closed and opened again', async () => {
      const place = await newPlace();
      const store = await place.open();
      store.append(plainOf(FIRST));
      await store.close();
      const again = await place.open();
      again.append(plainOf(SECOND));
      expect(await read(again)).toEqual([FIRST, SECOND]);
      await again.close();
      expect(await read(await place.open())).toEqual([FIRST, SECOND]);
    });

    it('keeps what is appended while it is written', async () => {
      const place = await newPlace();
      const store = await place.open();
      for (let i = 0; i < 20; i++) {
        store.append(plainOf(exchange({ answer: { json: i } })));
        const flushed = store.flush();
        store.append(plainOf(exchange({ answer: { json: `${i} later` } })));
        await flushed;
      }
      await store.close();
      const again = await place.open();
      again.append(plainOf(FIRST));
      expect(await read(again)).toHaveLength(41);
      await again.close();
    });

    it('finds what is not written yet however much else is read', async () => {
      const store = await (await newPlace()).open();
      await read(store);
      store.append(plainOf(FIRST));
      await read(store);
      for (let i = 0; i < 10; i++) await read(store, 'GET', `/${i}`);
      expect(await read(store)).toEqual([FIRST]);
      await store.close();
    });

    it('lists every method and path once', async () => {
      const place = await newPlace();
      const store = await place.open();
      const paths = ['/a', '/a/', '/A', '/a/b', `/${'long/'.repeat(200)}`];
      for (const path of paths) store.append(plainOf(exchange({ path, method: 'PATCH' })));
      store.append(plainOf(exchange({ path: '/a', method: 'GET' })));
      const all = [...paths.map((path) => `PATCH ${path}`), 'GET /a'].sort();
      const list = (from: RecordingStore) =>
        [...from.places()].map(({ method, path }) => `${method} ${path}`).sort();
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
      const bytes = Buffer.alloc(300_000, 'x\u0000é');
      bytes[0] = 255;
      const all = [
        exchange({ query: 'a=1', body: { json: { name: 'x', ids: [1, 2] } }, session: 'mine' }),
        exchange({ answer: { text: 'x' }, headers: { ...plainText, 'set-cookie': ['a', 'b'] } }),
        exchange({ answer: { json: { a: 1.5 }, indent: 2, newline: true } }),
        exchange({ answer: { base64: Buffer.from([0, 255, 1]).toString('base64') }, headers: image }),
        exchange({ answer: { text: '\u0000 "quoted" \\ \u2028 \ud83d\ude00' }, headers: plainText }),
      ];
      const store = await place.open();
      for (const one of all) store.append(plainOf(one));
      store.append(plainOf(exchange({ answer: { base64: bytes.toString('base64') }, headers: image })));
      await store.close();
      const again = await place.open();
      const found = await read(again);
      expect(found.slice(0, -1)).toEqual(all);
      expect(found.at(-1)?.response.body).toEqual({ base64: bytes.toString('base64') });
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
      const found = again.exchanges('PATCH', PROJECT_PATH);
      expect(found.length).toBe(3);
      const same = found.withBytes('', Buffer.from('{"a":1}'));
      expect(same?.map(({ exchange }) => exchange)).toEqual([FIRST, SECOND]);
      expect(found.find(new SentRequest(FIRST.request))).toBe(same);
      expect(again.exchanges('PATCH', '/nothing').length).toBe(0);
      await again.close();
    });

    it('drops what earlier runs recorded for a request with the first answer of one that replaces', async () => {
      const place = await newPlace();
      const of = (json: string, parts: ExchangeParts = {}) => exchange({ answer: { json }, ...parts });
      const run = async (exchanges: readonly (Exchange | PlainExchange)[], replaces: boolean) => {
        const store = await place.open(replaces);
        for (const one of exchanges) store.append('meta' in one ? plainOf(one) : one);
        await store.close();
        const again = await place.open();
        const answers = (await read(again)).map(({ response }) => (response.body as { json: string }).json);
        await again.close();
        return answers.sort();
      };
      const kept = [of('kept', { query: 'a=1' }), of('kept', { session: 'other' })];
      await run([of('1'), of('2'), ...kept], false);
      expect(await run([of('3'), of('4')], true)).toEqual(['3', '4', 'kept', 'kept']);
      expect(await run([of('5')], false)).toEqual(['3', '4', '5', 'kept', 'kept']);
      expect(await run([of('6')], true)).toEqual(['6', 'kept', 'kept']);
    });

    it('counts what is not kept yet', async () => {
      const store = await (await newPlace()).open();
      expect(store.takesExchanges()).toBe(true);
      store.append(plainOf(FIRST));
      expect(store.counts).toMatchObject({ waiting: 1, lost: 0 });
      await store.flush();
      expect(store.counts).toEqual({ waiting: 0, lost: 0, journalBytes: 0 });
      expect(store.trouble).toBeUndefined();
      await store.close();
    });
  });
}

/** What is recorded again takes the place of what it replaces: recording the same traffic again gives the same files. */
export function describeRerecording(name: string, newPlace: () => Promise<StorePlace>): void {
  describe(`${name} records again in place`, () => {
    it('has whatever was appended when its process is killed, once, however often it is', async () => {
      const place = await newPlace();
      const store = await place.open();
      store.append(plainOf(FIRST));
      await store.flush();
      store.append(plainOf(SECOND));
      await turn();
      const atOnce = await (await place.killed()).open();
      expect(await read(atOnce)).toEqual([FIRST, SECOND]);
      const flushed = store.flush();
      store.append(plainOf(OTHER));
      await turn();
      const left = await place.killed();
      await flushed;
      await store.close();
      for (let start = 0; start < 3; start++) {
        const again = await left.open();
        expect(await read(again)).toEqual([FIRST, SECOND, OTHER]);
        await again.close();
      }
      await atOnce.close();
    });

    it('has what a killed run replaced, and what it had not come to yet', async () => {
      const place = await newPlace();
      const store = await place.open();
      for (const one of [FIRST, OTHER, SECOND]) store.append(plainOf(one));
      await store.close();
      const again = await place.open(true);
      const fresh = exchange({ body: { json: { a: 1 } }, answer: { json: 'fresh' } });
      again.append(plainOf(fresh));
      await turn();
      const left = await (await place.killed()).open();
      expect(await read(left)).toEqual([fresh, OTHER, SECOND]);
      await left.close();
      await again.close();
    });

    it('keeps what is appended in the middle of a write', async () => {
      const place = await newPlace();
      const store = await place.open();
      for (let i = 0; i < 10; i++) {
        store.append(plainOf(exchange({ answer: { json: i } })));
        await read(store);
        const flushed = store.flush();
        await new Promise(setImmediate);
        store.append(plainOf(exchange({ answer: { json: `${i} later` } })));
        await flushed;
        await store.flush();
        const left = await (await place.killed()).open();
        expect(await read(left)).toHaveLength(2 * (i + 1));
        await left.close();
      }
      await store.close();
    });

    it('replaces what was kept for the same request, and no other', async () => {
      const place = await newPlace();
      const store = await place.open();
      for (const one of [FIRST, OTHER, SECOND]) store.append(plainOf(one));
      await store.close();
      const again = await place.open(true);
      const fresh = exchange({ body: { json: { a: 1 }, spaced: true }, answer: { json: 'fresh' } });
      again.append(plainOf(fresh));
      await again.close();
      expect(await read(await place.open())).toEqual([fresh, OTHER]);
    });

    it('keeps the time of recording of what has not changed', async () => {
      const place = await newPlace();
      const store = await place.open();
      for (const one of [FIRST, OTHER, SECOND]) store.append(plainOf(one));
      await store.close();
      const again = await place.open(true);
      const now = { recordedAt: '2027-01-01T00:00:00.000Z', durationMs: 99 };
      const changed = exchange({ body: { json: { a: 2 } }, answer: { json: 'changed' } });
      again.append(plainOf(changed));
      again.append(plainOf({ ...FIRST, meta: now }));
      again.append(plainOf({ ...SECOND, meta: now }));
      await again.close();
      expect(await read(await place.open())).toEqual([FIRST, changed, SECOND]);
    });

    it('replaces and keeps what was recorded in each session by itself', async () => {
      const place = await newPlace();
      const of = (session: string | undefined, json: number | string, second = 0) =>
        exchange({
          ...(session !== undefined && { session }),
          ...{ body: { json: { a: 1 } }, answer: { json } },
          recordedAt: `2026-01-01T00:00:0${second}.000Z`,
        });
      const all = [of('one', 1), of(undefined, 2), of('two', 3), of('one', 4)];
      const run = (exchanges: readonly Exchange[]) =>
        runIn(
          place,
          (store) => {
            for (const one of exchanges) store.append(plainOf(one));
          },
          true,
        );
      expect(await run(all)).toEqual(all);
      // In another order, and later.
      expect(await run([of('two', 3, 1), of('one', 1, 2), of(undefined, 2, 3), of('one', 4, 4)])).toEqual(
        all,
      );
      const fresh = of('one', 'fresh', 5);
      expect(await run([fresh])).toEqual([fresh, ...all.slice(1, 3)]);
    });
  });
}

/** Does something with a store as a run of its own. @returns what it has found then, which is there when it is opened again */
async function runIn(
  place: StorePlace,
  work: (store: RecordingStore) => void,
  replaces: boolean,
): Promise<readonly Exchange[]> {
  const store = await place.open(replaces);
  work(store);
  await store.close();
  const again = await place.open();
  const found = await read(again);
  await again.close();
  return found;
}
