import { expect, it } from 'vitest';
import { borrowedText } from '../../src/reporters/borrowed-text.ts';

it('names the sessions, and what to do', () => {
  const text = borrowedText(
    [
      { session: 'adds a language', count: 2 },
      { session: '', count: 1 },
    ],
    'AGAIN',
  );
  expect(text?.split('\n')).toEqual([
    '3 requests were answered with what other sessions recorded, as the recording has nothing of their own:',
    '  2 requests of the session "adds a language"',
    '  1 request of no session',
    '    a test that is new, or was renamed: record it: AGAIN',
  ]);
});

it('is nothing where there are none, and not endless where there are many', () => {
  expect(borrowedText([], '')).toBeUndefined();
  const many = Array.from({ length: 40 }, (_, i) => ({ session: `s${i}`, count: 1 }));
  const lines = borrowedText(many, '')?.split('\n') ?? [];
  expect(lines).toHaveLength(13);
  expect(lines.at(-2)).toBe('  and those of 30 more sessions');
});
