import type { IncomingMessage } from 'node:http';
import { expect, it } from 'vitest';
import { headersInSession } from '../../src/server/headers-in-session.ts';

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
