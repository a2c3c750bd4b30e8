import { expect, it } from 'vitest';
import { openStore } from '../../../src/recordings/store/open-store.ts';
import type { StoredExchange } from '../../../src/recordings/store/stored-exchange.ts';
import { Served } from '../../../src/upstreams/replay/served.ts';
import { exchange, plainOf } from '../../support/exchanges.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const A = { id: 1, name: 'a' };
const B = { id: 2, name: 'b' };

/** `served`, and exchanges at `/a b` and `/a` that can be. */
async function recorded(count = 2) {
  const store = await openStore(temporaryFolder(), 'demo', { writable: true });
  for (let i = 0; i < count; i++) store.append(plainOf(exchange({ path: '/a b', query: `i=${i}` })));
  store.append(plainOf(exchange({ path: '/a' })));
  const of = (path: string) => store.exchanges('PATCH', path).all;
  const [other] = of('/a') as [StoredExchange];
  return { store, served: new Served(store), spaced: of('/a b') as StoredExchange[], other };
}

const timesIn = (served: Served, session: typeof A) =>
  [...served.to(session).exchanges].map(({ path, index, times }) => `${path} ${index}: ${times}`);

it('knows exchanges and their places in their files', async () => {
  const { store, served, spaced, other } = await recorded();
  const [first, second] = spaced as [StoredExchange, StoredExchange];
  served.add(A, second);
  served.add(A, second);
  served.add(A, first);
  served.add(B, other);
  expect([first, second, other].map((one) => served.has(one))).toEqual([true, true, true]);
  expect(timesIn(served, A)).toEqual(['/a b 1: 2', '/a b 0: 1']);
  expect(timesIn(served, B)).toEqual(['/a 0: 1']);
  expect(served.run(new Date(0), new Date(1))).toEqual({
    startedAt: '1970-01-01T00:00:00.000Z',
    endedAt: '1970-01-01T00:00:00.001Z',
    served: [
      { method: 'PATCH', path: '/a b', indexes: [0, 1] },
      { method: 'PATCH', path: '/a', indexes: [0] },
    ],
  });
  await store.close();
});

it('forgets a session, not the run', async () => {
  const { store, served, other } = await recorded();
  served.add(A, other);
  served.end(A);
  expect(served.to(A)).toMatchObject({ count: 0, isCut: false });
  expect(served.has(other)).toBe(true);
  await store.close();
});

it('lists no more of a session than it keeps track of, and says so', { tags: 'slow' }, async () => {
  const { store, served, spaced } = await recorded(10_001);
  for (const one of spaced.slice(0, 10_000)) served.add(A, one);
  expect(served.to(A)).toMatchObject({ count: 10_000, isCut: false });
  served.add(A, spaced[10_000] as StoredExchange);
  expect(served.to(A)).toMatchObject({ count: 10_001, isCut: true });
  expect([...served.to(A).exchanges]).toHaveLength(10_000);
  await store.close();
});
