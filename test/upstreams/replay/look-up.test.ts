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
  const found = lookUp(recorded, sent('i=0'));
  expect(found?.length).toBe(2);
  expect([0, 1].map((place) => found?.indexOf(place))).toEqual([0, count - 1]);
  expect([0, 1].map((place) => found?.at(place))).toEqual([exchanges[0], exchanges[count - 1]]);
  expect(lookUp(recorded, sent('i=-1'))).toBeUndefined();
  expect(lookUp(listed([]), sent('i=0'))).toBeUndefined();
});
