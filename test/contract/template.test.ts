import { describe, expect, it } from 'vitest';
import { AMBIGUOUS, match } from '../support/match.ts';

describe('base paths', () => {
  const at =
    (...basePaths: string[]) =>
    (url: string) =>
      match(url, {}, { basePaths });

  it('narrow the paths that are judged', () => {
    const under = at('/api/v2');
    expect(under('/api/v2/accounts/current/projects/42')).toBe('updateProject');
    expect(under('/api/v2/accounts/current/projects/42/')).toBe('updateProject');
    expect(under('/accounts/current/projects/42')).toBeUndefined();
    expect(under('/x/api/v2/accounts/current/projects/42')).toBeUndefined();
    expect(under('/api/v3/accounts/current/projects/42')).toBeUndefined();
    expect(under('/api/v2/x/accounts/current/projects/42')).toBeUndefined();
  });

  it('are read as loosely as the rest', () => {
    const under = at('/api/v2/');
    expect(under('/API/v2/accounts/current/projects/42')).toBe(AMBIGUOUS);
    expect(under('/api//v2/accounts/current/projects/42')).toBe(AMBIGUOUS);
    expect(under('/x/../api/v2/accounts/current/projects/42')).toBe(AMBIGUOUS);
    expect(under('/api/v2;x/accounts/current/projects/42')).toBe(AMBIGUOUS);
  });

  it('can be several, and none at all', () => {
    const under = at('/api/v2', '');
    expect(under('/api/v2/accounts/current/projects/42')).toBe('updateProject');
    expect(under('/accounts/current/projects/42')).toBe('updateProject');
    expect(under('/x/accounts/current/projects/42')).toBeUndefined();
  });

  it('are no patterns', () => {
    expect(at('/a.b')('/aXb/accounts/current/projects/42')).toBeUndefined();
    expect(at('/a+(b)')('/a+(b)/accounts/current/projects/42')).toBe('updateProject');
  });
});
