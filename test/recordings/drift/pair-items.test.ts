import { expect, it } from 'vitest';
import { pairItems } from '../../../src/recordings/drift/pair-items.ts';

const items = (...ids: (number | string)[]) => ids.map((id) => ({ id }));

it('pairs an id with the same one of another type', () => {
  expect(pairItems(items(1, 2, 3), items('1', 2, 'x'))).toEqual({
    pairs: [
      [0, 0],
      [1, 1],
    ],
    removed: [2],
    added: [2],
    isReordered: false,
  });
  expect(pairItems(items('7', 'a'), items('a', 7))).toMatchObject({ removed: [], added: [] });
});

it.each([
  { was: [1], is: [1, '1'], pairs: [[0, 0]], removed: [], added: [1] },
  { was: [1], is: ['1', 1], pairs: [[0, 1]], removed: [], added: [0] },
  { was: [1, '1'], is: ['1'], pairs: [[1, 0]], removed: [0], added: [] },
  { was: ['1', 1], is: [1, 2], pairs: [[1, 0]], removed: [0], added: [1] },
  {
    was: [1, '1'],
    is: ['1', 1],
    pairs: [
      [0, 1],
      [1, 0],
    ],
    removed: [],
    added: [],
  },
])('takes the same type where there are both: $was, $is', ({ was, is, pairs, removed, added }) => {
  expect(pairItems(items(...was), items(...is))).toMatchObject({ pairs, removed, added });
});

it.each(['01', '1.0', ' 1', '', '0x1'])('takes no other text for a number: %j', (text) => {
  const { pairs, removed, added } = pairItems(items(1, 0, 2), items(text, 2));
  expect([pairs, removed, added]).toEqual([[[2, 1]], [0, 1], [0]]);
  expect(pairItems(items(text, 2), items(1, 0, 2))).toMatchObject({
    pairs: [[1, 2]],
    removed: [0],
  });
});
