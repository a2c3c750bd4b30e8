import { describe, expect, it } from 'vitest';
import { createMatcher } from '../../src/contract/match-operation.ts';
import { brief, shippedContract } from '../support/gate.ts';
import { AMBIGUOUS, match } from '../support/match.ts';

const { entries } = shippedContract();

describe('a plain path', () => {
  it.each([
    ['/accounts/current/projects/42', 'updateProject'],
    ['/accounts/196/features/7', 'updateFeature'],
    ['/accounts/current/drafts/1001', 'updateDraft'],
    ['/api/v2/accounts/current/projects/42', 'updateProject'],
    ['/a/b/c/api/v2/accounts/current/projects/42', 'updateProject'],
    ['/api/v2/accounts/current/projects/42/', 'updateProject'],
    ['/api/v2/accounts/current/projects/42?x=1', 'updateProject'],
    ['/api/v2/accounts/current/projects/42?', 'updateProject'],
    ['http://other.example.com/api/v2/accounts/current/projects/42?x=1', 'updateProject'],
    ['HTTPS://a:b@other.example.com:1/accounts/current/projects/42', 'updateProject'],
    // A prefix can look like the path of a record.
    ['/accounts/current/projects/1/accounts/current/features/7', 'updateFeature'],
    ["/~a!$&'()*+,=:@-_/accounts/current/projects/42", 'updateProject'],
    ['/v2.0/accounts/current/projects/42', 'updateProject'],
  ])('%s is %s', (url, operation) => {
    expect(match(url)).toBe(operation);
  });

  it('gives the parameters as sent', () => {
    const found = createMatcher(entries)({
      method: 'PATCH',
      url: '/x/accounts/196/projects/-42/?a=b',
      headers: [],
    });
    expect(found?.parameters).toEqual({ account_id: '196', project_id: '-42' });
  });

  it.each([
    '/',
    '',
    '*',
    '/accounts',
    '/accounts/current/projects',
    '/accounts/current/projects/',
    '/accounts/current/campaigns/42',
    '/accounts/current/projects/42/environments',
    '/accounts/current/projects/42/environments/',
    '/accounts/projects/42',
    '/myaccounts/current/projects/42',
    '/accounts/current/myprojects/42',
    '/accounts/current/a/projects/42',
    '/accounts?next=/accounts/current/projects/42',
    '/v2/files/notes.txt',
    '/v2/users/%C3%A9',
    '/files/My%20Docs/50%25/R%26D.txt',
    '/accounts/current/campaigns/4%202',
    '/accounts/current/campaigns/42;v=1',
    '/accounts/current/projects/42/tags/a%2Fb',
    '/search//all/./x/../y',
    '/ACCOUNTS/current',
    '/accounts//campaigns/42',
    '/accounts/current/projects//',
    '/accounts/current/projekt%C5%BF/42',
    '/v2/stra%C3%9Fe/%E4%B8%AD%E6%96%87/%F0%9F%98%80',
  ])('%s is none of its business', (url) => {
    expect(match(url)).toBeUndefined();
  });
});

describe('a path that servers read differently', () => {
  it.each([
    // Slashes and dots.
    '/accounts//current/projects/42',
    '/accounts/current/projects//42',
    '//other.example.com/accounts/current/projects/42',
    '/./accounts/current/projects/42',
    '/accounts/current/./projects/42',
    '/accounts/current/projects/42/..',
    // Coded characters.
    '/%61%63%63%6F%75%6E%74%73/current/projects/42',
    '/accounts/current/projects%2f42',
    '/accounts%2Fcurrent%2Fprojects%2F42',
    '/accounts/current/x%2F../projects/42',
    '/accounts/current/a%2Fb/../%70rojects/42',
    '/accounts/current/%25252570rojects/42',
    '/accounts/current/%25%37%30rojects/42',
    '/accounts/current/projects/42%0A',
    '/accounts/current/projects%09/42',
    '/x%0Ay/accounts/current/proj%65cts/42',
    '/accounts/current/projects/42%3Fx',
    '/accounts/current/projects/42%3F/x',
    '/accounts/current/projects/42%3Bx',
    // Overlong forms of `/`, `.` and letters, in octets as well.
    // Parameters, backslashes, fragments.
    '/accounts/current/projects/42;jsessionid=1/',
    '/accounts/current;a%2Fb/%70rojects/42',
    '/accounts/current%5Cprojects/42',
    '/x#/accounts/current/projects/42',
    'http://host\\accounts\\current\\projects\\42',
    'accounts/current/projects/42',
    // Line breaks and spaces, where a path may end or nothing is seen.
    '/a%0Ab%0Ac/accounts/current/projects/42',
    '/accounts/current/projects/42%20HTTP/1.1%0D%0Ax',
    '/accounts/current/projects/42%0D%0A/x',
    '/accounts/current/projects/.../42',
    // Only what is unreserved is decoded before the dots are resolved, as URL parsers do.
    '/accounts/current/%61%2F%62/.%2e/projects/42',
    // Characters that fold to ASCII, or that nobody sees.
    '/account%C5%BF/current/project%c5%bf/42',
    '/account\u00c5\u00bf/current/projects/42',
    '/accounts%EF%BC%8Fcurrent%EF%BC%8Fprojects%EF%BC%8F42',
    '/accounts/current/%EF%BD%90rojects/42',
    '/accounts%E2%81%84current%E2%88%95projects/42',
    '/accounts/current/x/%E2%80%A5/projects/42',
    '/accounts/current/pro%C2%ADjects/42',
    '/accounts/current/pro%E2%80%8Bjects/42',
    '/accounts/current/projects%C2%A0/42',
    '/accounts/current/pro%FFjects/42',
    '/accounts/current/%uFF50rojects/42',
    '/accounts%u2215current%u2216projects%uff0f42',
    '/accounts/current/%u0170rojects/42',
    '/accounts/current%C4%AFprojects/42',
    // Overlong in five octets, and with a last octet that is none.
    // A server that knows one coding need not know the other.
    '/accounts%2fcurrent/projects/42%u002f42',
    // A parameter that is left out.
    '/api/v2/accounts//projects/42/',
    // Letter case of the literal parts.
    '/accounts/current/PROJECTS/42/',
    // A coded character anywhere before it.
    '/My%20base/accounts/current/projects/42',
  ])('%s is refused', (url) => {
    expect(match(url)).toBe(AMBIGUOUS);
  });

  it('has no parameters, since nobody can tell them', () => {
    const found = createMatcher(entries)({
      method: 'PATCH',
      url: '/accounts/current/projects//42',
      headers: [],
    });
    expect(found?.parameters).toEqual({});
    expect(found?.findings[0]?.message).toContain('"/accounts/current/projects//42" is not written plainly');
  });
});

describe('letter case', () => {
  const string = { type: 'string' as const };
  const flag = {
    ...entries.updateProject,
    path: '/workspaces/{workspace}/flags/{key}',
    parameters: { workspace: string, key: string },
  } as (typeof entries)[string];

  it('is not folded in parameters', () => {
    const found = createMatcher({ updateFlag: flag })({
      method: 'PATCH',
      url: '/workspaces/Shop/flags/NewCheckout',
      headers: [],
    });
    expect(found).toMatchObject({ parameters: { workspace: 'Shop', key: 'NewCheckout' }, findings: [] });
  });

  it('is folded in literal parts', () => {
    const found = createMatcher({ updateFlag: flag })({
      method: 'PATCH',
      url: '/Workspaces/Shop/flags/NewCheckout',
      headers: [],
    });
    expect(brief(found?.findings ?? [])).toEqual(['request.ambiguous-path error']);
  });
});

describe('a query that some frameworks take for the path', () => {
  it.each([
    '/?/accounts/current/projects/42',
    '/index.php?/accounts/current/projects/42',
    '/?accounts/current/projects/42',
    '/?//accounts/current/%70rojects/42',
    '/?%2faccounts/current/projects/42',
    '/?/accounts/current/projects/42&x=/y',
    '/accounts/current/features/7?/accounts/current/projects/42',
  ])('is refused: %s', (url) => {
    expect(match(url)).toBe(AMBIGUOUS);
    expect(match(url, { method: 'GET' })).toBeUndefined();
    expect(match(url, { method: 'GET', headers: ['Content-Type', 'multipart/form-data'] })).toBeUndefined();
  });

  it.each([
    '/x?next=/accounts/current/projects/42',
    '/x?a&b=/accounts/current/projects/42',
    '/x?/accounts/current/campaigns/42',
    '/x?50%25',
    `/x?filter%5Ba%5D=${'%2F'.repeat(3000)}`,
    '/x?',
  ])('is none: %s', (url) => {
    expect(match(url)).toBeUndefined();
  });

  it("is none beside a record's path", () => {
    expect(match('/accounts/current/projects/42?back=/accounts/current/features/7')).toBe('updateProject');
    for (const query of ['/harmless', 'a%20b', '%5Fx=1', '/a&b=/c'])
      expect(match(`/accounts/current/projects/42?${query}`)).toBe('updateProject');
  });
});

describe('check parameters', () => {
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
      '{account_id}',
      '<id>',
    ])('account %s is none', (id) => {
      expect(match(`/accounts/${id}/projects/42`)).toBe(ACCOUNT);
    });

    it.each(['0', '42', '2147483647', '-2147483648', '-1'])('project %s', (id) => {
      expect(match(`/accounts/current/projects/${id}`)).toBe('updateProject');
    });

    it('are told of both, naming what they must be', () => {
      const found = createMatcher(shippedContract().entries)({
        method: 'PATCH',
        url: '/accounts/01/projects/x',
        headers: [],
      });
      expect(found?.findings).toMatchObject([
        {
          message: 'account_id in the path must be "current" or an integer, not "01"',
          basis: 'protocol',
          source: 'service-api 4',
        },
        { message: 'project_id in the path must be a 32-bit integer, not "x"', basis: 'stated' },
      ]);
    });
  });
});
