import { expect, it } from 'vitest';
import { SentRequest } from '../../../src/recordings/matching/sent-request.ts';
import { lookUp } from '../../../src/upstreams/replay/look-up.ts';
import { exchange, listed, PROJECT_PATH } from '../../support/exchanges.ts';

function sent(query: string) {
  const head = { method: 'PATCH', url: `${PROJECT_PATH}?${query}`, headers: [] };
  return SentRequest.of(head, Buffer.alloc(0), undefined);
}

it.each([3, 500])('finds what was recorded for a request, and its places among %i', (count) => {
  const exchanges = Array.from({ length: count }, (_, i) => exchange({ query: `i=${i % (count - 1)}` }));
  const recorded = listed(exchanges);
  const found = lookUp(recorded, sent('i=0'), '');
  expect(found?.length).toBe(2);
  expect([0, 1].map((place) => found?.indexOf(place))).toEqual([0, count - 1]);
  expect([0, 1].map((place) => found?.at(place))).toEqual([exchanges[0], exchanges[count - 1]]);
  expect(lookUp(recorded, sent('i=-1'), '')).toBeUndefined();
  expect(lookUp(listed([]), sent('i=0'), '')).toBeUndefined();
});

it('gives a session what was recorded in it, and says where more of it is to be recorded', () => {
  const recorded = listed(
    ['one', '', 'two', 'one'].map((session) => exchange({ query: 'i=0', ...(session && { session }) })),
  );
  const found = (session: string) => {
    const one = lookUp(recorded, sent('i=0'), session);
    const indexes = Array.from({ length: one?.length ?? 0 }, (_, place) => one?.indexOf(place));
    return [indexes, one?.isAll, one?.sessionToRecord()];
  };
  expect(found('one')).toEqual([[0, 3], false, 'one']);
  expect(found('two')).toEqual([[2], false, 'two']);
  expect(found('')).toEqual([[1], false, '']);
  expect(found('other')).toEqual([[1], false, '']);
  const key = (session: string) => lookUp(recorded, sent('i=0'), session)?.key;
  expect(key('one')).toBe(key('two'));
});

it('gives all where nothing was recorded in the session or in none', () => {
  const recorded = listed(['one', 'two'].map((session) => exchange({ query: 'i=0', session })));
  for (const session of ['', 'other']) {
    const found = lookUp(recorded, sent('i=0'), session);
    expect([found?.length, found?.isAll, found?.sessionToRecord()]).toEqual([2, true, session]);
  }
});
