import { expect, it } from 'vitest';
import type { Exchange } from '../../../src/model/exchange.ts';
import { DEFAULT_RULES } from '../../../src/recordings/match-rules.ts';
import { openStore } from '../../../src/recordings/store.ts';
import { Served } from '../../../src/upstreams/replay/served.ts';
import { findUnserved } from '../../../src/upstreams/replay/unserved.ts';
import { exchange, plainOf } from '../../support/exchanges.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const SESSION = { id: 1, name: '' };
const RECORDED_AT = '2026-11-20T12:00:00.000Z';
const LATER = Date.parse(RECORDED_AT) + 1;

/** @param path of which the first exchange was served */
async function unserved(exchanges: Exchange[], path?: string, since = LATER) {
  const store = await openStore(temporaryFolder(), 'demo', { writable: true });
  for (const one of exchanges) store.append(plainOf(one));
  const served = new Served(store);
  const [first] = path === undefined ? [] : store.exchanges('PATCH', path).all;
  if (first) served.add(SESSION, first);
  const found = findUnserved(store, served, since, DEFAULT_RULES);
  await store.close();
  return found;
}

it('lists them by path, with their places in sequences', async () => {
  const at = (path: string, query = '') => exchange({ path, query });
  const all = [at('/b'), at('/a', 'x=1'), at('/b', 'y=1'), at('/b'), at('/b')];
  const found = await unserved(all, '/b');
  expect(found).toMatchObject({ recording: 'demo', total: 5, count: 4 });
  expect(found.exchanges.map(({ path, query, index, place }) => [path, query, index, place])).toEqual([
    ['/a', 'x=1', 0, undefined],
    ['/b', 'y=1', 1, undefined],
    ['/b', '', 2, '2 of 3'],
    ['/b', '', 3, '3 of 3'],
  ]);
});

it('names their sessions, and counts the places within these', async () => {
  const all = ['one', '', 'two', 'one'].map((session) =>
    exchange({ path: '/b', ...(session && { session }) }),
  );
  const { exchanges } = await unserved(all);
  expect(exchanges.map(({ session, place }) => [session, place])).toEqual([
    ['one', '1 of 2'],
    [undefined, undefined],
    ['two', undefined],
    ['one', '2 of 2'],
  ]);
});

it('does not count what was recorded meanwhile, unless it was served', async () => {
  const all = [exchange({ path: '/a' }), exchange({ path: '/b' })];
  expect(await unserved(all, '/b', Date.parse(RECORDED_AT))).toMatchObject({ total: 1, count: 0 });
});

it('lists a thousand at most, and counts all', { tags: 'slow' }, async () => {
  const all = Array.from({ length: 1005 }, (_, i) =>
    exchange({ path: i < 600 ? '/a' : '/b', query: `i=${i}` }),
  );
  const found = await unserved(all);
  expect(found).toMatchObject({ total: 1005, count: 1005 });
  expect(found.exchanges).toHaveLength(1000);
});
