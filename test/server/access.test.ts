import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import {
  type AccessSettings,
  approverOf,
  createAccess,
  readNamedTokens,
  refusedByUi,
} from '../../src/server/access.ts';
import { refusal } from '../support/errors.ts';

const SETTINGS: AccessSettings = {
  controlToken: undefined,
  approvers: new Map(),
  host: '127.0.0.1',
  target: undefined,
};

function requestOf(headers: string[], url = '/'): IncomingMessage {
  return { url, rawHeaders: headers } as unknown as IncomingMessage;
}

/** What the control API answers, where it refuses. */
function control(headers: string[], settings: Partial<AccessSettings> = {}, url = '/', isOnLoopback = true) {
  return createAccess({ ...SETTINGS, ...settings })(requestOf(headers, url), 'control', isOnLoopback);
}

const status = (...args: Parameters<typeof control>) => control(...args)?.status;

describe('the control API without a token', () => {
  it.each([
    ...['localhost', 'LOCALHOST:4010', '127.0.0.1', '127.0.0.1:4010', '127.255.3.4:1', '[::1]', '[::1]:4010'],
    ...['[::ffff:127.0.0.1]:4010', '[::ffff:7f00:1]'],
  ])('answers to Host %s', (host) => expect(status(['Host', host])).toBeUndefined());

  it.each([
    ...['example.com', 'localhost.example.com', 'localhost.', 'x.localhost', 'evil@localhost'],
    ...['localhost:4010.example.com', 'localhost:x', '127.0.0.1.example.com', '127.0.0.256', '127.1'],
    ...['128.0.0.1', '0.0.0.0', '192.168.1.2:4010', '[::]', '[::ffff:10.0.0.1]', '127.0.0.1.nip.io'],
    ...['127.0.0.1:4010:1', '[::1%25lo]', '::1', 'localhost, localhost'],
  ])('refuses Host %s', (host) => expect(status(['Host', host])).toBe(403));

  it.each([
    [['Host', 'localhost'], 'http://evil.example/__patchgate/health', 403],
    [['Host', 'localhost'], 'http://user@localhost/__patchgate/health', 403],
    [['Host', 'localhost'], 'http:///__patchgate/health', 400],
    [['Host', 'localhost'], 'http://[::1/__patchgate/health', 400],
    [['Host', 'localhost'], 'x', 400],
    [['Host', 'localhost'], 'http://localhost:4010/__patchgate/health', undefined],
    [[], '/', 400],
    [['Host', ''], '/', 400],
    [['Host', 'localhost', 'host', 'localhost'], '/', 400],
    [[], 'http://localhost/__patchgate/health', 400],
  ])('answers to the headers %j and the target %s: %s', (headers, url, expected) =>
    expect(status(headers, {}, url)).toBe(expected),
  );

  it.each([
    ...['http://localhost:4010', 'http://127.0.0.1:4010', 'https://evil.example', 'null', ''].map(
      (origin) => ['Origin', origin],
    ),
    ...['same-origin', 'same-site', 'cross-site', ''].map((site) => ['Sec-Fetch-Site', site]),
    ['Sec-Fetch-Site', 'none', 'Sec-Fetch-Site', 'same-origin'],
    ...['Service-Worker', 'X-Forwarded-For', 'x-forwarded-host', 'Forwarded', 'via', 'X-Real-IP'].map((n) => [
      n,
      'x',
    ]),
    ...['True-Client-IP', 'CF-Connecting-IP', 'X-Original-Forwarded-For'].map((name) => [name, 'x']),
  ])('refuses pages and other proxies: %j', (...headers) =>
    expect(status(['Host', 'localhost:4010', ...headers])).toBe(403),
  );

  it.each([
    ['X-Via', 'x'],
    ['Accept', 'X-Forwarded-For'],
    ['Sec-Fetch-Site', 'none'],
  ])('answers to %s: %s', (...header) => expect(status(['Host', 'localhost', ...header])).toBeUndefined());

  it('is closed off loopback, and says what to do; but for the probes, which are for everybody', () => {
    const refused = control(['Host', 'localhost'], {}, '/', false);
    expect(refused).toMatchObject({ status: 403, hint: expect.stringContaining('PATCHGATE_CONTROL_TOKEN') });
    for (const part of ['live', 'ready?x'])
      expect(status(['Host', 'x'], {}, `/__patchgate/health/${part}`, false)).toBeUndefined();
    for (const part of ['lives', 'live/', '../health', ''])
      expect(status(['Host', 'x'], {}, `/__patchgate/health/${part}`, false)).toBe(403);
  });
});

describe('the control API with a token', () => {
  const TOKEN = { controlToken: 's3cret-token' };
  const RIGHT = ['Authorization', 'Bearer s3cret-token'];

  it.each([[RIGHT], [['authorization', 'bearer s3cret-token']]])('takes %j under any Host', (headers) =>
    expect(status(['Host', 'gate.example', ...headers], TOKEN, '/', false)).toBeUndefined(),
  );

  it.each([
    ...[
      [],
      ['Authorization', ''],
      ['Authorization', 's3cret-token'],
      ['Authorization', 'Basic s3cret-token'],
    ],
    ...[
      ['Authorization', 'Bearer s3cret'],
      ['Authorization', 'Bearer s3cret-token2'],
      [...RIGHT, ...RIGHT],
    ],
  ])('refuses %j %j', (...headers) => {
    for (const isOnLoopback of [true, false])
      expect(status(['Host', 'localhost', ...headers], TOKEN, '/', isOnLoopback)).toBe(401);
  });

  it.each(['Origin', 'Sec-Fetch-Site', 'Service-Worker', 'X-Forwarded-For', 'Via'])(
    'takes it with %s, and asks for it',
    (name) => {
      const headers = ['Host', 'gate.example', name, 'x'];
      expect(status([...headers, ...RIGHT], TOKEN)).toBeUndefined();
      expect(status(headers, TOKEN)).toBe(401);
    },
  );

  it.each([
    ...[
      ['x', '127.0.0.1'],
      ['x', '::1'],
      ['x', 'localhost'],
      ['0123456789abcdef', '0.0.0.0'],
    ],
    ...[['~!#$%&+/=?0123456789', '::']],
  ])('%j is taken on %s', (controlToken = '', host = '') =>
    expect(createAccess({ ...SETTINGS, controlToken, host })).toBeDefined(),
  );

  it.each([
    ['0123456789abcde', '0.0.0.0', 'shorter than 16 characters'],
    ['0123456789abcde', 'gate.example', 'shorter than 16 characters'],
    ['two words, long enough', '127.0.0.1', 'spaces'],
    ['tok\u00e9n-of-some-length', '127.0.0.1', 'spaces or other'],
    ['line\nbreak', '127.0.0.1', 'spaces or other'],
  ])('%j is refused on %s', (controlToken, host, says) =>
    expect(refusal('bad-config', () => createAccess({ ...SETTINGS, controlToken, host }))).toContain(says),
  );
});

describe("an approver's token", () => {
  const read = (...texts: string[]) => readNamedTokens(texts, { TOKEN: 'of-the-environment' }, '--approvers');

  it('opens the control API, off loopback and to pages as well', () => {
    const approvers = read('anna=t0ken-of-anna-at-work');
    const ask = (token: string, more: Partial<AccessSettings> = {}, isOnLoopback = true) => {
      const headers = ['Host', 'gate.test', 'Origin', 'http://gate.test', 'Authorization', `Bearer ${token}`];
      return status(headers, { approvers, ...more }, '/', isOnLoopback);
    };
    expect(ask('t0ken-of-anna-at-work', {}, false)).toBeUndefined();
    expect(ask('t0ken-of-anna-at-work', { controlToken: 'x' })).toBeUndefined();
    expect([ask('t0ken'), ask('t0ken', { controlToken: 'x' })]).toEqual([403, 401]);
  });

  it('names who sends it, and may stand in a variable', () => {
    const tokens = read('anna=t0ken-of-anna', 'anna=another=', 'the CI=env:TOKEN');
    const named = ['t0ken-of-anna', 'another=', 'of-the-environment', 't0ken', ''].map((token) =>
      approverOf(['AuthorizatioN', `Bearer ${token}`], tokens),
    );
    expect(named).toEqual(['anna', 'anna', 'the CI', undefined, undefined]);
    expect(read()).toEqual(new Map());
  });

  it.each([
    [['a=env:NONE'], 'a takes the variable NONE, which is not set (set NONE)'],
    [['a=t0ken', 'b=t0ken'], 'two have the same token'],
  ])('%j is refused, without the token', (texts, why) => {
    const said = refusal('bad-usage', () => read(...texts));
    expect(said).toContain(`invalid value for --approvers: ${why}`);
    expect(said).not.toContain('t0ken');
  });

  it.each<[Partial<AccessSettings>, string]>([
    [{ host: '0.0.0.0' }, 'a token is shorter than 16 characters'],
    [{ controlToken: 't0ken' }, 'an approver has the control token'],
  ])('is refused with %j', (settings, says) => {
    const approvers = read('anna=t0ken');
    expect(refusal('bad-config', () => createAccess({ ...SETTINGS, approvers, ...settings }))).toContain(
      says,
    );
  });
});

describe('what stands behind the gate', () => {
  const target = 'https://Staging.Example.com:8443/api/v2';
  const access = createAccess({ ...SETTINGS, host: 'Gate.Internal', target });
  const statusOf = (headers: string[], isOnLoopback = true) =>
    access(requestOf(headers, '/x'), 'target', isOnLoopback)?.status;

  it.each([
    ...['localhost', 'LocalHost:4010', 'a.localhost', 'a.b.localhost:1', 'host.docker.internal:4010'],
    ...['127.0.0.1', '127.0.0.2:443', '127.255.255.254', '[::1]', '[::1]:4010', '[::ffff:127.0.0.1]:4010'],
    ...['staging.example.com', 'STAGING.example.com:8443', 'staging.example.com:4010', 'gate.internal', ''],
  ])('is shown to Host %s', (host) => {
    for (let i = 0; i < 2; i++) expect(statusOf(['Host', host])).toBeUndefined();
  });

  it.each([
    ...['evil.example', 'evil.example:4010', 'localhost.evil.example', 'xlocalhost', '127.0.0.1.nip.io'],
    ...[
      'staging.example.com.evil.example',
      'xstaging.example.com',
      'example.com',
      'team.test',
      'x.gate.test',
    ],
    ...[
      '0.0.0.0',
      '[::]',
      '10.0.0.1',
      '192.168.0.1:4010',
      '127.1',
      '2130706433',
      '[fd00::2]',
      'user@localhost',
    ],
  ])('is not to Host %s', (host) => {
    for (let i = 0; i < 2; i++) expect(statusOf(['Host', host])).toBe(421);
    expect(statusOf(['Host', host], false)).toBeUndefined();
  });

  it('has no service worker registered, in whatever server, and does not mind where a request comes from', () => {
    for (const at of [true, false])
      expect(statusOf(['Host', 'localhost', 'Service-Worker', 'script'], at)).toBe(403);
    expect(statusOf(['Host', 'localhost', 'Origin', 'http://a.test', 'Via', 'x'])).toBeUndefined();
    expect(statusOf([])).toBeUndefined();
  });
});

describe('the inspector', () => {
  const tokens = readNamedTokens(['anna=of-anna', 'page=s3cret'], {}, '--approvers');
  const statusOf = (asked: 'control' | 'page', headers: string[], url = '/') =>
    refusedByUi(requestOf(headers, url), asked, tokens)?.status;

  it.each(['localhost:4020', 'LOCALHOST', '127.0.0.1:4020', '127.1.2.3', '[::1]:4020'])(
    'is shown to Host %s',
    (host) => expect(statusOf('page', ['Host', host])).toBeUndefined(),
  );

  it.each([
    ...['evil.example', 'evil.example:4020', 'localhost.evil.example', 'x.localhost', 'host.docker.internal'],
    ...['127.0.0.1.nip.io', '0.0.0.0:4020', '192.168.0.1', 'user@localhost', '[::ffff:10.0.0.1]'],
  ])('is not to Host %s, with a token either', (host) => {
    expect(statusOf('page', ['Host', host])).toBe(421);
    expect(statusOf('control', ['Host', host, 'Authorization', 'Bearer s3cret'])).toBe(421);
  });

  it('is not to several Hosts, or to what asks for no path', () => {
    for (const headers of [[], ['Host', ''], ['Host', 'localhost', 'host', 'localhost']])
      expect(statusOf('page', headers)).toBe(400);
    for (const url of ['http://localhost/', '*'])
      expect(statusOf('page', ['Host', 'localhost'], url)).toBe(400);
  });

  it.each([
    ...['https://localhost:4020', 'http://localhost:4010', 'http://localhost', 'http://127.0.0.1:4020'],
    ...['https://evil.example', 'null', ''],
  ])('is not to Origin %j', (origin) => {
    const headers = ['Host', 'localhost:4020', 'Authorization', 'Bearer s3cret'];
    for (const asked of ['page', 'control'] as const) {
      expect(statusOf(asked, [...headers, 'Origin', origin])).toBe(403);
      expect(statusOf(asked, [...headers, 'Origin', 'http://localhost:4020'])).toBeUndefined();
    }
  });

  it.each(['Bearer s3cre', 'Bearer of-anna2', 'Basic s3cret', ''])(
    'lets no %j ask the control API',
    (value) => {
      expect(statusOf('control', ['Host', 'localhost', 'Authorization', value])).toBe(401);
      expect(statusOf('control', ['Host', 'localhost', 'Authorization', 'bearer of-anna'])).toBeUndefined();
    },
  );
});
