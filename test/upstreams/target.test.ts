import { describe, expect, it } from 'vitest';
import { asUnconnected, failureKind, parseTarget, targetError } from '../../src/upstreams/target.ts';

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

describe('why a target could not be reached', () => {
  const told = (target: string, error: Error) => {
    const { message, hint = '' } = targetError(parseTarget(target), error, 1000);
    return `${message}; ${hint}`;
  };

  it.each([
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'it wants a certificate of the gate: --target-cert'],
    ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', 'it may want a certificate of the gate'],
    ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', "it does not know the authority of the gate's certificate"],
    ['ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE', "it does not take the gate's certificate"],
    ['ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED', "it does not take the gate's certificate"],
    ['ECONNRESET', 'a target that wants a certificate of the gate (--target-cert'],
  ])('%s', (code, text) => {
    expect(told('https://localhost', withCode(code))).toContain(text);
  });

  it('tells an alert by the message, too', () => {
    const text =
      'write EPROTO 809C:error:0A000418:SSL routines:ssl3_read_bytes:tlsv1 alert unknown ca:../deps';
    const error = asUnconnected(Object.assign(new Error(text), { code: 'EPROTO' }));
    expect(told('https://localhost', error)).toContain("the authority of the gate's certificate");
  });

  it('says nothing of certificates where there is no TLS', () => {
    expect(told('http://localhost', withCode('ECONNRESET'))).not.toContain('certificate');
  });
});
