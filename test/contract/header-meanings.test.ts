import { describe, expect, it } from 'vitest';
import { AMBIGUOUS, match } from '../support/match.ts';

describe('another method that means PATCH', () => {
  const URL = '/accounts/current/projects/42';

  it.each([
    ['X-HTTP-Method-Override', 'PATCH'],
    ['x-http-method-override', 'patch'],
    ['X-HTTP-METHOD', ' Patch '],
    ['X-Method-Override', 'PATCH'],
    ['x_http_method_override', 'PATCH'],
    ['X_Method-Override', 'PATCH'],
    ['X.HTTP.Method.Override', 'PATCH'],
    ['X!HTTP#Method$Override', 'PATCH'],
    ["x'http*method", 'PATCH'],
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
    '?_method=PATCH',
    '_HttpMethod=PATCH',
    '$httpMethod=PATCH',
    'X-HTTP-Method-Override=PATCH',
    'x-http-method=patch',
    'X_Method_Override=PATCH',
    'method=PATCH',
    'method[]=patch',
    'x-tunneled-method=PATCH',
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

  it.each([
    'method=GET',
    'method=card',
    'methods=PATCH',
    'payment_method=PATCH',
    'x=_method=PATCH',
    '_method=POST',
    '_method',
    'a_method=PATCH',
  ])('not by ?%s', (query) => {
    expect(match(`${URL}?${query}`, { method: 'POST' })).toBeUndefined();
  });

  it.each([
    '%3F_method=PATCH',
    '%3fa=1&_method=patch',
    '%253F_method=PATCH',
    '%3F%5Fmethod=PATCH?x=1',
    '%20??_method=PATCH',
  ])('by a query whose mark is coded: %s', (query) => {
    expect(match(URL + query, { method: 'POST' })).toBe(AMBIGUOUS);
  });

  it.each([
    'application/x-www-form-urlencoded',
    ' Application/X-WWW-Form-URLencoded; charset=utf-8',
    'text/plain, application/x-www-form-urlencoded',
    'multipart/form-data; boundary=b',
    'multipart/mixed; boundary=b',
  ])('in a form: %s', (type) => {
    expect(match(URL, { method: 'POST', headers: ['Content-Type', type] })).toBe('updateProject');
  });

  it('in what may be a form, having no type', () => {
    const untyped = 'updateProject request.content-type error';
    expect(match(URL, { method: 'POST', headers: ['Content-Length', '13'] })).toBe(untyped);
    expect(match(URL, { method: 'POST', headers: ['Transfer-Encoding', 'chunked'] })).toBe(untyped);
    for (const blank of ['', ' \t', ';charset=utf-8', ','])
      expect(match(URL, { method: 'POST', headers: ['Content-Type', blank, 'Content-Length', '13'] })).toBe(
        untyped,
      );
    const put = ['Content-Length', '13', 'X-HTTP-Method', 'PATCH'];
    expect(match(URL, { method: 'PUT', headers: put })).toBe(untyped);
    expect(match(URL, { headers: ['Content-Length', '13'] })).toBe('updateProject');
    expect(match(URL, { method: 'POST', headers: ['Content-Length', '0'] })).toBeUndefined();
    expect(match(URL, { method: 'POST' })).toBeUndefined();
    expect(match(URL, { method: 'PUT', headers: ['Content-Length', '13'] })).toBeUndefined();
    const text = ['Content-Length', '13', 'Content-Type', 'text/plain'];
    expect(match(URL, { method: 'POST', headers: text })).toBeUndefined();
  });

  it('in what is JSON, of a POST, if its body says so', () => {
    const headers = ['Content-Length', '13', 'Content-Type', 'application/vnd.api+json'];
    expect(match(URL, { method: 'POST', headers })).toBe('updateProject, by its body');
    expect(match(URL.replace('/projects', '//projects'), { method: 'POST', headers })).toBe(
      `${AMBIGUOUS}, by its body`,
    );
    expect(match(URL, { method: 'PUT', headers })).toBeUndefined();
    expect(match('/accounts/current/campaigns/1', { method: 'POST', headers })).toBeUndefined();
    expect(match(URL, { method: 'POST', headers: [...headers, 'X-HTTP-Method', 'PATCH'] })).toBe(
      'updateProject',
    );
  });

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

  it.each(['X-Original-URL', 'x-rewrite-url', 'X_Original_Url', 'X-Override-URL', 'Path-Info'])(
    '%s is refused',
    (name) => {
      expect(match(URL, { headers: [name, '/harmless'] })).toBe(AMBIGUOUS);
      expect(match('/harmless', { headers: [name, URL] })).toBe(AMBIGUOUS);
      expect(match('/harmless', { headers: [name, `/base//${URL}`] })).toBe(AMBIGUOUS);
      expect(match('/harmless', { headers: [name, 'http://host/accounts/current/%70rojects/42'] })).toBe(
        AMBIGUOUS,
      );
      expect(match('/harmless', { headers: [name, '/harmless', name, URL] })).toContain(AMBIGUOUS);
    },
  );

  it.each(['X-Original-URL', 'X-Rewrite-URL'])('%s that leads elsewhere is let alone', (name) => {
    expect(match('/harmless', { headers: [name, '/harmless'] })).toBeUndefined();
  });

  it.each([
    ['/', 'api/v2/accounts/current/projects/42'],
    ['/api/v2/accounts/current', 'projects/42'],
    ['/api/v2/accounts/current/', 'projects/42'],
    ['/api/v2/accounts/current/campaigns', 'projects/42'],
    ['/api/v2/accounts/current/campaigns/', '../projects/42'],
    ['/api/v2/accounts/current/projects/', '42'],
  ])('a path that goes on from %s is refused: %s', (path, value) => {
    expect(match(path, { headers: ['X-Original-URL', value] })).toBe(AMBIGUOUS);
    expect(match(path, { headers: ['X-Original-URL', 'a/b'] })).toBeUndefined();
  });

  describe.each(['X-Forwarded-Uri', 'X-Original-URI', 'x_forwarded_path', 'X-Rewrite-Path'])(
    '%s, which ordinary proxies set',
    (name) => {
      it("is let alone beside a record's path, and on other methods", () => {
        expect(match(URL, { headers: [name, `/base${URL}`] })).toBe('updateProject');
        expect(match('/x', { method: 'GET', headers: [name, URL] })).toBeUndefined();
        expect(match('/x', { headers: [name, '/y'] })).toBeUndefined();
      });

      it('is refused where it makes a PATCH of something else one of a record', () => {
        expect(match('/x', { headers: [name, URL] })).toBe(AMBIGUOUS);
        expect(match('/x?_method=PATCH', { method: 'POST', headers: [name, `/${URL}`] })).toBe(AMBIGUOUS);
      });
    },
  );

  it('more paths than anybody looks at are refused', () => {
    const many = (name: string, count: number) =>
      Array.from({ length: count }, () => [name, '/harmless']).flat();
    const refused = ' request.ambiguous-path error';
    expect(match('/x', { headers: many('X-Original-URL', 3) })).toBe(refused);
    expect(match('/x', { method: 'GET', headers: many('X-Original-URL', 3) })).toBe(refused);
    expect(match('/x', { headers: many('X-Original-URL', 2) })).toBeUndefined();
    expect(match('/x', { headers: many('X-Forwarded-Uri', 9) })).toBe(refused);
    expect(match('/x', { method: 'GET', headers: many('X-Forwarded-Uri', 9) })).toBeUndefined();
    expect(
      match('/x', { headers: [...many('X-Forwarded-Uri', 8), ...many('X-Original-URL', 2)] }),
    ).toBeUndefined();
  });

  it.each(['X-Forwarded-Prefix', 'X-Envoy-Original-Path', 'Referer', 'X-Forwarded-For'])(
    '%s means nothing',
    (name) => {
      expect(match('/x', { headers: [name, URL] })).toBeUndefined();
    },
  );

  it.each(['Content_Type', 'content.type', 'CONTENT!TYPE', 'Content_Encoding', 'content~encoding'])(
    '%s, which some servers read as the literal one, is refused',
    (name) => {
      const refused = 'updateProject request.ambiguous-header error';
      expect(match(URL, { headers: [name, 'br'] })).toBe(refused);
      expect(match(URL, { headers: [name, 'br', name, 'br', 'Content-Encoding', 'gzip'] })).toContain(
        refused,
      );
      expect(match('/harmless', { headers: [name, 'br'] })).toBeUndefined();
      expect(match(URL, { method: 'PUT', headers: [name, 'br'] })).toBeUndefined();
    },
  );

  it('one that some servers read as Content-Type gives it a type to some, and none to others', () => {
    const form = ['Content_Type', 'application/x-www-form-urlencoded', 'Content-Type', 'text/plain'];
    expect(match(URL, { method: 'POST', headers: form })).toContain('updateProject');
    const untyped = ['Content_Type', 'text/plain', 'Content-Length', '13'];
    expect(match(URL, { method: 'POST', headers: untyped })).toBe(
      'updateProject request.content-type error request.ambiguous-header error',
    );
  });

  it.each([
    ['Content-Encoding', 'br'],
    ['ContentType', 'x'],
    ['X-Content_Type', 'x'],
    ['Content_Language', 'en'],
  ])('%s: %s is let alone', (name, value) => {
    expect(match(URL, { headers: [name, value] })).toBe('updateProject');
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
