import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nameMatcher } from '../../src/model/name-pattern.ts';

const matches = (pattern: string, name: string) => nameMatcher([pattern])(name);

describe('a pattern of names', () => {
  it.each([
    ['Staging', ['Staging'], ['staging', 'Stagin', '']],
    ['e2e-*', ['e2e-', 'e2e-1', 'e2e-*'], ['e2e', 'xe2e-1', 'E2E-1']],
    ['*', ['', 'x', 'a\nb'], []],
    ['?', ['x', '😀'], ['', 'xx']],
    ['a*b?c*', ['abxc', 'aXXbYcZ', 'abbbcc'], ['abc', 'xabxc']],
    ['a.c+(x)[y]', ['a.c+(x)[y]'], ['abc+(x)[y]', 'a.cc(x)y']],
    ['\\*', ['\\', '\\x'], ['*']],
    ['', [''], ['x']],
    ['**a**', ['a', 'xax'], ['', 'x']],
  ])('%s', (pattern, names, others) => {
    for (const name of names) expect(matches(pattern, name), name).toBe(true);
    for (const name of others) expect(matches(pattern, name), name).toBe(false);
  });

  it('is one of several, or of none', () => {
    expect(nameMatcher(['a', 'b*'])('bc')).toBe(true);
    expect(nameMatcher(['a', 'b*'])('c')).toBe(false);
    expect(nameMatcher([])('')).toBe(false);
  });

  it('means what it says: an oracle that tries everything', { tags: 'slow' }, () => {
    const tries = (pattern: string, name: string): boolean => {
      if (pattern === '') return name === '';
      const rest = pattern.slice(1);
      if (pattern[0] === '*') return tries(rest, name) || (name !== '' && tries(pattern, name.slice(1)));
      return name !== '' && (pattern[0] === '?' || pattern[0] === name[0]) && tries(rest, name.slice(1));
    };
    const text = (letters: string) => fc.string({ unit: fc.constantFrom(...letters), maxLength: 8 });
    fc.assert(
      fc.property(text('ab*?'), text('ab'), (pattern, name) => {
        expect(matches(pattern, name)).toBe(tries(pattern, name));
      }),
      { numRuns: 3000 },
    );
  });

  it('with many stars ends, however long the name is', () => {
    expect(matches(`${'*a'.repeat(30)}*b`, 'a'.repeat(100_000))).toBe(false);
    expect(matches(`${'*a'.repeat(30)}*`, 'a'.repeat(100_000))).toBe(true);
  });
});
