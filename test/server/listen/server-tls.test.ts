import { createPrivateKey } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../../src/errors.ts';
import { readServerTls } from '../../../src/server/listen/server-tls.ts';
import { fileOf, makeAuthority, makeCertificate, type Pair } from '../../support/certificates.ts';
import { laterRefusal } from '../../support/errors.ts';

let authority: Pair;
let pair: Pair;
beforeAll(async () => {
  authority = await makeAuthority();
  pair = await makeCertificate(['localhost'], { authority });
});

const read = (tlsCert?: string, tlsKey?: string) => readServerTls({ tlsCert, tlsKey });
const refused = (tlsCert?: string, tlsKey?: string, code: ErrorCode = 'bad-input') =>
  laterRefusal(code, read(tlsCert, tlsKey));

describe('certificate and key of the gate', () => {
  it('are nothing where nobody says anything', async () => {
    expect(await read()).toBeUndefined();
  });

  it('are taken as they are, with the rest of the chain', async () => {
    const cert = `${pair.cert}\n${authority.cert}`;
    expect(await read(fileOf(cert), fileOf(pair.key))).toEqual({ cert, key: pair.key });
  });

  it('go together', async () => {
    expect(await refused('a.crt', undefined, 'bad-usage')).toBe(
      '--tls-cert is given without --tls-key (TLS takes both: --tls-cert server.crt --tls-key server.key)',
    );
    expect(await refused(undefined, 'a.key', 'bad-usage')).toContain('--tls-key is given without --tls-cert');
  });

  it('must be there', async () => {
    expect(await refused('no-such.crt', fileOf(pair.key))).toBe(
      'cannot read the certificate no-such.crt: it does not exist (check the path given with --tls-cert)',
    );
    expect(await refused(fileOf(pair.cert), 'no-such.key')).toBe(
      'cannot read the key no-such.key: it does not exist (check the path given with --tls-key)',
    );
  });

  it('must be in PEM', async () => {
    const key = fileOf(pair.key, 'own.key');
    expect(await refused(key, key)).toMatch(/own\.key holds no certificate in PEM/);
    expect(await refused(fileOf('', 'odd.crt'), key)).toMatch(/odd\.crt holds no certificate in PEM/);
    const cert = fileOf(pair.cert, 'own.crt');
    expect(await refused(cert, cert)).toMatch(/own\.crt holds no private key in PEM/);
  });

  it('must belong together', async () => {
    const other = await makeCertificate(['localhost']);
    const told = await refused(fileOf(pair.cert, 'own.crt'), fileOf(other.key, 'other.key'));
    expect(told).toMatch(/^the key in .*other\.key is not that of the certificate in .*own\.crt/);
    // The authority's certificate came first.
    const chain = fileOf(`${authority.cert}\n${pair.cert}`, 'chain.crt');
    expect(await refused(chain, fileOf(pair.key))).toContain('the own certificate comes first');
  });

  it('must not be locked: nobody could be asked', async () => {
    const locked = createPrivateKey(pair.key).export({
      type: 'pkcs8',
      format: 'pem',
      cipher: 'aes-256-cbc',
      passphrase: 'secret',
    });
    expect(await refused(fileOf(pair.cert), fileOf(String(locked), 'locked.key'))).toMatch(
      /the key in .*locked\.key is locked with a passphrase \(unlock it: openssl /,
    );
  });

  it('must be such as TLS takes', async () => {
    const broken = `${pair.cert}\n-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`;
    expect(await refused(fileOf(broken, 'broken.crt'), fileOf(pair.key))).toMatch(
      /TLS does not take the certificate in .*broken\.crt: /,
    );
  });
});
