import { expect, it } from 'vitest';
import {
  asUnconnected,
  NeverReached,
  parseTarget,
  targetError,
  timedOut,
} from '../../src/upstreams/target.ts';

const withCode = (code: string, text = 'failed') => Object.assign(new Error(text), { code });

it.each([
  [withCode('ECONNREFUSED'), true],
  [withCode('ENOTFOUND'), true],
  [withCode('CERT_HAS_EXPIRED'), true],
  [asUnconnected(withCode('ECONNRESET')), true],
  [withCode('ECONNRESET'), false],
  [withCode('UND_ERR_SOCKET'), false],
  [withCode('HPE_INVALID_CONSTANT'), false],
  [timedOut(), false],
  [asUnconnected(timedOut()), false],
])('%j says that the target never had the request: %s', (error, isNever) => {
  const told = targetError(parseTarget('http://localhost'), error, 1000);
  expect([told instanceof NeverReached, told.status]).toEqual([
    isNever,
    told.code === 'target-timeout' ? 504 : 502,
  ]);
});

it.each([
  [
    withCode('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'),
    'it may want a certificate of the gate: --target-cert',
  ],
  [withCode('ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE'), 'it may want a certificate of the gate'],
  [withCode('ERR_SSL_TLSV1_ALERT_UNKNOWN_CA'), "it does not take the gate's certificate"],
  [withCode('ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE'), "it does not take the gate's certificate"],
  [withCode('EPROTO', 'write EPROTO 809C: tlsv1 alert unknown ca:../deps'), "take the gate's certificate"],
  [withCode('SELF_SIGNED_CERT_IN_CHAIN'), 'its authority is not known here'],
  [withCode('ECONNRESET'), 'a target that wants a certificate of the gate (--target-cert'],
])('%j is told with what to do', (error, text) => {
  const { message, hint } = targetError(parseTarget('https://localhost'), error, 1000);
  expect(`${message}; ${hint}`).toContain(text);
});

it('says nothing of certificates where there is no TLS', () => {
  const { message, hint } = targetError(parseTarget('http://localhost'), withCode('ECONNRESET'), 1000);
  expect(`${message}; ${hint}`).not.toContain('certificate');
});
