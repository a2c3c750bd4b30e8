import { describe, expect, it } from 'vitest';
import { createRecordMatchers, recordNamed } from '../../src/contract/parameters.ts';
import type { OperationEntry } from '../../src/model/contract.ts';
import { shippedContract } from '../support/gate.ts';

describe('match record', () => {
  const { entries } = shippedContract();
  const { recordAt } = createRecordMatchers(entries, new Set());

  /** In short: `current project 42`. */
  const at = (url: string, find = recordAt) => {
    const name = find(url);
    return name && `${name.account} ${name.kind} ${name.id}`;
  };

  describe('the record of a URL', () => {
    it.each([
      ['/accounts/current/projects/42', 'current project 42'],
      ['/accounts/196/features/7', '196 feature 7'],
      ['/api/v2/accounts/current/drafts/1001', 'current draft 1001'],
      ['/a/b/c/accounts/5/projects/42/', '5 project 42'],
      ['/accounts/current/projects/42?fields=name&x=/accounts/1/projects/2', 'current project 42'],
      ['/accounts/CURRENT/projects/042', 'current project 42'],
      ['/accounts/+0005/projects/+42', '5 project 42'],
      ['/accounts/-5/projects/-42', '-5 project -42'],
      ['/accounts/0/projects/-0', '0 project 0'],
      ['/accounts/99999999999999999999/projects/2147483647', '99999999999999999999 project 2147483647'],
    ])('%s', (url, name) => {
      expect(at(url)).toBe(name);
    });

    it.each([
      '/',
      '',
      '/accounts/current/projects',
      '/accounts/current/projects/',
      '/accounts/current/projects/42//',
      '/accounts/current/projects/42/environments',
      '/accounts/current/campaigns/42',
      '/Accounts/current/projects/42',
      '/accounts/current/projects/x',
      '/accounts/current/projects/42abc',
      '/accounts/current/projects/0x2a',
      '/accounts/current/projects/4.2e1',
      '/accounts/current/projects/%34%32',
      '/accounts/current/projects/２',
      // Past 32 bits some reader may take it for another.
      '/accounts/current/projects/4294967338',
      `/accounts/current/projects/${'9'.repeat(100_000)}`,
      '/accounts/__proto__/projects/42',
      '/accounts/main/projects/42',
      '/accounts/current/projects/__proto__',
    ])('%s is of none', (url) => {
      expect(at(url)).toBeUndefined();
    });
  });

  describe("a contract of one's own", () => {
    const entry = (changes: Partial<OperationEntry>): OperationEntry => ({
      ...(entries.updateProject as OperationEntry),
      ...changes,
    });

    it('may have texts for ids', () => {
      const own = entry({ parameters: { account_id: { type: 'string' }, project_id: { type: 'string' } } });
      expect(recordNamed(own, { account_id: 'Main', project_id: 'a-1' }, '/api')).toEqual({
        base: '/api',
        account: 'Main',
        kind: 'project',
        id: 'a-1',
      });
    });

    it('may have no accounts, and records of which nothing is known', () => {
      const { updateProject } = entries;
      expect(
        recordNamed(entry({ record: { kind: 'project', id: 'project_id' } }), { project_id: '7' }, ''),
      ).toEqual({
        base: '',
        account: 'current',
        kind: 'project',
        id: '7',
      });
      expect(
        recordNamed(entry({ record: { kind: 'book', id: 'project_id' } }), { project_id: '7' }, ''),
      ).toBeUndefined();
      expect(recordNamed(updateProject as OperationEntry, {}, '')).toBeUndefined();
    });
  });
});
