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
    // As sent, or as people see it.
    ['A??B', ['A  B', 'AxyB'], ['A B', 'AxB']],
    ['A B', ['A  B', ' A B '], ['AB']],
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

  it('with many stars ends, however long the name is', () => {
    expect(matches(`${'*a'.repeat(30)}*b`, 'a'.repeat(100_000))).toBe(false);
    expect(matches(`${'*a'.repeat(30)}*`, 'a'.repeat(100_000))).toBe(true);
  });
});
