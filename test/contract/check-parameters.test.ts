import { describe, expect, it } from 'vitest';
import { createMatcher } from '../../src/contract/match-operation.ts';
import { shippedContract } from '../support/gate.ts';
import { match } from '../support/match.ts';

describe('the ids in the path', () => {
  const ACCOUNT = 'updateProject request.path-parameter error';

  it.each(['current', '0', '1', '196', '-5', '123456789012345678901234567890'])('account %s', (id) => {
    expect(match(`/accounts/${id}/projects/42`)).toBe('updateProject');
  });

  it.each([
    'Current',
    'CURRENT',
    'currents',
    'me',
    '01',
    '+1',
    '1.0',
    '1e3',
    '0x10',
    '-0',
    '--1',
    '1_000',
    '-',
  ])('account %s is none', (id) => {
    expect(match(`/accounts/${id}/projects/42`)).toBe(ACCOUNT);
  });

  it.each(['0', '42', '2147483647', '-2147483648', '-1'])('project %s', (id) => {
    expect(match(`/accounts/current/projects/${id}`)).toBe('updateProject');
  });

  it.each([
    '2147483648',
    '-2147483649',
    '4294967338',
    '99999999999999999999',
    '042',
    '+42',
    '42a',
    'abc',
    'current',
    '4.2e1',
    '42.json',
    '42,43',
    '0x2A',
    '-0',
    '1:2',
    '{project_id}',
  ])('project %s is none', (id) => {
    expect(match(`/accounts/current/projects/${id}`)).toMatch(
      /^updateProject request\.(path-parameter|ambiguous-path) error$/,
    );
  });

  it('are told of both, naming what they must be', () => {
    const found = createMatcher(shippedContract().entries)({
      method: 'PATCH',
      url: '/accounts/me/projects/x',
      headers: [],
    });
    expect(found?.findings).toMatchObject([
      {
        message: 'account_id in the path must be "current" or an integer, not "me"',
        basis: 'stated',
        source: 'service-api 4',
      },
      { message: 'project_id in the path must be a 32-bit integer, not "x"', basis: 'stated' },
    ]);
  });
});
