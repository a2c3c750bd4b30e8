import { describe, expect, it } from 'vitest';
import type { KnownStore } from '../../src/guard/known-store.ts';
import type { JsonObject } from '../../src/json/json.ts';
import type { RecordName } from '../../src/model/record.ts';

/** Where it is kept what is known of one service, nothing at first; each `open` is a new process as it were. */
export interface KnownPlace {
  open(options?: { hide?: (record: JsonObject) => JsonObject }): Promise<KnownStore>;
}

export const project = (id: number | string, account = 'current', base = '/api/v2'): RecordName => ({
  base,
  account,
  kind: 'project',
  id: String(id),
});

export const holding = (...ids: number[]): JsonObject => ({
  name: 'Checkout',
  languages: ['GO'],
  environments: ids.map((id) => ({ id, name: `E${id}`, isEnabled: id === 1 })),
});

/** What the service took. */
export function learn({ state }: KnownStore, name: RecordName, record: JsonObject): void {
  state.send(name, record).accepted();
}

const entriesOf = ({ state }: KnownStore) =>
  [...state.entries()].sort((a, b) => JSON.stringify(a.name).localeCompare(JSON.stringify(b.name)));

/** The promises of the port, which every store keeps. */
export function describeKnownStore(name: string, newPlace: () => Promise<KnownPlace>): void {
  describe(`${name} keeps the promises of a store of what is known`, { tags: 'slow' }, () => {
    /** What is known after a restart. */
    const restarted = async (place: KnownPlace, store: KnownStore) => {
      await store.close();
      return place.open();
    };

    it('knows nothing at first', async () => {
      const store = await (await newPlace()).open();
      expect(entriesOf(store)).toEqual([]);
      expect(store.trouble).toBeUndefined();
      await store.close();
    });

    it('knows after a restart what was learnt: whole, in part, and what is only possible', async () => {
      const place = await newPlace();
      const first = await place.open();
      learn(first, project(42), holding(1, 2));
      learn(first, project(42, '196', ''), holding(7));
      learn(first, project(43), holding(1, 2));
      first.state.send(project(43), holding(1, 3)).unclear();
      first.state.doubt(project(42, '196', ''));
      const entries = entriesOf(first);
      const second = await restarted(place, first);
      expect(entriesOf(second)).toEqual(entries);
      expect(second.state.of(project(43))?.record.environments).toMatchObject([
        { id: 2, possibleSince: expect.any(String) },
        { id: 1 },
        { id: 3, possibleSince: expect.any(String) },
      ]);
      await second.close();
    });

    it('knows all kinds of record, with their members in order', async () => {
      const place = await newPlace();
      const first = await place.open();
      const feature: RecordName = { base: '', account: 'current', kind: 'feature', id: '5' };
      const variables = [{ id: 3, variableName: 'a', dataType: 'BOOLEAN' }];
      first.state.read(feature, false)({ record: { name: 'f', variables }, isPart: false, ids: new Set() });
      const text = JSON.stringify(first.state.of(feature));
      const second = await restarted(place, first);
      expect(JSON.stringify(second.state.of(feature))).toBe(text);
      await second.close();
    });

    it('forgets what was deleted', async () => {
      const place = await newPlace();
      const first = await place.open();
      learn(first, project(42), holding(1));
      learn(first, project(43), holding(1));
      const second = await restarted(place, first);
      second.state.forget(project(42));
      const third = await restarted(place, second);
      expect(third.state.of(project(42))).toBeUndefined();
      expect(third.state.of(project(43))).toBeDefined();
      await third.close();
    });

    it.each(['', 'a\0b', '\ud800', '"\\', '€ 😀', "'; DROP TABLE x --"])(
      'keeps the name %j',
      async (text) => {
        const place = await newPlace();
        const first = await place.open();
        learn(first, project(42), { ...holding(1), name: text });
        const second = await restarted(place, first);
        expect(second.state.of(project(42))?.record.name).toBe(text);
        await second.close();
      },
    );

    it('keeps nothing that is to be hidden', async () => {
      const place = await newPlace();
      const first = await place.open({ hide: (record) => ({ ...record, name: '[redacted]' }) });
      learn(first, project(42), holding(1));
      expect(first.state.of(project(42))?.record.name).toBe('Checkout');
      const second = await restarted(place, first);
      expect(second.state.of(project(42))?.record).toEqual({ ...holding(1), name: '[redacted]' });
      await second.close();
    });
  });
}
