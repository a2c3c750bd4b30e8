import { expect, it } from 'vitest';
import { crossSessionText } from '../../src/reporters/cross-session-text.ts';

it('names the sessions, and what to do', () => {
  const text = crossSessionText(
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
  expect(crossSessionText([], '')).toBeUndefined();
  const many = Array.from({ length: 40 }, (_, i) => ({ session: `s${i}`, count: 1 }));
  const lines = crossSessionText(many, '')?.split('\n') ?? [];
  expect(lines).toHaveLength(13);
  expect(lines.at(-2)).toBe('  and those of 30 more sessions');
});
