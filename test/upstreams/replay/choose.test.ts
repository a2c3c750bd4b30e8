import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../../src/model/exchange.ts';
import { choose } from '../../../src/upstreams/replay/choose.ts';
import { exchange } from '../../support/exchanges.ts';

/** What is chosen of a sequence in which `x` cannot be an answer: a place, or a reason and whose it is. */
function chosen(sequence: string, next: number, isStrict: boolean) {
  const exchanges = [...sequence].map((_, i) => exchange({ status: 200 + i }));
  const whyNot = (one: (typeof exchanges)[0]) =>
    sequence[one.response.status - 200] === 'x' ? ('stale' as const) : undefined;
  const choice = choose(exchanges, next, isStrict, whyNot as Parameters<typeof choose>[3]);
  return 'place' in choice ? choice.place : `${choice.reason} ${exchanges.indexOf(choice.exchange as never)}`;
}

describe('what is chosen', () => {
  it.each([
    ['ooo', 0, 0],
    ['ooo', 2, 2],
    ['ooo', 3, 2],
    ['ooo', 9, 2],
    ['xoo', 0, 1],
    ['oxo', 1, 2],
    ['oox', 2, 1],
    ['oxx', 7, 0],
    ['xxx', 0, 'stale 2'],
    ['xxx', 3, 'stale 2'],
  ])('of %s from %i on: %s', (sequence, next, expected) => {
    expect(chosen(sequence, next, false)).toBe(expected);
  });

  it.each([
    ['ooo', 2, 2],
    ['ooo', 3, 'already-served 2'],
    ['oox', 2, 'already-served 1'],
    ['oxo', 1, 2],
    ['xxx', 1, 'stale 2'],
  ])('of %s from %i on, strictly: %s', (sequence, next, expected) => {
    expect(chosen(sequence, next, true)).toBe(expected);
  });

  it('says how often it was recorded, and how many of these were answers', () => {
    const exchanges = [200, 500, 200].map((status) => exchange({ status }));
    const whyNot = ({ response }: Exchange) => (response?.status === 500 ? ('omitted' as const) : undefined);
    expect(choose(exchanges, 3, true, whyNot)).toMatchObject({ recorded: 3, served: 2 });
    const many = Array.from({ length: 1001 }, () => exchanges[0]);
    expect(choose(many, 1001, true, whyNot)).toMatchObject({ recorded: 1001, served: undefined });
  });
});
