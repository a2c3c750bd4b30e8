import { describe, expect, it } from 'vitest';
import {
  isSessionPath,
  SESSIONS_AT_MOST,
  Sessions,
  sessionNameOf,
  sessionPath,
  takeSession,
} from '../../src/server/sessions.ts';
import { refusal } from '../support/errors.ts';

it('a session begins with its first request, and is another one when it begins again', () => {
  const sessions = new Sessions();
  const first = sessions.enter('a');
  expect(sessions.enter('a')).toBe(first);
  sessions.end('a');
  expect(sessions.enter('a').id).not.toBe(first.id);
  const before = sessions.default.id;
  sessions.endAll();
  expect(sessions.enter('').id).not.toBe(before);
});

it('too many end the one whose last request is the longest ago', () => {
  const sessions = new Sessions();
  for (let i = 0; i < SESSIONS_AT_MOST; i++) sessions.enter(`s${i}`);
  for (const name of ['s0', '', 'one more']) sessions.enter(name);
  expect(['s0', 's1', 's2', 'one more'].filter((name) => sessions.get(name) === undefined)).toEqual(['s1']);
});

describe('the header', () => {
  it('names a session, or the default one where it is not there', () => {
    expect(sessionNameOf(['Host', 'h', 'Patchgate-Findings', 'x'])).toBe('');
    for (const name of ['a', '...', 'tests/x.py::test[1 > 2]', '~'.repeat(100)])
      expect(sessionNameOf(['Host', 'h', 'patchgate-SESSION', name])).toBe(name);
  });

  it.each([[''], ['.'], ['..'], ['ü'], ['\t'], ['a\u0000'], ['\x7f'], ['a'.repeat(101)], ['a', 'a']])(
    'is refused as %j %j',
    (...names) => {
      const raw = names.flatMap((name) => ['Patchgate-Session', name]);
      expect(refusal('malformed-request', () => sessionNameOf(raw))).toContain('send it once, with 1 to 100');
    },
  );
});

describe('a path that names a session', () => {
  const NAMED = '/__patchgate/session/a';
  const refused = (url: string, headers: string[] = []) =>
    refusal('malformed-request', () => takeSession(url, headers));

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
    ['/x;/__patchgate', '/x;/__patchgate'],
  ])('is taken off: %j', (rest, url) => {
    expect(takeSession(NAMED + rest, [])).toEqual({ name: 'a', url });
    expect(takeSession(`http://any.example${NAMED}${rest}`, [])).toEqual({ name: 'a', url });
  });

  it.each(['a', "a suite/3: it's there", '100%', '?#[]@', 'a;b', '...', '%2e%2e', 'x'.repeat(100)])(
    'has any name that the header could have: %j',
    (name) => {
      expect(takeSession(`${sessionPath(name)}/x`, [])).toMatchObject({ name, url: '/x' });
      expect(takeSession(`${sessionPath(name)}/x`, ['patchgate-session', name])).toMatchObject({ name });
    },
  );

  it.each([
    ...['', '/', '?x=/a', '//a/x', '/../x', '/%2e%2E/x', '/%00/x', '/%C3%A9/x', '/a\\..\\/x', '/%zz/x'],
    `/${'x'.repeat(101)}/x`,
  ])('is refused without a name: /__patchgate/session%s', (rest) => {
    expect(isSessionPath(`/__patchgate/session${rest}`)).toBe(true);
    expect(refused(`/__patchgate/session${rest}`)).toContain('names no session');
  });

  it.each([
    ...['/..', '/../..', '/../../api', '/./x', '/x/..', '/x/../y', '/x/%2e%2e/y', '/x/.%2E/y'],
    ...['/x/%252e%252e/y', '/x%2f..%2fy', '/x%252f%252e./y', '/x\\..\\y', '/x/..;a=b/y', '/x/..%3ba/y'],
    ...['//elsewhere.example/x', '/\\elsewhere.example/x', '/__patchgate/session/b/x', '/__patchgate/reset'],
    ...['/__PATCHGATE/reset', '/%5f_patchgate/health', '/__patchgate'],
  ])('is refused where its rest could lead out of it: %s', (rest) => {
    expect(refused(NAMED + rest)).toContain('could lead out of its session');
  });

  it('and a header must name the same one', () => {
    expect(refused(`${NAMED}/x`, ['Patchgate-Session', 'b'])).toContain('name two sessions');
  });

  it.each([
    '/',
    '/x/__patchgate/session/a/x',
    '/__patchgate/sessions/a',
    '/__patchgate/Session/a/x',
    '/x?/__patchgate/session/a',
  ])('is none as %s', (url) =>
    expect(takeSession(url, ['Patchgate-Session', 'b'])).toEqual({ name: 'b', url }),
  );
});
