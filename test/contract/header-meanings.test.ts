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
