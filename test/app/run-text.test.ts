import { expect, it } from 'vitest';
import { missesText, unservedText } from '../../src/app/run-text.ts';

const A = {
  method: 'GET',
  url: '/a',
  session: '',
  text: 'nothing is recorded for GET /a',
  hint: 'record it',
  count: 1,
};

it('says each reason of a miss once, and what to do about those that follow one another', () => {
  expect(missesText({ count: 0, misses: [] })).toBeUndefined();
  const misses = [
    A,
    { ...A, text: 'nothing is recorded for GET /b', session: 'one', count: 3 },
    { ...A, text: 'it was recorded 40d ago', hint: 'record it again' },
    ...['two', 'three', 'four', 'five'].map((session) => ({ ...A, session })),
  ];
  expect(missesText({ count: 9, misses })?.split('\n')).toEqual([
    '9 requests had no answer in the recording:',
    '  nothing is recorded for GET /a (5 times)',
    '  nothing is recorded for GET /b (3 times)',
    '    record it',
    '  it was recorded 40d ago',
    '    record it again',
  ]);
});

it('is not longer than somebody reads', () => {
  const misses = Array.from({ length: 25 }, (_, i) => ({ ...A, text: `${i}`.repeat(3000) }));
  const lines = missesText({ count: 1025, misses })?.split('\n') ?? [];
  expect([lines.length, lines[1]?.length, lines.at(-1)]).toEqual([23, 2003, '  and 1,005 more']);
});

it('names what was never served, each in a line, and how many more there are', () => {
  const none = { recording: 'demo', total: 9, count: 0, exchanges: [] };
  expect(unservedText(none)).toBe('every exchange of "demo" was served (9)');
  const one = { method: 'GET', path: '/a', query: '', recordedAt: '2026-11-20T12:00:00.000Z' };
  const exchanges = [one, { ...one, method: 'PATCH', query: 'x=1' }, { ...one, session: 'a "test"' }];
  expect(unservedText({ ...none, count: 7, exchanges }).split('\n')).toEqual([
    '7 of 9 exchanges of "demo" were never served:',
    '  GET /a, recorded 2026-11-20',
    '  PATCH /a?x=1, recorded 2026-11-20',
    '  GET /a, recorded 2026-11-20 in the session "a \\"test\\""',
    '  and 4 more',
  ]);
});
