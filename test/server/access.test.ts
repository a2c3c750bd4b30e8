import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import {
  type AccessSettings,
  type Asked,
  createAccess,
  createUiAccess,
  isLoopback,
  listensOnLoopback,
} from '../../src/server/access.ts';
import { readNamedTokens } from '../../src/server/named-tokens.ts';
import { refusal } from '../support/errors.ts';

const SETTINGS: AccessSettings = {
  controlToken: undefined,
  host: '127.0.0.1',
  target: undefined,
};

/** A request to a server that listens at an address. */
function requestOf(headers: string[], url = '/', address = '127.0.0.1'): IncomingMessage {
  const socket = { server: { address: () => ({ address }) } };
  return { url, rawHeaders: headers, socket } as unknown as IncomingMessage;
}

interface At {
  loopback: boolean;
  token?: string;
}

const LOCAL: At = { loopback: true };

function controlRefusal(headers: string[], { loopback, token }: At = LOCAL, url = '/') {
  const access = createAccess({ ...SETTINGS, controlToken: token });
  return access(requestOf(headers, url, loopback ? '127.0.0.1' : '0.0.0.0'), 'control', 'own');
}

function status(headers: string[], at?: At, url?: string) {
  return controlRefusal(headers, at, url)?.status;
}

describe('the Host header', () => {
  it.each([
    'localhost',
    'LOCALHOST:4010',
    '127.0.0.1',
    '127.0.0.1:4010',
    '127.255.3.4:1',
    '[::1]',
    '[::1]:4010',
    '[::ffff:127.0.0.1]:4010',
    '[::ffff:7f00:1]',
  ])('answers to %s', (host) => expect(status(['Host', host])).toBeUndefined());

  it.each([
    'example.com',
    'localhost.example.com',
    'localhost.',
    'x.localhost',
    'evil@localhost',
    'localhost:4010.example.com',
    'localhost:x',
    '127.0.0.1.example.com',
    '127.0.0.256',
    '127.1',
    '128.0.0.1',
    '0.0.0.0',
    '192.168.1.2:4010',
    '[::]',
    '[::ffff:10.0.0.1]',
    '127.0.0.1.nip.io',
    '127.0.0.1:4010:1',
    '[::1%25lo]',
    '::1',
    'localhost, localhost',
  ])('refuses %s', (host) => expect(status(['Host', host])).toBe(403));

  it('refuses none, an empty one and several', () => {
    expect(status([])).toBe(400);
    expect(status(['Host', ''])).toBe(400);
    expect(status(['Host', 'localhost', 'host', 'localhost'])).toBe(400);
  });
});

it('takes the authority of an absolute target for the Host', () => {
  const headers = ['Host', 'localhost'];
  expect(status(headers, LOCAL, 'http://evil.example/__patchgate/health')).toBe(403);
  expect(status(headers, LOCAL, 'http://user@localhost/__patchgate/health')).toBe(403);
  expect(status(headers, LOCAL, 'http:///__patchgate/health')).toBe(400);
  expect(status(headers, LOCAL, 'http://localhost:4010/__patchgate/health')).toBeUndefined();
  expect(status([], LOCAL, 'http://localhost/__patchgate/health')).toBe(400);
});

describe('the control API, to what a browser sends', () => {
  const at = (...headers: string[]) => status(['Host', 'localhost:4010', ...headers]);

  it.each(['http://localhost:4010', 'http://127.0.0.1:4010', 'https://evil.example', 'null', '', 'file://'])(
    'refuses Origin %j, be it its own',
    (origin) => expect(at('Origin', origin)).toBe(403),
  );

  it.each([
    ['none', undefined],
    ['same-origin', 403],
    ['same-site', 403],
    ['cross-site', 403],
    ['', 403],
  ])('Sec-Fetch-Site %j: %s', (site, expected) => expect(at('Sec-Fetch-Site', site)).toBe(expected));

  it('refuses a second Sec-Fetch-Site, and a service worker', () => {
    expect(at('Sec-Fetch-Site', 'none', 'Sec-Fetch-Site', 'same-origin')).toBe(403);
    expect(at('Service-Worker', 'script')).toBe(403);
  });
});

describe('the control API, to what came through another proxy', () => {
  it.each([
    ...['X-Forwarded-For', 'x-forwarded-host', 'X-Forwarded-Proto', 'Forwarded', 'via', 'X-Real-IP'],
    ...['True-Client-IP', 'CF-Connecting-IP', 'X-Original-Forwarded-For'],
  ])('refuses %s', (name) => expect(status(['Host', 'localhost', name, 'x'])).toBe(403));

  it.each([
    ['X-Via', 'x'],
    ['Accept', 'X-Forwarded-For'],
  ])('answers to %s: %s', (...header) => expect(status(['Host', 'localhost', ...header])).toBeUndefined());
});

describe('with a token', () => {
  const access = { loopback: false, token: 's3cret-token' };

  it('takes it under any Host', () => {
    expect(status(['Host', 'gate.example', 'Authorization', 'Bearer s3cret-token'], access)).toBeUndefined();
    expect(status(['Host', 'gate.example', 'authorization', 'bearer s3cret-token'], access)).toBeUndefined();
  });

  it.each([
    [],
    ['Authorization', ''],
    ['Authorization', 's3cret-token'],
    ['Authorization', 'Basic s3cret-token'],
    ['Authorization', 'Bearer s3cret'],
    ['Authorization', 'Bearer s3cret-token2'],
    ['Authorization', 'Bearer s3cret-token', 'Authorization', 'Bearer s3cret-token'],
  ])('refuses %j %j', (...headers) => {
    expect(status(['Host', 'localhost', ...headers], access)).toBe(401);
    expect(status(['Host', 'localhost', ...headers], { ...access, loopback: true })).toBe(401);
  });

  it.each([
    ['Origin', 'https://gate.example'],
    ['Sec-Fetch-Site', 'same-origin'],
    ['Service-Worker', 'script'],
    ['X-Forwarded-For', '192.0.2.1'],
    ['Via', '1.1 nginx'],
  ])('takes it with %s, and asks for it', (...header) => {
    const headers = ['Host', 'gate.example', ...header];
    expect(status([...headers, 'Authorization', 'Bearer s3cret-token'], access)).toBeUndefined();
    expect(status(headers, access)).toBe(401);
  });
});

it('is closed off loopback without a token, and says what to do', () => {
  expect(controlRefusal(['Host', 'localhost'], { loopback: false })).toMatchObject({
    status: 403,
    hint: expect.stringContaining('PATCHGATE_CONTROL_TOKEN'),
  });
});

describe('a control token', () => {
  it.each([
    ['x', '127.0.0.1'],
    ['x', '::1'],
    ['x', 'localhost'],
    ['0123456789abcdef', '0.0.0.0'],
    ['~!#$%&+/=?0123456789', '::'],
  ])('%j is taken on %s', (token, host) =>
    expect(createAccess({ ...SETTINGS, controlToken: token, host })).toBeDefined(),
  );

  it.each([
    ['0123456789abcde', '0.0.0.0', 'shorter than 16 characters'],
    ['0123456789abcde', 'gate.example', 'shorter than 16 characters'],
    ['two words, long enough', '127.0.0.1', 'spaces'],
    ['tok\u00e9n-of-some-length', '127.0.0.1', 'spaces or other'],
    ['line\nbreak', '127.0.0.1', 'spaces or other'],
  ])('%j is refused on %s', (token, host, says) => {
    expect(refusal('bad-config', () => createAccess({ ...SETTINGS, controlToken: token, host }))).toContain(
      says,
    );
  });
});

describe("an approver's token", () => {
  const ask = (headers: string[], settings: Partial<AccessSettings> = {}, address = '127.0.0.1') => {
    const approvers = readNamedTokens(['anna=t0ken-of-anna-at-work'], {}, '--approvers');
    const access = createAccess({ ...SETTINGS, approvers, ...settings });
    return access(requestOf(['Host', 'gate.test', ...headers], '/', address), 'control', 'own')?.status;
  };
  const ANNA = ['Authorization', 'Bearer t0ken-of-anna-at-work'];

  it('opens the control API, off loopback and to pages as well; without it, the rules are as ever', () => {
    expect(ask(ANNA)).toBeUndefined();
    expect(ask([...ANNA, 'Origin', 'http://gate.test'], {}, '0.0.0.0')).toBeUndefined();
    expect(ask([...ANNA], { controlToken: 'x' })).toBeUndefined();
    expect(ask(['Authorization', 'Bearer x'], { controlToken: 'x' })).toBeUndefined();
    expect(ask(['Authorization', 'Bearer t0ken'])).toBe(403);
    expect(ask([], { controlToken: 'x' })).toBe(401);
    expect(ask([], {}, '0.0.0.0')).toBe(403);
  });

  it.each<[string, Partial<AccessSettings>, string]>([
    ['anna=t0ken', { host: '0.0.0.0' }, 'the token of an approver is shorter than 16 characters'],
    ['anna=t0ken', { controlToken: 't0ken' }, 'an approver has the control token'],
  ])('%s is refused with %j', (text, settings, says) => {
    const approvers = readNamedTokens([text], {}, '--approvers');
    expect(refusal('bad-config', () => createAccess({ ...SETTINGS, approvers, ...settings }))).toContain(
      says,
    );
  });
});

describe('what stands behind the gate', () => {
  const settings = {
    ...SETTINGS,
    host: 'Gate.Internal',
    target: 'https://Staging.Example.com:8443/api/v2',
  };
  const access = createAccess(settings);
  const statusOf = (headers: string[], url = '/x', at: 'own' | 'other' = 'own', asked: Asked = 'target') =>
    access(requestOf(headers, url), asked, at)?.status;

  it.each([
    ...['localhost', 'LocalHost:4010', 'a.localhost', 'a.b.localhost:1', 'host.docker.internal:4010'],
    ...['127.0.0.1', '127.0.0.2:443', '127.255.255.254', '[::1]', '[::1]:4010', '[::ffff:127.0.0.1]:4010'],
    ...['staging.example.com', 'STAGING.example.com:8443', 'staging.example.com:4010', 'gate.internal'],
  ])('is shown to Host %s', (host) => {
    expect(statusOf(['Host', host])).toBeUndefined();
    // Remembered.
    expect(statusOf(['Host', host])).toBeUndefined();
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
    expect(statusOf(['Host', host])).toBe(421);
    expect(statusOf(['Host', host])).toBe(421);
    expect(statusOf(['Host', host], '/x', 'other')).toBeUndefined();
  });

  it('is shown to HTTP/1.0 without a Host', () => {
    expect(statusOf([])).toBeUndefined();
    expect(statusOf(['Host', ''])).toBeUndefined();
  });

  it('has no service worker registered, in whatever server', () => {
    for (const at of ['own', 'other'] as const)
      expect(statusOf(['Host', 'localhost', 'Service-Worker', 'script'], '/sw.js', at)).toBe(403);
  });

  it('does not mind where a request comes from', () => {
    const headers = [
      'Host',
      'localhost',
      'Origin',
      'http://a.test',
      'Sec-Fetch-Site',
      'cross-site',
      'Via',
      'x',
    ];
    expect(statusOf(headers)).toBeUndefined();
  });
});

describe('the inspector', () => {
  const SETTINGS = {
    token: 's3cret-token',
    approvers: readNamedTokens(['anna=of-anna'], {}, '--approvers'),
  };
  const statusOf = (asked: 'control' | 'page', headers: string[], url = '/') =>
    createUiAccess(SETTINGS)(requestOf(headers, url), asked)?.status;

  it.each(['localhost:4020', 'LOCALHOST', '127.0.0.1:4020', '127.1.2.3', '[::1]:4020'])(
    'is shown to Host %s',
    (host) => expect(statusOf('page', ['Host', host])).toBeUndefined(),
  );

  it.each([
    ...['evil.example', 'evil.example:4020', 'localhost.evil.example', 'x.localhost', 'host.docker.internal'],
    ...['127.0.0.1.nip.io', '0.0.0.0:4020', '192.168.0.1', 'user@localhost', '[::ffff:10.0.0.1]'],
  ])('is not to Host %s, with a token either', (host) => {
    expect(statusOf('page', ['Host', host])).toBe(421);
    expect(statusOf('control', ['Host', host, 'Authorization', 'Bearer s3cret-token'])).toBe(421);
  });

  it.each([
    [[], '/'],
    [['Host', ''], '/'],
    [['Host', 'localhost', 'host', 'localhost'], '/'],
    [['Host', 'localhost'], 'http://localhost/'],
    [['Host', 'localhost'], '*'],
  ])('is not to the headers %j and the target %s', (headers, url) =>
    expect(statusOf('page', headers, url)).toBe(400),
  );

  it.each([
    ['http://localhost:4020', undefined],
    ['https://localhost:4020', 403],
    ['http://localhost:4010', 403],
    ['http://localhost', 403],
    ['http://127.0.0.1:4020', 403],
    ['https://evil.example', 403],
    ['null', 403],
    ['', 403],
  ])('to Origin %j: %s', (origin, expected) => {
    const headers = ['Host', 'localhost:4020', 'Origin', origin];
    expect(statusOf('page', headers)).toBe(expected);
    expect(statusOf('control', [...headers, 'Authorization', 'Bearer s3cret-token'])).toBe(expected);
  });

  it.each([
    ['Bearer s3cret-token', undefined],
    ['bearer of-anna', undefined],
    ['Bearer s3cret', 401],
    ['Bearer of-anna2', 401],
    ['Basic s3cret-token', 401],
    ['', 401],
  ])('lets %j ask the control API: %s', (value, expected) => {
    expect(statusOf('control', ['Host', 'localhost', 'Authorization', value])).toBe(expected);
  });
});

it.each(['127.0.0.1', '127.9.8.7', '::1', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1', '::ffff:7f00:1'])(
  '%s is this machine only',
  (address) => expect(isLoopback(address)).toBe(true),
);

it.each([
  ...['0.0.0.0', '::', '10.0.0.1', '128.0.0.1', '::ffff:10.0.0.1', '::2', 'fe80::1%lo'],
  ...['', 'localhost', '127.1', '127.0.0.1.nip.io', '0x7f000001', '2130706433'],
])('%j is not, or nobody can say', (address) => expect(isLoopback(address)).toBe(false));

it.each([
  ['127.0.0.1', true],
  ['0.0.0.0', false],
])('a request to a server that listens on %s tells so', async (host, expected) => {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`).catch(() => undefined);
  const [request] = (await once(server, 'request')) as [IncomingMessage];
  expect(listensOnLoopback(request)).toBe(expected);
  server.close().closeAllConnections();
});

it('a request of no server is not from this machine', () => {
  expect(listensOnLoopback({ socket: {} } as IncomingMessage)).toBe(false);
});

it.each([
  ['/', undefined],
  ['*', undefined],
  ['http://[::1]/x', undefined],
  ['http://[::1/x', 400],
  ['http://a:99999/', 400],
  ['x', 400],
])('the control API answers to the target %s: %s', (target, refused) => {
  expect(status(['Host', 'localhost'], LOCAL, target)).toBe(refused);
});
