import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../src/model/exchange.ts';
import type { RecordingStore } from '../../src/recordings/store/recording-store.ts';
import { exchange, PROJECT_PATH, plainOf } from './exchanges.ts';
import { find, turn } from './recordings.ts';

/** A place for one recording, empty at first; each `open` is a new process as it were. */
export interface StorePlace {
  /** @param replaces the first answer to each request drops what there was before */
  open(replaces?: boolean): Promise<RecordingStore>;
  /** What would be left here if the process that has it open were killed now. */
  killed(): Promise<StorePlace>;
}

const NO_RESPONSE = { status: 0, headers: [], body: Buffer.alloc(0) };

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

/** The promises of the port, which every store keeps. */
export function describeStore(name: string, newPlace: () => Promise<StorePlace>): void {
  describe(`${name} keeps the promises of a store`, () => {
    it('is empty until something is appended', async () => {
      const store = await (await newPlace()).open();
      expect(store.isEmpty()).toBe(true);
      expect(find(store)).toEqual([]);
      store.append(plainOf(FIRST));
      expect(store.isEmpty()).toBe(false);
      await store.close();
    });

    it('finds what was appended at once, oldest first, and only for its method and path', async () => {
      const store = await (await newPlace()).open();
      store.append(plainOf(FIRST));
      store.append(plainOf(SECOND));
      expect(find(store)).toEqual([FIRST, SECOND]);
      expect(find(store, 'GET')).toEqual([]);
      expect(find(store, 'PATCH', `${PROJECT_PATH}/`)).toEqual([]);
      await store.close();
    });

    it('gives the same list as long as exchanges are only added, and another where one is replaced', async () => {
      const place = await newPlace();
      const first = await place.open();
      first.append(plainOf(FIRST));
      const all = first.exchanges('PATCH', PROJECT_PATH).all;
      first.append(plainOf(SECOND));
      expect(first.exchanges('PATCH', PROJECT_PATH).all).toBe(all);
      expect(all).toHaveLength(2);
      await first.close();
      const store = await place.open(true);
      const before = store.exchanges('PATCH', PROJECT_PATH).all;
      store.append(plainOf(exchange({ body: { json: { a: 1 } }, answer: { json: 9 } })));
      expect(before.map(({ exchange }) => exchange)).toEqual([FIRST, SECOND]);
      expect(store.exchanges('PATCH', PROJECT_PATH).all).toHaveLength(1);
      await store.close();
    });

    it('keeps what failed behind what was answered, once, until it is answered again', async () => {
      const place = await newPlace();
      const { request, response, meta } = FIRST;
      const failed: Exchange = { request, failure: { kind: 'timeout' }, meta };
      const run = (work: (store: RecordingStore) => void) => runIn(place, work, true);
      const plain = plainOf(FIRST);
      const plainFailed = { ...plain, response: NO_RESPONSE, failure: 'timeout' as const };
      expect(await run((store) => store.append(plain))).toEqual([FIRST]);
      const fail = (store: RecordingStore) => store.append(plainFailed);
      expect(await run(fail)).toEqual([FIRST, failed]);
      expect(await run(fail)).toEqual([FIRST, failed]);
      const retried = await run((store) => {
        fail(store);
        store.append(plainOf(SECOND));
      });
      expect(retried).toEqual([failed, SECOND]);
      expect(await run((store) => store.append(plain))).toEqual([{ request, response, meta }]);
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
      const [found] = find(store);
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
      expect(find(again)).toEqual([FIRST, SECOND]);
      await again.close();
      expect(find(await place.open())).toEqual([FIRST, SECOND]);
    });

    it('has whatever was appended when its process is killed, once, however often it is', async () => {
      const place = await newPlace();
      const store = await place.open();
      store.append(plainOf(FIRST));
      await store.flush();
      store.append(plainOf(SECOND));
      await turn();
      const atOnce = await (await place.killed()).open();
      expect(find(atOnce)).toEqual([FIRST, SECOND]);
      const flushed = store.flush();
      store.append(plainOf(OTHER));
      await turn();
      const left = await place.killed();
      await flushed;
      await store.close();
      for (let start = 0; start < 3; start++) {
        const again = await left.open();
        expect(find(again)).toEqual([FIRST, SECOND, OTHER]);
        await again.close();
      }
      await atOnce.close();
    });

    it('drops at the next start what a killed process had replaced', async () => {
      const place = await newPlace();
      const store = await place.open();
      for (const one of [FIRST, OTHER, SECOND]) store.append(plainOf(one));
      await store.close();
      const again = await place.open(true);
      const fresh = exchange({ body: { json: { a: 1 } }, answer: { json: 'fresh' } });
      again.append(plainOf(fresh));
      await turn();
      const left = await (await place.killed()).open();
      expect(find(left)).toEqual([fresh, OTHER]);
      await left.close();
      await again.close();
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
      expect(find(again)).toHaveLength(41);
      await again.close();
    });

    it('keeps what is appended in the middle of a write', async () => {
      const place = await newPlace();
      const store = await place.open();
      for (let i = 0; i < 10; i++) {
        store.append(plainOf(exchange({ answer: { json: i } })));
        find(store);
        const flushed = store.flush();
        await new Promise(setImmediate);
        store.append(plainOf(exchange({ answer: { json: `${i} later` } })));
        await flushed;
        await store.flush();
        const left = await (await place.killed()).open();
        expect(find(left)).toHaveLength(2 * (i + 1));
        await left.close();
      }
      await store.close();
    });

    it('finds what is not written yet however much else is read', async () => {
      const store = await (await newPlace()).open();
      find(store);
      store.append(plainOf(FIRST));
      find(store);
      for (let i = 0; i < 10; i++) find(store, 'GET', `/${i}`);
      expect(find(store)).toEqual([FIRST]);
      await store.close();
    });

    it('replaces what was kept for the same request, and no other', async () => {
      const place = await newPlace();
      const store = await place.open();
      for (const one of [FIRST, OTHER, SECOND]) store.append(plainOf(one));
      await store.close();
      const again = await place.open(true);
      const fresh = exchange({ body: { json: { a: 1 }, style: { colon: ': ' } }, answer: { json: 'fresh' } });
      again.append(plainOf(fresh));
      expect(find(again)).toEqual([fresh, OTHER]);
      await again.close();
      expect(find(await place.open())).toEqual([fresh, OTHER]);
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
      expect(find(again)).toEqual([FIRST, changed, SECOND]);
      await again.close();
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

    it('are named with what is below them, whether they are in their files yet or not', async () => {
      const place = await newPlace();
      const store = await place.open();
      store.append(plainOf(exchange({ path: '/a/b' })));
      await store.flush();
      store.append(plainOf(exchange({ method: 'GET', path: '/a/b' })));
      store.append(plainOf(exchange({ path: '/a/b/c/d' })));
      const below = (path: string) => {
        const { methods, segments } = store.below(path);
        return [[...methods].sort(), [...segments].sort()];
      };
      expect(below('')).toEqual([[], ['a']]);
      expect(below('/a/b')).toEqual([['GET', 'PATCH'], ['c']]);
      await store.flush();
      expect(below('/a/b')).toEqual([['GET', 'PATCH'], ['c']]);
      expect(below('/b')).toEqual([[], []]);
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
  const found = find(store);
  await store.close();
  const again = await place.open();
  expect(find(again)).toEqual(found);
  await again.close();
  return found;
}
