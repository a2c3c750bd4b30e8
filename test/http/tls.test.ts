import { createPrivateKey } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { readKeyPair, readTargetTls } from '../../src/http/tls.ts';
import { parseTarget } from '../../src/upstreams/target.ts';
import { fileOf, makeAuthority, makeCertificate, type Pair } from '../support/certificates.ts';
import { laterRefusal } from '../support/errors.ts';

let authority: Pair;
let pair: Pair;
beforeAll(async () => {
  authority = await makeAuthority();
  pair = await makeCertificate(['localhost'], { authority });
});

describe('certificate and key of the gate', () => {
  const read = (tlsCert?: string, tlsKey?: string) => readKeyPair('--tls', tlsCert, tlsKey);

  it('are taken as they are, with the rest of the chain', async () => {
    const cert = `${pair.cert}\n${authority.cert}`;
    expect(await read(fileOf(cert), fileOf(pair.key))).toEqual({ cert, key: pair.key });
    expect(await read()).toBeUndefined();
  });

  it('are refused one without the other, or as something else', async () => {
    const cert = fileOf(pair.cert, 'own.crt');
    const key = fileOf(pair.key, 'own.key');
    const locking = { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' } as const;
    const locked = fileOf(String(createPrivateKey(pair.key).export(locking)));
    const other = fileOf((await makeCertificate(['localhost'])).key, 'other.key');
    const chain = fileOf(`${authority.cert}\n${pair.cert}`);
    expect(await laterRefusal('bad-usage', read(cert))).toContain('--tls-cert and --tls-key go together (');
    const refused = (a: string, b: string) => laterRefusal('bad-input', read(a, b));
    expect(await refused('no.crt', key)).toBe(
      'cannot read no.crt: it does not exist (check the path given with --tls-cert)',
    );
    expect(await refused(key, key)).toMatch(/own\.key holds no certificate in PEM/);
    expect(await refused(cert, cert)).toMatch(/own\.crt holds no private key in PEM/);
    expect(await refused(cert, locked)).toMatch(/without a passphrase: .*openssl pkey/s);
    expect(await refused(cert, other)).toMatch(
      /TLS does not take .*own\.crt with .*other\.key: .*made together/,
    );
    expect(await refused(chain, key)).toContain('the own certificate comes first');
  });
});

describe('TLS to the target', () => {
  interface Given {
    target?: string;
    targetCa?: string;
  }
  const read = ({ target = 'https://staging.example.com', targetCa }: Given) =>
    readTargetTls(parseTarget(target), { targetCa });
  const broken = () => authority.cert.replace(/\n.{8}/, '\nAAAAAAAA');

  it.each([
    ['nothing', () => ''],
    ['a key', () => authority.key],
    ['a broken certificate', broken],
    ['half a certificate', () => authority.cert.slice(0, 200)],
    ['a broken one behind a good one', () => `${authority.cert}${broken()}`],
  ])('takes no file of authorities that holds %s', async (_, text) => {
    expect(await laterRefusal('bad-input', read({ targetCa: fileOf(text(), 'odd.crt') }))).toMatch(
      /odd\.crt holds no certificate in PEM, or a broken one/,
    );
  });

  it('takes no settings that contradict the target', async () => {
    const plain = { target: 'http://127.0.0.1:9/api', targetCa: 'ca.crt' };
    expect(await laterRefusal('bad-usage', read(plain))).toBe(
      '--target-ca has no meaning for http://127.0.0.1:9: it speaks no TLS (leave --target-ca out, or give the target as https://127.0.0.1:9)',
    );
  });
});
