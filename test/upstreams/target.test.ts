import { expect, it } from 'vitest';
import { asUnconnected, failureKind } from '../../src/upstreams/target.ts';

const withCode = (code: string) => Object.assign(new Error('failed'), { code });

it.each([
  ['ECONNREFUSED', 'refused'],
  ['ENOTFOUND', 'refused'],
  ['CERT_HAS_EXPIRED', 'refused'],
  ['UND_ERR_HEADERS_TIMEOUT', 'timeout'],
  ['UND_ERR_CONNECT_TIMEOUT', 'timeout'],
  ['ETIMEDOUT', 'timeout'],
  ['ECONNRESET', 'reset'],
  ['UND_ERR_SOCKET', 'reset'],
  ['HPE_INVALID_CONSTANT', 'reset'],
])('%s is a failure of the target: %s', (code, kind) => {
  expect(failureKind(withCode(code))).toBe(kind);
});

it.each(['EMFILE', 'UND_ERR_INVALID_ARG', 'UND_ERR_DESTROYED', 'ERR_INVALID_CHAR'])('%s is none', (code) => {
  expect(failureKind(withCode(code))).toBeUndefined();
  expect(failureKind(asUnconnected(withCode(code)))).toBeUndefined();
});

it('takes a reset for a refusal where there was no connection yet, but no timeout', () => {
  expect(failureKind(asUnconnected(withCode('ECONNRESET')))).toBe('refused');
  expect(failureKind(asUnconnected(withCode('ETIMEDOUT')))).toBe('timeout');
});
