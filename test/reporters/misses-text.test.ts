import { expect, it } from 'vitest';
import { missesText } from '../../src/reporters/misses-text.ts';

const A = { session: '', text: 'nothing is recorded for GET /a', hint: 'record it', count: 1 };

it('has nothing to say of none', () => {
  expect(missesText(0, [])).toBeUndefined();
});

it('says each reason once, and what to do about those that follow one another', () => {
  const misses = [
    A,
    { ...A, text: 'nothing is recorded for GET /b', session: 'one', count: 3 },
    { ...A, text: 'it was recorded 40d ago', hint: 'record it again' },
    ...['two', 'three', 'four', 'five'].map((session) => ({ ...A, session })),
  ];
  expect(missesText(9, misses)).toBe(
    [
      '9 requests had no answer in the recording:',
      '  nothing is recorded for GET /a (5 times, sessions two, three, four and 1 more)',
      '  nothing is recorded for GET /b (3 times, session one)',
      '    record it',
      '  it was recorded 40d ago',
      '    record it again',
    ].join('\n'),
  );
});

it('is not longer than somebody reads', () => {
  const misses = Array.from({ length: 25 }, (_, i) => ({ ...A, text: `${i}`.repeat(3000) }));
  const lines = missesText(1025, misses)?.split('\n') ?? [];
  expect(lines).toHaveLength(23);
  expect(lines[1]).toHaveLength(2003);
  expect(lines.at(-1)).toBe('  and 1,005 more');
  expect(missesText(1, [A])?.split('\n')[0]).toBe('1 request had no answer in the recording:');
});

it('says what else it may be, where answers come in an order', () => {
  expect(missesText(1, [A], true)?.split('\n').slice(3)).toEqual([
    '  it may be the order, too: what was recorded several times is answered in the order of recording',
    expect.stringContaining('need a session each: the header Patchgate-Session'),
  ]);
});
