import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { headersInSession, isSessionPath, sessionPath, takeSession } from '../../src/server/session-path.ts';
import { refusal } from '../support/errors.ts';

const NAMED = '/__patchgate/session/a';
const taken = (url: string, headers: string[] = []) => takeSession(url, headers);
const refused = (url: string, headers: string[] = []) =>
  refusal('malformed-request', () => taken(url, headers));

describe('a path that names a session', () => {
  it.each([
    ['/api/v2/x?y=1', '/api/v2/x?y=1'],
    ['', '/'],
    ['/', '/'],
    ['?y=1', '/?y=1'],
    ['?', '/?'],
    ['/x?', '/x?'],
    ['/x?to=/../__patchgate/session/b', '/x?to=/../__patchgate/session/b'],
    ['/caf%C3%A9/a..b/.hidden/x//y;v=1', '/caf%C3%A9/a..b/.hidden/x//y;v=1'],
    ['/http://elsewhere/x', '/http://elsewhere/x'],
  ])('is taken off: %j', (rest, url) => {
    expect(taken(NAMED + rest)).toEqual({ name: 'a', prefix: NAMED, url });
    expect(taken(`http://any.example${NAMED}${rest}`)).toEqual({ name: 'a', prefix: NAMED, url });
  });

  it.each(['a', "a suite/3: it's there", '100%', '?#[]@', 'a;b', '...', '%2e%2e', 'x'.repeat(100)])(
    'has any name that the header could have: %j',
    (name) => {
      expect(taken(`${sessionPath(name)}/x`)).toMatchObject({ name, url: '/x' });
      expect(taken(`${sessionPath(name)}/x`, ['patchgate-session', name])).toMatchObject({ name });
    },
  );

  it.each([
    ['no name', '/__patchgate/session', 'no session is named'],
    ['no name', '/__patchgate/session/', 'no session is named'],
    ['no name', '/__patchgate/session?x=/a', 'no session is named'],
    ['no name', '/__patchgate/session//a/x', 'no session is named'],
    ['a name that is none', '/__patchgate/session/../x', 'names no session'],
    ['a name that is none', '/__patchgate/session/%2e%2E/x', 'names no session'],
    ['a name that is none', '/__patchgate/session/%00/x', 'names no session'],
    ['a name that is none', '/__patchgate/session/%C3%A9/x', 'names no session'],
    ['a backslash', '/__patchgate/session/a\\..\\/x', 'names no session'],
    ['a broken escape', '/__patchgate/session/%zz/x', 'names no session'],
    ['a name that is too long', `/__patchgate/session/${'x'.repeat(101)}/x`, 'names no session'],
  ])('with %s is refused: %s', (_, url, why) => {
    expect(isSessionPath(url)).toBe(true);
    expect(refused(url)).toContain(why);
  });

  it.each([
    ['x'.repeat(130), 'it has 130 characters, and 100 is the most'],
    ['%C3%A9t%C3%A9', 'it has "é" (U+00E9), which is no printable ASCII'],
    ['%1b[2J', 'it has U+001B, which is no printable ASCII'],
    [`${'x'.repeat(100)}%F0%9F%98%80`, 'it has 102 characters, and 100 is the most; it has U+1F600, which'],
    ['%2e%2e', 'it is ".."'],
    ['%zz', 'it is not percent-encoded UTF-8'],
  ])('says what is wrong with the name %s', (name, why) => {
    const said = refused(`/__patchgate/session/${name}/x`);
    expect(said).toContain(`the path names no session, since that is no name: ${why}`);
    expect(said).toContain('recordingName(test) of patchgate/testing makes such a name');
  });

  it.each([
    '/..',
    '/../..',
    '/../../api',
    '/./x',
    '/x/..',
    '/x/../y',
    '/x/%2e%2e/y',
    '/x/.%2E/y',
    '/x/%252e%252e/y',
    '/x%2f..%2fy',
    '/x%252f%252e./y',
    '/x\\..\\y',
    '/x/..;a=b/y',
    '/x/..%3ba/y',
    '//elsewhere.example/x',
    '/\\elsewhere.example/x',
  ])('whose rest could lead out of it is refused: %s', (rest) => {
    expect(refused(NAMED + rest)).toContain('could lead out of its session');
  });

  it.each([
    '/__patchgate/session/b/x',
    '/__patchgate/reset',
    '/__PATCHGATE/reset',
    '/%5f_patchgate/health',
    '/x;/__patchgate',
    '/__patchgate',
  ])('with another one, or the control API, in it is refused where it could be read so: %s', (rest) => {
    if (rest === '/x;/__patchgate') expect(taken(NAMED + rest)?.url).toBe(rest);
    else expect(refused(NAMED + rest)).toContain('no control API');
  });

  it('and a header must name the same one', () => {
    expect(refused(`${NAMED}/x`, ['Patchgate-Session', 'b'])).toContain('name two sessions');
    expect(refused(`${NAMED}/x`, ['Patchgate-Session', 'a', 'Patchgate-Session', 'a'])).toContain(
      'comes more than once',
    );
  });
});

it.each([
  '/',
  '/x/__patchgate/session/a/x',
  '/__patchgate/sessions/a',
  '/__patchgate/Session/a/x',
  '/__Patchgate/session/a/x',
  '//__patchgate/session/a/x',
  '/./__patchgate/session/a/x',
  '/__patchgate//session/a/x',
  '/__patchgate/session%2Fa/x',
  '/__patchgate/%73ession/a/x',
  'http://__patchgate/session/a/x',
  '/x?/__patchgate/session/a/x',
  '*',
])('nothing but the plain path names a session: %s', (url) => {
  expect(isSessionPath(url)).toBe(false);
  expect(takeSession(url, [])).toBeUndefined();
});

const PREFIX = '/__patchgate/session/a';

/** The headers that a client gets of an answer to `/api/v2/x`. */
function handedOn(headers: string[], host = 'localhost:4010', prefix = PREFIX): readonly string[] {
  const req = {
    rawHeaders: host === '' ? [] : ['Host', host],
    socket: {},
  } as unknown as IncomingMessage;
  return headersInSession(headers, { name: 'a', prefix, url: '/api/v2/x?y=1' }, req);
}

it.each([
  ['/login?to=1#top', `${PREFIX}/login?to=1#top`],
  ['../y', `${PREFIX}/api/y`],
  ['../../../../y', `${PREFIX}/y`],
  ['z', `${PREFIX}/api/v2/z`],
  ['?page=2', `${PREFIX}/api/v2/x?page=2`],
  ['http://localhost:4010/login', `http://localhost:4010${PREFIX}/login`],
  ['HTTP://LOCALHOST:4010/login', `http://localhost:4010${PREFIX}/login`],
  ['//localhost:4010/login', `http://localhost:4010${PREFIX}/login`],
])('a location that leads back keeps the session: %s', (location, kept) => {
  expect(handedOn(['Location', location])).toEqual(['Location', kept]);
  expect(handedOn(['X-A', 'Location', 'content-location', location])).toEqual([
    'X-A',
    'Location',
    'content-location',
    kept,
  ]);
});

it.each([
  'http://localhost:4011/login',
  'https://localhost:4010/login',
  '//elsewhere.example/login',
  '/\\elsewhere.example/login',
  'mailto:a@b.example',
  'http://[broken',
])('one that leads elsewhere is left alone: %s', (location) => {
  expect(handedOn(['Location', location])).toEqual(['Location', location]);
});

it('without a Host nobody knows whether a whole URL leads back', () => {
  expect(handedOn(['Location', 'http://localhost:4010/login'], '')).toEqual([
    'Location',
    'http://localhost:4010/login',
  ]);
});

it.each([
  ['id=1; Path=/api; HttpOnly', `id=1; Path=${PREFIX}/api; HttpOnly`],
  ['id=1;path=/', `id=1;path=${PREFIX}/`],
  ['id=/path=/; Secure', 'id=/path=/; Secure'],
  ['__Host-id=1; Path=/; Secure', '__Host-id=1; Path=/; Secure'],
  ['id=1; Path=api', 'id=1; Path=api'],
])('a cookie comes back to the paths of the session: %s', (cookie, kept) => {
  expect(handedOn(['Set-Cookie', cookie])).toEqual(['Set-Cookie', kept]);
});

it('a cookie whose path cannot be told apart from the name of a session is left alone', () => {
  const headers = ['Set-Cookie', 'id=1; Path=/'];
  expect(handedOn(headers, undefined, `${PREFIX};b`)).toEqual(headers);
});
