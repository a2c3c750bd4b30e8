import { expect, test } from 'vitest';
import { Drops } from '../../src/state/drops.ts';

test('what was dropped is remembered; of what is too much, that it may have been', () => {
  const drops = new Drops();
  expect(drops.last('a')).toBe(0);
  drops.note('a', 1);
  drops.note('b', 2);
  drops.note('a', 3);
  expect([drops.last('a'), drops.last('b'), drops.last('c')]).toEqual([3, 2, 0]);
  for (let time = 4; time < 1003; time++) drops.note(`${time}`, time);
  // `b` was the oldest: it, and whatever never was dropped, may have been until then.
  expect([drops.last('a'), drops.last('b'), drops.last('c'), drops.last('1002')]).toEqual([3, 2, 2, 1002]);
});
