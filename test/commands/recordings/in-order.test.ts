import { expect, it } from 'vitest';
import { inOrder } from '../../../src/commands/recordings/in-order.ts';
import type { RecordingStore } from '../../../src/recordings/store.ts';
import { type ExchangeParts, exchange } from '../../support/exchanges.ts';

const at = (second: number, parts: ExchangeParts = {}) =>
  exchange({ ...parts, recordedAt: new Date(second * 1000).toISOString() });

/** A store that holds these, and counts how often each file was read. */
function storeOf(files: Record<string, ReturnType<typeof exchange>[]>) {
  const reads: string[] = [];
  const store = {
    async *paths() {
      for (const path of Object.keys(files)) yield { method: 'PATCH', path };
    },
    find: async (_: string, path: string) => {
      reads.push(path);
      return files[path] ?? [];
    },
  } as unknown as RecordingStore;
  return { store, reads };
}

async function order(store: RecordingStore) {
  const found: [number, string][] = [];
  for await (const { number, exchange: one } of inOrder(store, () => true))
    found.push([number, `${one.request.path} ${one.request.query.slice(0, 3)}`]);
  return found;
}

it('is that of time, and in a file its own', async () => {
  // What replaced the first of /a is newer than the second, which must stay behind it: a sequence is replayed in order.
  const { store, reads } = storeOf({
    '/b': [at(2, { path: '/b', query: 'b1' })],
    '/a': [
      at(3, { path: '/a', query: 'a1' }),
      at(1, { path: '/a', query: 'a2' }),
      at(9, { path: '/a', query: 'a3' }),
    ],
  });
  expect(await order(store)).toEqual([
    [1, '/b b1'],
    [2, '/a a1'],
    [3, '/a a2'],
    [4, '/a a3'],
  ]);
  expect(reads).toEqual(['/a', '/b']);
});

it('is the same where not all fits into memory, with few readings of each file', async () => {
  const long = 'x'.repeat(3_000_000);
  const files: Record<string, ReturnType<typeof exchange>[]> = { '/a': [], '/b': [] };
  for (let i = 0; i < 8; i++)
    for (const path of ['/a', '/b'])
      files[path]?.push(at(i, { path, query: `${i}`, answer: { text: long } }));
  const { store, reads } = storeOf(files);
  const found = await order(store);
  expect(found.map(([number]) => number)).toEqual(Array.from({ length: 16 }, (_, i) => i + 1));
  expect(found.slice(0, 4).map(([, what]) => what)).toEqual(['/a 0', '/b 0', '/a 1', '/b 1']);
  expect(reads.length).toBeGreaterThan(2);
  expect(reads.length).toBeLessThanOrEqual(2 + 2 * 3);
});
