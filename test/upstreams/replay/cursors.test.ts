import { expect, it } from 'vitest';
import { Cursors } from '../../../src/upstreams/replay/cursors.ts';

const A = { id: 1, name: 'a' };
const B = { id: 12, name: 'b' };

it('begin at 0 and are moved, in each session by itself', () => {
  const cursors = new Cursors();
  expect(cursors.at(A, 'x')).toBe(0);
  cursors.move(A, '2 x', 3);
  cursors.move(B, 'x', 1);
  expect([cursors.at(A, '2 x'), cursors.at(B, 'x'), cursors.at(A, 'x'), cursors.at(B, '2 x')]).toEqual([
    3, 1, 0, 0,
  ]);
});

it('are forgotten where there are too many, the longest unmoved one first', () => {
  const cursors = new Cursors(2);
  cursors.move(A, 'x', 1);
  cursors.move(A, 'y', 1);
  cursors.move(A, 'x', 2);
  cursors.move(B, 'z', 1);
  expect([cursors.at(A, 'x'), cursors.at(A, 'y'), cursors.at(B, 'z')]).toEqual([2, 0, 1]);
});
