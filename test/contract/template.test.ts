import { describe, expect, it } from 'vitest';
import { AMBIGUOUS, match } from '../support/match.ts';

describe('base paths', () => {
  const at = (basePath: string) => (url: string) => match(url, {}, { basePath });

  it('narrow the paths that are judged', () => {
    const under = at('/api/v2');
    expect(under('/api/v2/accounts/current/projects/42')).toBe('updateProject');
    expect(under('/api/v2/accounts/current/projects/42/')).toBe('updateProject');
    expect(under('/accounts/current/projects/42')).toBeUndefined();
    expect(under('/x/api/v2/accounts/current/projects/42')).toBeUndefined();
    expect(under('/api/v3/accounts/current/projects/42')).toBeUndefined();
    expect(under('/api/v2/x/accounts/current/projects/42')).toBe('updateProject');
  });

  it('are read as loosely as the rest', () => {
    const under = at('/api/v2');
    expect(under('/API/v2/accounts/current/projects/42')).toBe(AMBIGUOUS);
    expect(under('/api//v2/accounts/current/projects/42')).toBe(AMBIGUOUS);
    expect(under('/x/../api/v2/accounts/current/projects/42')).toBe(AMBIGUOUS);
    expect(under('/api/v2;x/accounts/current/projects/42')).toBe(AMBIGUOUS);
  });

  it('are prefixes by whole segments, which may go on into an operation', () => {
    expect(at('/api')('/api/v2/accounts/current/projects/42')).toBe('updateProject');
    expect(at('/ap')('/api/v2/accounts/current/projects/42')).toBeUndefined();
    const account = at('/api/v2/accounts/5');
    expect(account('/api/v2/accounts/5/projects/42')).toBe('updateProject');
    expect(account('/api/v2/accounts/6/projects/42')).toBeUndefined();
  });

  it('are no patterns', () => {
    expect(at('/a.b')('/aXb/accounts/current/projects/42')).toBeUndefined();
    expect(at('/a+(b)')('/a+(b)/accounts/current/projects/42')).toBe('updateProject');
  });
});
