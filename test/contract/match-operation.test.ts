import { describe, expect, it } from 'vitest';
import { createMatcher, type MatcherOptions } from '../../src/contract/match-operation.ts';
import { brief, shippedContract } from '../support/gate.ts';

const { entries } = shippedContract();

/** `updateProject` with the findings behind it; undefined where nothing is meant. */
function match(url: string, request: { method?: string; headers?: string[] } = {}, options?: MatcherOptions) {
  const { method = 'PATCH', headers = [] } = request;
  const found = createMatcher(entries, options)({ method, url, headers });
  return found && [found.operation, ...brief(found.findings)].join(' ');
}

const AMBIGUOUS = 'updateProject request.ambiguous-path error';

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
  ])('%s is none of its business', (url) => {
    expect(match(url)).toBeUndefined();
  });

  it.each(['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD', 'patch'])(
    'with %s is none of its business',
    (method) => {
      expect(match('/accounts/current/projects/42', { method })).toBeUndefined();
    },
  );
});

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
    const found = createMatcher(entries)({ method: 'PATCH', url: '/accounts/me/projects/x', headers: [] });
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

describe('a path that servers read differently', () => {
  it.each([
    // Slashes and dots.
    '//accounts/current/projects/42',
    '/accounts//current/projects/42',
    '/accounts/current/projects//42',
    '/accounts/current/projects/42//',
    '//other.example.com/accounts/current/projects/42',
    '/./accounts/current/projects/42',
    '/accounts/current/./projects/42',
    '/accounts/current/projects/42/.',
    '/accounts/current/projects/42/./',
    '/x/../accounts/current/projects/42',
    '/accounts/current/x/../projects/42',
    '/accounts/current/projects/42/x/..',
    '/../../accounts/current/projects/42',
    '/accounts/current/projects/x//../../42',
    '/accounts/current/projects/42/..',
    '/accounts/current/projects/42.',
    '/accounts./current/projects/42',
    '/accounts/current/projects.../42',
    // Coded characters.
    '/accounts/current/%70rojects/42',
    '/%61%63%63%6F%75%6E%74%73/current/projects/42',
    '/accounts/current/projects/%34%32',
    '/accounts/current/projects%2F42',
    '/accounts/current/projects%2f42',
    '/accounts%2Fcurrent%2Fprojects%2F42',
    '/accounts/current/%2e/projects/42',
    '/accounts/current/x/%2e%2e/projects/42',
    '/accounts/current/x/%2E./projects/42',
    '/accounts/current/x%2F../projects/42',
    '/accounts/current/x%2F%2e%2e%2Fprojects/42',
    '/accounts/current/a%2Fb/../%70rojects/42',
    '/accounts/current/%2570rojects/42',
    '/accounts/current/%25252570rojects/42',
    '/accounts/current/%25%37%30rojects/42',
    '/accounts/current/projects/42%20',
    '/accounts/current/projects/42%00',
    '/accounts/current/projects/42%00.png',
    '/accounts/current/projects/42%0A',
    '/accounts/current/projects%09/42',
    '/accounts/current/pro%00jects/42',
    '/x%0Ay/accounts/current/proj%65cts/42',
    '/accounts/current/projects/42%23x',
    '/accounts/current/projects/42%3Fx',
    '/accounts/current/projects/42%3Bx',
    // Overlong forms of `/`, `.` and letters, in octets as well.
    '/accounts/current%c0%afprojects/42',
    '/accounts/current%e0%80%afprojects/42',
    '/accounts/current%f0%80%80%afprojects/42',
    '/accounts/current/x/%c0%ae%c0%ae/projects/42',
    '/accounts/current/%c1%b0rojects/42',
    '/accounts/current\u00c0\u00afprojects/42',
    '/accounts/current%u002fprojects/42',
    '/accounts/current/%u0070rojects/42',
    // Parameters, backslashes, fragments.
    '/accounts/current/projects;x=1/42',
    '/accounts/current/projects/42;x=1',
    '/accounts/current/projects/42;jsessionid=1/',
    '/accounts;a;b=c/current/projects/42',
    '/accounts/current/projects/42;/x',
    '/accounts/current/;/projects/42',
    '/accounts/current/x/..;/projects/42',
    '/accounts/current/x/..;a=b/projects/42',
    '/accounts/current/x/%2e%2e%3b/projects/42',
    '/accounts/current;a%2Fb/%70rojects/42',
    '/accounts/current;%2F/projects/42',
    '/accounts\\current\\projects\\42',
    '/accounts/current%5Cprojects/42',
    '/accounts/current/x\\..\\projects/42',
    '/accounts/current/projects/42#x',
    '/accounts/current/projects/42#/x',
    '/x#/accounts/current/projects/42',
    'http://host\\accounts\\current\\projects\\42',
    'accounts/current/projects/42',
    // Letter case of the literal parts.
    '/ACCOUNTS/current/projects/42',
    '/accounts/current/Projects/42',
    '/accounts/current/PROJECTS/42/',
    '/accounts/current/%50rojects/42',
    // A coded character anywhere before it.
    '/My%20base/accounts/current/projects/42',
    '/%C3%A9/accounts/current/projects/42',
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

  it('is shortened in messages', () => {
    const found = createMatcher(entries)({
      method: 'PATCH',
      url: `/${'x'.repeat(5000)}//accounts/current/projects/42`,
      headers: [],
    });
    expect(found?.findings[0]?.message.length).toBeLessThan(500);
  });

  it('is refused where it can be read in too many ways to look at', () => {
    let url = '/a%3Bb%23c%3Fd%00e%5C..%2F';
    for (let i = 0; i < 6; i++) url += url.replaceAll('%', '%25');
    expect(match(url)).toBe(' request.ambiguous-path error');
    expect(match(url, { method: 'GET' })).toBeUndefined();
    expect(match('/harmless', { headers: ['X-Original-URL', url] })).toBe(' request.ambiguous-path error');
  });

  it('is let alone under another method', () => {
    expect(match('//accounts/current/projects/42', { method: 'GET' })).toBeUndefined();
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

describe('another method that means PATCH', () => {
  const URL = '/accounts/current/projects/42';

  it.each([
    ['X-HTTP-Method-Override', 'PATCH'],
    ['x-http-method-override', 'patch'],
    ['X-HTTP-METHOD', ' Patch '],
    ['X-Method-Override', 'PATCH'],
    ['x_http_method_override', 'PATCH'],
    ['X_Method-Override', 'PATCH'],
    ['X-HTTP-Method-Override', 'GET, PATCH'],
    ['X-HTTP-Method-Override', 'PUT,patch'],
  ])('by the header %s: %s', (name, value) => {
    expect(match(URL, { method: 'POST', headers: [name, value] })).toBe('updateProject');
    expect(match(URL, { method: 'GET', headers: ['a', 'b', name, value] })).toBe('updateProject');
  });

  it.each([
    '_method=PATCH',
    '_method=patch',
    'a=1&_METHOD=Patch',
    '%5Fmethod=PATCH',
    '_%6dethod=%50ATCH',
    '_method[]=PATCH',
    'a=1;_method=PATCH',
    '_method=GET&_method=PATCH',
    '_method=+PATCH+',
  ])('by the query %s', (query) => {
    expect(match(`${URL}?${query}`, { method: 'POST' })).toBe('updateProject');
  });

  it.each([
    ['X-HTTP-Method-Override', 'PUT'],
    ['X-HTTP-Method-Override', ''],
    ['X-Method', 'PATCH'],
    ['X-HTTP-Method-Overrides', 'PATCH'],
  ])('not by %s: %s', (name, value) => {
    expect(match(URL, { method: 'POST', headers: [name, value] })).toBeUndefined();
  });

  it.each(['method=PATCH', 'x=_method=PATCH', '_method=POST', '_method', 'a_method=PATCH'])(
    'not by ?%s',
    (query) => {
      expect(match(`${URL}?${query}`, { method: 'POST' })).toBeUndefined();
    },
  );

  it('is judged as PATCH on other paths as little', () => {
    expect(match('/accounts/current/campaigns/1?_method=PATCH', { method: 'POST' })).toBeUndefined();
  });

  it('leaves a PATCH a PATCH', () => {
    expect(match(URL, { headers: ['X-HTTP-Method-Override', 'DELETE'] })).toBe('updateProject');
  });

  it('makes an ambiguous path refused as well', () => {
    expect(match('/accounts/current//projects/42?_method=PATCH', { method: 'POST' })).toBe(AMBIGUOUS);
  });
});

describe('headers with a second meaning', () => {
  const URL = '/accounts/current/projects/42';

  it.each(['X-Original-URL', 'x-rewrite-url', 'X_Original_Url'])('%s is refused', (name) => {
    expect(match(URL, { headers: [name, '/harmless'] })).toBe(AMBIGUOUS);
    expect(match('/harmless', { headers: [name, URL] })).toBe(AMBIGUOUS);
    expect(match('/harmless', { headers: [name, `/base//${URL}`] })).toBe(AMBIGUOUS);
    expect(match('/harmless', { headers: [name, 'http://host/accounts/current/%70rojects/42'] })).toBe(
      AMBIGUOUS,
    );
    expect(match('/harmless', { headers: [name, '/harmless', name, URL] })).toContain(AMBIGUOUS);
  });

  it.each(['X-Original-URL', 'X-Rewrite-URL'])('%s that leads elsewhere is let alone', (name) => {
    expect(match('/harmless', { headers: [name, '/harmless'] })).toBeUndefined();
  });

  it('a repeated Content-Type is refused', () => {
    const twice = 'updateProject request.ambiguous-header error';
    expect(match(URL, { headers: ['Content-Type', 'application/json', 'content-type', 'text/plain'] })).toBe(
      twice,
    );
    expect(
      match(URL, { headers: ['Content-Type', 'application/json', 'Content_Type', 'application/json'] }),
    ).toBe(twice);
    expect(match(URL, { headers: ['Content-Type', 'application/json'] })).toBe('updateProject');
    expect(match('/harmless', { headers: ['Content-Type', 'a/b', 'Content-Type', 'a/b'] })).toBeUndefined();
  });
});

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

describe("a path below a record's", () => {
  const found = (url: string) => match(url, {}, { unlisted: true });

  it('is told where that is asked for', () => {
    const below = ' request.unlisted-operation error';
    expect(found('/accounts/current/projects/42/environments')).toBe(below);
    expect(found('/api/accounts/current/PROJECTS/42/environments/3')).toBe(below);
    expect(found('/accounts/current/projects/42/a%2Fb')).toBe(below);
    expect(found('/accounts/current/projects')).toBeUndefined();
    expect(found('/accounts/current/campaigns/42/x')).toBeUndefined();
    expect(found('/accounts/current/projects/42')).toBe('updateProject');
    expect(match('/accounts/current/projects/42/x', { method: 'GET' }, { unlisted: true })).toBeUndefined();
  });
});
