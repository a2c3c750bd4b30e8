import { expect, it } from 'vitest';
import { Served } from '../../../src/upstreams/replay/served.ts';

const A = { id: 1, name: 'a' };
const B = { id: 2, name: 'b' };
const ONE = { method: 'GET', path: '/a b', recordedAt: '2026-11-20T12:00:00.000Z' };
const OTHER = { ...ONE, path: '/a' };

const timesIn = (served: Served, session: typeof A) =>
  [...served.to(session).exchanges].map(({ path, index, times }) => `${path} ${index}: ${times}`);

it('knows exchanges by method, path and place', () => {
  const served = new Served();
  served.add(A, { ...ONE, index: 1 });
  served.add(A, { ...ONE, index: 0 });
  served.add(B, { ...OTHER, index: 0 });
  expect(served.has('GET', '/a b', 1)).toBe(true);
  expect(served.has('GET', '/a b', 2)).toBe(false);
  expect(served.has('PUT', '/a b', 1)).toBe(false);
  expect(served.run(new Date(0), new Date(1))).toEqual({
    startedAt: '1970-01-01T00:00:00.000Z',
    endedAt: '1970-01-01T00:00:00.001Z',
    served: [
      { method: 'GET', path: '/a b', indexes: [0, 1] },
      { method: 'GET', path: '/a', indexes: [0] },
    ],
  });
});

it('takes no more than it can keep track of, and says so', () => {
  const served = new Served(2);
  for (const session of [A, A, B]) served.add(session, { ...ONE, index: 0 });
  expect(served.isCut).toBe(false);
  served.add(A, { ...ONE, index: 1 });
  served.add(A, { ...ONE, index: 2 });
  expect(served.isCut).toBe(true);
  expect(served.has('GET', '/a b', 1)).toBe(true);
  expect(served.has('GET', '/a b', 2)).toBe(false);
  expect(served.run(new Date(0), new Date(1)).isCut).toBe(true);
  expect(timesIn(served, A)).toEqual(['/a b 0: 2']);
  expect(served.to(A)).toMatchObject({ count: 4, isCut: true });
  expect(served.to(B)).toMatchObject({ count: 1, isCut: false });
  served.end(A);
  served.add(B, { ...OTHER, index: 0 });
  expect(timesIn(served, B)).toEqual(['/a b 0: 1', '/a 0: 1']);
});
