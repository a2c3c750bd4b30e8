import { expect, it } from 'vitest';
import { risingTimes } from '../../src/upstreams/rising-times.ts';

const told = (...times: number[]) => times.map(risingTimes());

it('are as they are where they rise', () => {
  expect(told(1000, 1001, 1005)).toEqual([1000, 1001, 1005]);
});

it('tell those of one millisecond apart', () => {
  expect(told(1000, 1000, 1000, 1001, 1002, 1010)).toEqual([1000, 1001, 1002, 1003, 1004, 1010]);
});

it('tell what began a moment before, and ended after', () => {
  expect(told(1000, 1020, 1001)).toEqual([1000, 1020, 1021]);
});

it('leave what began long before where it is', () => {
  expect(told(1000, 2000, 1001, 2000)).toEqual([1000, 2000, 1001, 2001]);
});

it('never run far ahead, and never fall back', () => {
  const times = told(...Array.from({ length: 5000 }, (_, index) => 1000 + Math.floor(index / 10)));
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(times.at(-1)).toBe(1499 + 50);
});
