import { describe, expect, it } from 'vitest';
import { checkControlToken, controlAccess } from '../../../src/server/control/control-access.ts';
import { refusal } from '../../support/errors.ts';

const LOCAL = { loopback: true };

function status(headers: string[], access: { loopback: boolean; token?: string } = LOCAL, url = '/') {
  return controlAccess({ url, headers }, access)?.status;
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

describe('other origins', () => {
  const at = (...headers: string[]) => status(['Host', 'localhost:4010', ...headers]);

  it.each(['http://localhost:4010', 'HTTP://LOCALHOST:4010', 'https://localhost:4010'])(
    'lets %s in',
    (origin) => expect(at('Origin', origin)).toBeUndefined(),
  );

  it('knows the default port', () => {
    expect(status(['Host', 'localhost', 'Origin', 'http://localhost:80'])).toBeUndefined();
    expect(status(['Host', 'localhost', 'Origin', 'http://localhost:4010'])).toBe(403);
  });

  it.each([
    'null',
    '',
    'http://localhost',
    'http://localhost:4011',
    'http://127.0.0.1:4010',
    'http://evil.example',
    'http://localhost:4010.evil.example',
    'file://',
    'chrome-extension://localhost:4010',
  ])('refuses Origin %s', (origin) => expect(at('Origin', origin)).toBe(403));

  it('refuses a second Origin', () => {
    expect(at('Origin', 'http://localhost:4010', 'Origin', 'http://evil.example')).toBe(403);
  });

  it.each([
    ['none', undefined],
    ['same-origin', undefined],
    ['same-site', 403],
    ['cross-site', 403],
    ['other', 403],
  ])('Sec-Fetch-Site %s: %s', (site, expected) => expect(at('Sec-Fetch-Site', site)).toBe(expected));
});

describe('with a token', () => {
  const access = { loopback: false, token: 's3cret token' };

  it('takes it under any Host', () => {
    expect(status(['Host', 'gate.example', 'Authorization', 'Bearer s3cret token'], access)).toBeUndefined();
    expect(status(['Host', 'gate.example', 'authorization', 'bearer s3cret token'], access)).toBeUndefined();
  });

  it.each([
    [],
    ['Authorization', ''],
    ['Authorization', 's3cret token'],
    ['Authorization', 'Basic s3cret token'],
    ['Authorization', 'Bearer s3cret'],
    ['Authorization', 'Bearer s3cret token2'],
    ['Authorization', 'Bearer s3cret token', 'Authorization', 'Bearer s3cret token'],
  ])('refuses %j %j', (...headers) => {
    expect(status(['Host', 'localhost', ...headers], access)).toBe(401);
    expect(status(['Host', 'localhost', ...headers], { ...access, loopback: true })).toBe(401);
  });

  it('still refuses another origin', () => {
    const headers = ['Host', 'gate.example', 'Authorization', 'Bearer s3cret token'];
    expect(status([...headers, 'Origin', 'https://gate.example'], access)).toBeUndefined();
    expect(status([...headers, 'Origin', 'https://evil.example'], access)).toBe(403);
    expect(status([...headers, 'Sec-Fetch-Site', 'cross-site'], access)).toBe(403);
  });
});

it('is closed off loopback without a token, and says what to do', () => {
  expect(controlAccess({ url: '/', headers: ['Host', 'localhost'] }, { loopback: false })).toMatchObject({
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
  ])('%j is taken on %s', (token, host) => expect(checkControlToken(token, host)).toBeUndefined());

  it.each([
    ['0123456789abcde', '0.0.0.0', 'shorter than 16 characters'],
    ['0123456789abcde', 'gate.example', 'shorter than 16 characters'],
    ['two words, long enough', '127.0.0.1', 'spaces'],
    ['tok\u00e9n-of-some-length', '127.0.0.1', 'spaces or other'],
    ['line\nbreak', '127.0.0.1', 'spaces or other'],
  ])('%j is refused on %s', (token, host, says) => {
    expect(refusal('bad-config', () => checkControlToken(token, host))).toContain(says);
  });
});
