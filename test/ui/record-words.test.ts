import { describe, expect, it } from 'vitest';
import { knownRecord } from '../../src/ui/record-words.ts';

const STATE = {
  accounts: { current: { projects: { 42: { name: 'of no path' }, 8: { name: 'e' } } } },
  paths: {
    '/': { current: { projects: { 1: { name: 'c' } } } },
    '/api/v2': {
      current: { projects: { 42: { name: 'a' } }, features: { 7: { name: 'b' } } },
      196: { drafts: { 9: { name: 'd' } } },
    },
  },
};

describe('the known record', () => {
  it.each([
    ['/api/v2/accounts/current/projects/42', 'a'],
    ['/api/v2/accounts/current/projects/42/?x=1', 'a'],
    ['/accounts/current/projects/42', 'a'],
    ['/api/v2/accounts/current/features/7', 'b'],
    ['/accounts/current/projects/1', 'c'],
    ['/api/v2/accounts/196/drafts/9', 'd'],
    ['/other/accounts/current/projects/8', 'e'],
  ])('%s', (url, name) => {
    expect(knownRecord(STATE, url)?.name).toBe(name);
  });

  it.each(['/api/v2/accounts/current/projects/43', '/api/v2/accounts/1/projects/42', '/x', ''])(
    '%s: nothing',
    (url) => {
      expect(knownRecord(STATE, url)).toBeUndefined();
    },
  );
});
