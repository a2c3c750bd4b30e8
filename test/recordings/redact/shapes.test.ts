import { describe, expect, it } from 'vitest';
import { beginOfCutSecret, mayHoldSecret, secretsIn } from '../../../src/recordings/redact/shapes.ts';

const base64url = (text: string) => Buffer.from(text).toString('base64url');
const JWT = `${base64url('{"alg":"none"}')}.${base64url('{"sub":"1234"}')}.c2lnbmF0dXJl`;
const basic = Buffer.from('me:my password').toString('base64');

/** Made here, so that no scanner takes this file for one that leaks something. */
const SECRETS: [kind: string, secret: string, behind?: string][] = [
  ['an AWS access key id', `AKIA${'Q2X7'.repeat(4)}`],
  ['a Google API key', `AIza${'aB3-_'.repeat(7)}`],
  ['a token', `ghp_${'a1B2'.repeat(9)}`],
  ['a token', `github_pat_${'a1B2_'.repeat(8)}`],
  ['a token', `glpat-${'a1B2-'.repeat(4)}`],
  ['a token', `xoxb-${'1234'.repeat(4)}-ab`],
  ['a token', `rk_live_${'a1B2'.repeat(6)}`],
  ['a token', `npm_${'a1B2'.repeat(9)}`],
  ['a token', `SG.${'a1B2-_'.repeat(4)}.${'a1B2-_'.repeat(7)}`],
  ['a token', `sk-proj-${'a1B2'.repeat(10)}`],
  ['a token', `sk-ant-api03-${'a1B2'.repeat(10)}`],
  ['a token', `pypi-${'aB3_'.repeat(15)}`],
  ['a token', `dckr_pat_${'aB3-'.repeat(7)}`],
  ['a token', `dop_v1_${'a1b2'.repeat(16)}`],
  ['a token', `shpat_${'a1b2'.repeat(8)}`],
  ['a token', `hf_${'aBz4'.repeat(8)}Dx`],
  ['a token', `hvs.${'aB3-'.repeat(8)}`],
  ['the URL of a webhook', `T0/B0/${'aB3'.repeat(8)}`, 'hooks.slack.com/services/'],
  ['a storage key', `${'aB3+'.repeat(20)}==`, 'AccountKey='],
  ['a token', `ya29.${'a1B2'.repeat(10)}`],
  ['a JSON Web Token', JWT],
  ['a private key', '-----BEGIN PRIVATE KEY-----\nMIIBVQ\n-----END PRIVATE KEY-----'],
  ['a private key', '-----BEGIN RSA PRIVATE KEY-----\\nMIIBVQ and no end'],
];

function found(text: string) {
  return [...secretsIn(text)].map(({ from, to, kind }) => [kind, text.slice(from, to)]);
}

describe('secretsIn', () => {
  it.each(SECRETS)('finds %s: %s', (kind, secret, behind = '') => {
    for (const before of ['', ' ', '"', 'x=', '\\n', '%20', '/']) {
      expect(found(before + behind + secret)).toEqual([[kind, secret]]);
      expect(mayHoldSecret(before + behind + secret)).toBe(true);
    }
  });

  it.each([
    ['credentials', 'you sent Bearer abcdefghij1234567890 to me', 'abcdefghij1234567890'],
    ['credentials', `curl -H "Authorization: Basic ${basic}"`, basic],
    ['a password in a URL', 'see postgres://me:p4ss@db.example/x', 'p4ss'],
    ['a password in a URL', 'https:\\/\\/me:p4ss@h.example\\/', 'p4ss'],
  ])('finds %s within %s', (kind, text, secret) => {
    expect(found(text)).toEqual([[kind, secret]]);
    expect(mayHoldSecret(text)).toBe(true);
  });

  it('finds several in a row', () => {
    const all = SECRETS.slice(0, 9);
    expect(found(all.map(([, secret]) => secret).join(' '))).toEqual(all);
  });

  it.each([
    '3f2504e0-4f89-11d3-9a0c-0305e82c3301',
    'da39a3ee5e6b4b0d3255bfef95601890afd80709',
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    'sk-3f2504e0-4f89-11d3-9a0c-0305e82c3301',
    'risk-assessment-of-a-very-long-name-indeed',
    'Basic information about bearer certificates-of-authenticity',
    'the Bearer of-good-news-and-bad-news',
    'https://example.com:8080/a?b=c@d and me@example.com:22',
    'https://example.com/@user:name',
    '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
    `eyJ${base64url('no header of a token')}.aaaaaaaa.bbbbbbbb`,
    base64url('{"cursor":1234,"next":"abc"}'),
    `data:image/png;base64,iVBORw0KGgo${'AKIAQ2X7'.repeat(8)}`,
    'npm_config_registry and gh_pages',
    'hf_model, do_v1_x and hooks.slack.com/docs',
  ])('lets be: %s', (text) => {
    expect(found(text)).toEqual([]);
  });
});

describe('beginOfCutSecret', () => {
  it.each(SECRETS.slice(0, 21).filter(([, , behind]) => !behind))('%s: %s', (_, secret) => {
    for (let length = Math.min(11, secret.length); length <= secret.length; length++)
      expect(beginOfCutSecret(`a text ${secret.slice(0, length)}`)).toBe(7);
  });

  it.each(['a text', 'a risk', '', 'x'.repeat(10_000)])('there is none in %s', (text) => {
    expect(beginOfCutSecret(text)).toBe(text.length);
  });
});
