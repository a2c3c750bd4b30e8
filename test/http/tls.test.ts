import { createPrivateKey } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../src/errors.ts';
import { readServerTls, readTargetTls } from '../../src/http/tls.ts';
import { parseTarget } from '../../src/upstreams/target.ts';
import { fileOf, makeAuthority, makeCertificate, type Pair } from '../support/certificates.ts';
import { laterRefusal } from '../support/errors.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

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
      '--tls-cert is given without --tls-key (TLS takes both: --tls-cert own.crt --tls-key own.key)',
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
});

let caCert: string;
let caKey: string;
beforeAll(async () => {
  ({ cert: caCert, key: caKey } = await makeAuthority());
});

interface Given {
  target?: string;
  targetCa?: string;
  targetInsecure?: boolean;
}

const readOfTarget = ({ target = 'https://staging.example.com', targetCa, targetInsecure = false }: Given) =>
  readTargetTls(parseTarget(target), { targetCa, targetInsecure });
const refusedOfTarget = (given: Given, code: ErrorCode = 'bad-input') =>
  laterRefusal(code, readOfTarget(given));

describe('a file of authorities', () => {
  it('must be there', async () => {
    expect(await refusedOfTarget({ targetCa: 'no-such.crt' })).toBe(
      "cannot read the authorities' certificates no-such.crt: it does not exist (check the path given with --target-ca)",
    );
    expect(await refusedOfTarget({ targetCa: temporaryFolder() })).toMatch(/^cannot read .*: it is a folder/);
  });

  it.each([
    ['nothing', () => ''],
    ['a key', () => caKey],
    ['a text', () => 'certificate'],
    ['a broken certificate', () => caCert.replace(/\n.{8}/, '\nAAAAAAAA')],
    ['half a certificate', () => caCert.slice(0, 200)],
    ['a broken one behind a good one', () => `${caCert}${caCert.replace(/\n.{8}/, '\nAAAAAAAA')}`],
  ])('must not hold %s', async (_, text) => {
    const targetCa = fileOf(text(), 'odd.crt');
    expect(await refusedOfTarget({ targetCa })).toMatch(
      /odd\.crt holds no certificate in PEM, or a broken one \(.*BEGIN/,
    );
  });
});

describe('settings that do not go together', () => {
  it('are refused', async () => {
    const targetCa = fileOf(caCert);
    const both = await refusedOfTarget({ targetCa, targetInsecure: true }, 'bad-usage');
    expect(both).toContain('--target-ca and --target-insecure contradict each other');
  });

  it.each([
    [{ targetInsecure: true }, '--target-insecure'],
    [{ targetCa: 'ca.crt' }, '--target-ca'],
  ])('with a target that speaks no TLS are refused: %j', async (settings, flag) => {
    expect(await refusedOfTarget({ target: 'http://127.0.0.1:9/api', ...settings }, 'bad-usage')).toBe(
      `${flag} has no meaning for http://127.0.0.1:9: it speaks no TLS (leave ${flag} out, or give the target as https://127.0.0.1:9)`,
    );
  });
});
