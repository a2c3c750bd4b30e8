import { describe, expect, it } from 'vitest';
import type { RecordingStore } from '../../src/recordings/store.ts';
import { exchange, PROJECT_PATH, plainOf } from './exchanges.ts';

/** A place for one recording, empty at first; each `open` is a new process as it were. */
export interface StorePlace {
  open(): Promise<RecordingStore>;
  /** What would be left here if the process that has it open were killed now. */
  killed(): Promise<StorePlace>;
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

/** The promises of the port, which every store keeps. */
export function describeStore(name: string, newPlace: () => Promise<StorePlace>): void {
  describe(`${name} keeps the promises of a store`, () => {
    it('is empty until something is appended', async () => {
      const store = await (await newPlace()).open();
      expect(await store.isEmpty()).toBe(true);
      expect(await store.find('PATCH', PROJECT_PATH)).toEqual([]);
      store.append(plainOf(FIRST));
      expect(await store.isEmpty()).toBe(false);
      await store.close();
    });

    it('finds what was appended at once, oldest first, and only for its method and path', async () => {
      const store = await (await newPlace()).open();
      store.append(plainOf(FIRST));
      store.append(plainOf(SECOND));
      expect(await store.find('PATCH', PROJECT_PATH)).toEqual([FIRST, SECOND]);
      expect(await store.find('GET', PROJECT_PATH)).toEqual([]);
      expect(await store.find('PATCH', `${PROJECT_PATH}/`)).toEqual([]);
      await store.close();
    });

    it('gives the same list as long as nothing is appended, and never changes one that it gave', async () => {
      const store = await (await newPlace()).open();
      store.append(plainOf(FIRST));
      const before = await store.find('PATCH', PROJECT_PATH);
      await store.flush();
      expect(await store.find('PATCH', PROJECT_PATH)).toBe(before);
      store.append(plainOf(SECOND));
      expect(await store.find('PATCH', PROJECT_PATH)).not.toBe(before);
      store.append(plainOf(exchange({ body: { json: { a: 1 } }, answer: { json: 9 } })), true);
      await store.find('PATCH', PROJECT_PATH);
      expect(before).toEqual([FIRST]);
      await store.close();
    });

    it('has everything after it was closed and opened again', async () => {
      const place = await newPlace();
      const store = await place.open();
      store.append(plainOf(FIRST));
      await store.close();
      const again = await place.open();
      again.append(plainOf(SECOND));
      expect(await again.find('PATCH', PROJECT_PATH)).toEqual([FIRST, SECOND]);
      await again.close();
      expect(await (await place.open()).find('PATCH', PROJECT_PATH)).toEqual([FIRST, SECOND]);
    });

    it('has whatever was appended when its process is killed, once, however often it is', async () => {
      const place = await newPlace();
      const store = await place.open();
      store.append(plainOf(FIRST));
      await store.flush();
      store.append(plainOf(SECOND));
      const atOnce = await (await place.killed()).open();
      expect(await atOnce.find('PATCH', PROJECT_PATH)).toEqual([FIRST, SECOND]);
      const flushed = store.flush();
      store.append(plainOf(OTHER), true);
      const left = await place.killed();
      await flushed;
      await store.close();
      for (let start = 0; start < 3; start++) {
        const again = await left.open();
        expect(await again.find('PATCH', PROJECT_PATH)).toEqual([FIRST, SECOND, OTHER]);
        await again.close();
      }
      await atOnce.close();
    });

    it('drops at the next start what a killed process had replaced', async () => {
      const place = await newPlace();
      const store = await place.open();
      for (const one of [FIRST, OTHER, SECOND]) store.append(plainOf(one));
      await store.close();
      const again = await place.open();
      const fresh = exchange({ body: { json: { a: 1 } }, answer: { json: 'fresh' } });
      again.append(plainOf(fresh), true);
      const left = await (await place.killed()).open();
      expect(await left.find('PATCH', PROJECT_PATH)).toEqual([fresh, OTHER]);
      await left.close();
      await again.close();
    });

    it('keeps what is appended while it is written or read', async () => {
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
      const reading = again.find('PATCH', PROJECT_PATH);
      again.append(plainOf(FIRST));
      await reading;
      expect(await again.find('PATCH', PROJECT_PATH)).toHaveLength(41);
      await again.close();
    });

    it('keeps what is appended in the middle of a write', async () => {
      const place = await newPlace();
      const store = await place.open();
      for (let i = 0; i < 10; i++) {
        store.append(plainOf(exchange({ answer: { json: i } })));
        await store.find('PATCH', PROJECT_PATH);
        const flushed = store.flush();
        await new Promise(setImmediate);
        store.append(plainOf(exchange({ answer: { json: `${i} later` } })));
        await flushed;
        await store.flush();
        expect(await (await place.open()).find('PATCH', PROJECT_PATH)).toHaveLength(2 * (i + 1));
      }
      await store.close();
    });

    it('finds what is not written yet however much else is read', async () => {
      const store = await (await newPlace()).open();
      await store.find('PATCH', PROJECT_PATH);
      store.append(plainOf(FIRST));
      await store.find('PATCH', PROJECT_PATH);
      for (let i = 0; i < 10; i++) await store.find('GET', `/${i}`);
      expect(await store.find('PATCH', PROJECT_PATH)).toEqual([FIRST]);
      await store.close();
    });

    it('replaces what was kept for the same request, and no other', async () => {
      const place = await newPlace();
      const store = await place.open();
      for (const one of [FIRST, OTHER, SECOND]) store.append(plainOf(one));
      await store.close();
      const again = await place.open();
      const fresh = exchange({ body: { text: '{"a": 1}' }, answer: { json: 'fresh' } });
      again.append(plainOf(fresh), true);
      expect(await again.find('PATCH', PROJECT_PATH)).toEqual([fresh, OTHER]);
      await again.close();
      expect(await (await place.open()).find('PATCH', PROJECT_PATH)).toEqual([fresh, OTHER]);
    });

    it('keeps the time of recording of what has not changed', async () => {
      const place = await newPlace();
      const store = await place.open();
      for (const one of [FIRST, OTHER, SECOND]) store.append(plainOf(one));
      await store.close();
      const again = await place.open();
      const now = { recordedAt: '2027-01-01T00:00:00.000Z', durationMs: 99 };
      const changed = exchange({ body: { json: { a: 2 } }, answer: { json: 'changed' } });
      again.append(plainOf(changed), true);
      again.append(plainOf({ ...FIRST, meta: now }), true);
      again.append(plainOf({ ...SECOND, meta: now }));
      expect(await again.find('PATCH', PROJECT_PATH)).toEqual([FIRST, changed, SECOND]);
      await again.close();
    });

    it('lists every method and path once', async () => {
      const place = await newPlace();
      const store = await place.open();
      const paths = ['/a', '/a/', '/A', '/a/b', `/${'long/'.repeat(200)}`];
      for (const path of paths) store.append(plainOf(exchange({ path, method: 'PATCH' })));
      store.append(plainOf(exchange({ path: '/a', method: 'GET' })));
      const all = [...paths.map((path) => `PATCH ${path}`), 'GET /a'].sort();
      const list = async (from: RecordingStore) => {
        const found: string[] = [];
        for await (const { method, path } of from.paths()) found.push(`${method} ${path}`);
        return found.sort();
      };
      expect(await list(store)).toEqual(all);
      await store.flush();
      store.append(plainOf(exchange({ path: '/a' })));
      expect(await list(store)).toEqual(all);
      await store.close();
      expect(await list(await place.open())).toEqual(all);
    });
  });
}
