import { describe, expect, it } from 'vitest';
import { AMBIGUOUS, match } from '../support/match.ts';

describe('another method that means PATCH', () => {
  const URL = '/accounts/current/projects/42';

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
});
