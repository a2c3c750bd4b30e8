import { describe, expect, it } from 'vitest';
import { connectionOptions, header, headerValues, splitTarget, withoutHeaders } from '../../src/http/http.ts';

const HEADERS = 'Host|a|X-Tag|1|x-tag|2|Connection|Keep-Alive, X-Tag |CONNECTION|TE'.split('|');

describe('raw headers', () => {
  it('are read in any letter case, in the order sent', () => {
    expect(headerValues(HEADERS, 'x-tag')).toEqual(['1', '2']);
    expect(header(HEADERS, 'x-tag')).toBe('1');
    expect(header(HEADERS, 'host')).toBe('a');
    expect(header(HEADERS, 'x-ta')).toBeUndefined();
  });

  it('are left out by name, the others as they were', () => {
    expect(withoutHeaders(HEADERS, (name) => name !== 'host')).toEqual(['Host', 'a']);
  });

  it('name what belongs to the connection', () => {
    expect(connectionOptions(HEADERS)).toEqual(['keep-alive', 'x-tag', 'te']);
  });
});

describe('a request target', () => {
  it.each([
    ['/a/b?x=1', '/a/b', 'x=1'],
    ['/a', '/a', ''],
    ['/a?', '/a', ''],
    ['/a?b?c', '/a', 'b?c'],
    ['/?/accounts', '/', '/accounts'],
    ['http://host/a?b', '/a', 'b'],
    ['HTTPS://user@host:1/a', '/a', ''],
    ['http://host', '/', ''],
    ['http://host?a/b', '/', 'a/b'],
    ['http://host#/a', '/#/a', ''],
    // A backslash ends the host, as for WHATWG.
    ['http://host\\a\\b', '/\\a\\b', ''],
    ['//host/a', '//host/a', ''],
    ['*', '*', ''],
  ])('%s', (url, path, query) => {
    expect(splitTarget(url)).toEqual({ path, query });
  });
});
