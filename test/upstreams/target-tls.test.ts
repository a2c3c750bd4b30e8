import { beforeAll, describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../src/errors.ts';
import { parseTarget } from '../../src/upstreams/target.ts';
import { readTargetTls } from '../../src/upstreams/target-tls.ts';
import { fileOf, makeAuthority } from '../support/certificates.ts';
import { laterRefusal } from '../support/errors.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let cert: string;
let key: string;
beforeAll(async () => {
  ({ cert, key } = await makeAuthority());
});

interface Given {
  target?: string;
  targetCa?: string;
  targetInsecure?: boolean;
}

const read = ({ target = 'https://staging.example.com', targetCa, targetInsecure = false }: Given) =>
  readTargetTls(parseTarget(target), { targetCa, targetInsecure });
const refused = (given: Given, code: ErrorCode = 'bad-input') => laterRefusal(code, read(given));

describe('TLS to the target', () => {
  it("is verified with Node's own authorities where nobody says anything", async () => {
    expect(await read({})).toEqual({
      ca: undefined,
      allowPartialTrustChain: false,
      rejectUnauthorized: true,
      servername: 'staging.example.com',
    });
  });

  it.each([
    ['https://192.0.2.1:8443', ''],
    ['https://[2001:db8::1]/api', ''],
    ['https://LOCALHOST:1', 'localhost'],
    ['http://staging.example.com', 'staging.example.com'],
  ])('calls %s %j', async (target, servername) => {
    expect(await read({ target })).toMatchObject({ servername });
  });

  it('is verified with the authorities of a file alone, whatever stands between them', async () => {
    const other = (await makeAuthority('Another')).cert;
    const targetCa = fileOf(`# ours\r\n${cert.trim()}\r\nand theirs\n${other}# end`);
    expect(await read({ targetCa })).toMatchObject({
      ca: `${cert.trim()}\n${other.trim()}`,
      rejectUnauthorized: true,
    });
  });

  it('is not verified where that is said', async () => {
    expect(await read({ targetInsecure: true })).toMatchObject({ rejectUnauthorized: false });
  });
});

describe('a file of authorities', () => {
  it('must be there', async () => {
    expect(await refused({ targetCa: 'no-such.crt' })).toBe(
      "cannot read the authorities' certificates no-such.crt: it does not exist (check the path given with --target-ca)",
    );
    expect(await refused({ targetCa: temporaryFolder() })).toMatch(/^cannot read .*: it is a folder/);
  });

  it.each([
    ['nothing', () => ''],
    ['a key', () => key],
    ['a text', () => 'certificate'],
    ['a broken certificate', () => cert.replace(/\n.{8}/, '\nAAAAAAAA')],
    ['half a certificate', () => cert.slice(0, 200)],
    ['a broken one behind a good one', () => `${cert}${cert.replace(/\n.{8}/, '\nAAAAAAAA')}`],
  ])('must not hold %s', async (_, text) => {
    const targetCa = fileOf(text(), 'odd.crt');
    expect(await refused({ targetCa })).toMatch(
      /odd\.crt holds no certificate in PEM, or a broken one \(.*BEGIN/,
    );
  });
});

describe('settings that do not go together', () => {
  it('are refused', async () => {
    const targetCa = fileOf(cert);
    const both = await refused({ targetCa, targetInsecure: true }, 'bad-usage');
    expect(both).toContain('--target-ca and --target-insecure contradict each other');
  });

  it.each([
    [{ targetInsecure: true }, '--target-insecure'],
    [{ targetCa: 'ca.crt' }, '--target-ca'],
  ])('with a target that speaks no TLS are refused: %j', async (settings, flag) => {
    expect(await refused({ target: 'http://127.0.0.1:9/api', ...settings }, 'bad-usage')).toBe(
      `${flag} has no meaning for http://127.0.0.1:9: it speaks no TLS (leave ${flag} out, or give the target as https://127.0.0.1:9)`,
    );
  });
});
