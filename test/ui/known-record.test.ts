import { describe, expect, it } from 'vitest';
import { knownRecord } from '../../src/ui/known-record.ts';

const STATE = {
  paths: {
    '/api/v2': {
      current: { projects: { 42: { name: 'a' } }, features: { 7: { incomplete: true, name: 'b' } } },
    },
    '/': { current: { projects: { 1: { name: 'c' } } } },
  },
  accounts: { 196: { drafts: { 9: { name: 'd' } } } },
};

describe('what is known of a record', () => {
  it.each([
    ['/api/v2/accounts/current/projects/42', 'a', false],
    ['/api/v2/accounts/current/projects/42/?x=1', 'a', false],
    ['/accounts/current/projects/42', 'a', false],
    ['/api/v2/accounts/current/features/7', 'b', true],
    ['/accounts/current/projects/1', 'c', false],
    ['/x/accounts/196/drafts/9', 'd', false],
  ])('%s', (url, name, isPart) => {
    expect(knownRecord(STATE, url)).toEqual({ record: { name }, isPart });
  });

  it.each(['/api/v2/accounts/current/projects/43', '/api/v2/accounts/1/projects/42', '/x', ''])(
    '%s: nothing',
    (url) => {
      expect(knownRecord(STATE, url)).toBeUndefined();
    },
  );
});
