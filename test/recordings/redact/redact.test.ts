import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { redactExchange } from '../../../src/recordings/plain-exchange.ts';
import {
  redactBody,
  redactBodyStart,
  redactBytes,
  redactHeaders,
  redactPath,
  redactQuery,
  redactText,
  redactUrl,
} from '../../../src/recordings/redact/redact.ts';
import { DEFAULT_REDACTION, hidingEchoes, hidingTexts } from '../../../src/recordings/redact/redaction.ts';
import { exchange, rawHeaders } from '../../support/exchanges.ts';

const GITHUB = `ghp_${'a1B2'.repeat(9)}`;
const FORM = 'application/x-www-form-urlencoded';

function redacted(text: string, contentType?: string): string {
  return redactBytes(Buffer.from(text), contentType, DEFAULT_REDACTION).toString();
}

describe('a query', () => {
  it.each([
    ['x;token=y', 'x;token=[redacted]'],
    ['token=a=b;c', 'token=[redacted]'],
    [`q=${GITHUB}`, 'q=[redacted:4a15b04cb7d2]'],
    [`q=see+${GITHUB}`, 'q=see%20[redacted:4a15b04cb7d2]'],
    ['p=%7B%22token%22%3A1%7D', 'p=%7B%22token%22%3A%22[redacted]%22%7D'],
    ['to=https%3A%2F%2Fh%2F%3Ftoken%3Dx', 'to=https%3A%2F%2Fh%2F%3Ftoken%3D[redacted]'],
    ['to=%252Fx%253Ftoken%253Da%2526b%253D1', 'to=%252Fx%253Ftoken%253D[redacted]%2526b%253D1'],
    ['%74oken=x&+token=y', '%74oken=[redacted]&+token=[redacted]'],
    ['a=b&c&d=%zz', 'a=b&c&d=%zz'],
  ])('%s', (query, clean) => {
    expect(redactQuery(query, DEFAULT_REDACTION)).toBe(clean);
    expect(redactQuery(clean, DEFAULT_REDACTION)).toBe(clean);
  });
});

describe('a URL', () => {
  it.each([
    ['/a?token=x&b=1', '/a?token=[redacted]&b=1'],
    ['https://me:p@h.example/a#access_token=x', 'https://[redacted]@h.example/a#access_token=[redacted]'],
    ['/http://me:p:q@h/a//b:c@d', '/http://[redacted]@h/a//[redacted]@d'],
    ['//h/a;jsessionid=a1?b=c', '//h/a;jsessionid=[redacted]?b=c'],
    [`/share/${GITHUB}/edit`, '/share/[redacted:4a15b04cb7d2]/edit'],
    [`/a+b+${GITHUB}`, '/a+b+[redacted:4a15b04cb7d2]'],
    ['/y?key=aB3dE6gH9jK2mN5pQ8sT', '/y?key=aB3dE6gH9jK2mN5pQ8sT'],
    ['*', '*'],
  ])('%s', (url, clean) => {
    expect(redactUrl(url, DEFAULT_REDACTION)).toBe(clean);
    expect(redactUrl(clean, DEFAULT_REDACTION)).toBe(clean);
  });

  it('loses a token that another part of the exchange has named', () => {
    const key = '5e884898da28047151d0e56f';
    expect(redactPath(`/settings/${key}`, DEFAULT_REDACTION)).toBe(`/settings/${key}`);
    const redaction = hidingTexts(DEFAULT_REDACTION, [key]);
    expect(redactPath(`/settings/${key}/a`, redaction)).toBe('/settings/[redacted:4e11b04c1442]/a');
    expect(redactPath('/settings/%5Bredacted%5D', redaction)).toBe('/settings/[redacted]');
  });
});

it('redacts headers by their names and by what they hold', () => {
  const named = { Authorization: 'x', Location: '/?token=x' };
  const headers = rawHeaders({ ...named, 'X-Request-Id': GITHUB, 'X-Debug': GITHUB, A: 'b' });
  expect(redactHeaders(headers, DEFAULT_REDACTION)).toEqual([
    ...['Authorization', '[redacted]', 'Location', '/?token=[redacted]'],
    ...['X-Request-Id', GITHUB, 'X-Debug', '[redacted]', 'A', 'b'],
  ]);
  const plain = ['A', 'b'];
  expect(redactHeaders(plain, DEFAULT_REDACTION)).toBe(plain);
});

describe('a body', () => {
  it('is the very bytes where there is nothing to hide', () => {
    const bytes = Buffer.from('{"a":1}');
    expect(redactBytes(bytes, 'application/json', DEFAULT_REDACTION)).toBe(bytes);
    const body = { text: 'Grüße' };
    expect(redactBody(body, 'text/plain', DEFAULT_REDACTION)).toBe(body);
  });

  it('may be a form, or JSON that a tool calls one', () => {
    expect(redacted("user=a&password=a'b&x=%22token%22", FORM)).toBe(
      'user=a&password=[redacted]&x=%22token%22',
    );
    expect(redacted('{"token":"a=b&c","d":1}', FORM)).toBe('{"token":"[redacted]","d":1}');
  });

  it('may be no UTF-8, or have escapes or a user in a URL', () => {
    const bytes = (secret: string) => Buffer.from(`{"name":"\xff","token":"${secret}"}`, 'latin1');
    expect(redactBytes(bytes('s3cret'), undefined, DEFAULT_REDACTION)).toEqual(bytes('[redacted]'));
    expect(redacted('{"t\\u006fken":"s3cret"}')).toBe('{"t\\u006fken":"[redacted]"}');
    expect(redacted('amqp://me:s3cret@h')).toBe('amqp://me:[redacted]@h');
  });

  it('keeps the names in code, and loses tokens there, too', () => {
    expect(redacted(`token = "x"; f("${GITHUB}")`, 'text/javascript')).toBe('token = "x"; f("[redacted]")');
  });

  it('is shown from its beginning; nothing of it if its coding cannot be undone', () => {
    const headers = ['Content-Type', 'application/json', 'Content-Encoding', 'gzip'];
    const shown = (bytes: Buffer, most = 1000, given = headers) =>
      redactBodyStart(bytes, given, most, false, DEFAULT_REDACTION).bytes.toString();
    const coded = gzipSync('{"token":"s3cret"}');
    expect(shown(coded)).toBe('{"token":"[redacted]"}');
    expect(shown(coded.subarray(0, 12))).toBe('[redacted]');
    expect(shown(Buffer.from('{"token":"s3cret"}'), 14, [])).toBe('{"token":"[redacted]');
    expect(shown(Buffer.from('aü'), 2, [])).toBe('a');
  });
});

describe('an exchange', () => {
  const exchangeOf = (secret: string, other = {}) =>
    exchange({
      query: `token=${secret}`,
      requestHeaders: { authorization: secret, accept: '*/*' },
      body: { json: { password: secret } },
      headers: { 'set-cookie': [secret], location: `/?secret=${secret}`, 'content-type': 'text/plain' },
      answer: { text: `{"apiKey":"${secret}"}` },
      ...other,
    });

  it('loses secrets everywhere, and the secret headers of its response', () => {
    const clean = redactExchange(exchangeOf('s3cret'), DEFAULT_REDACTION);
    expect(JSON.stringify(clean)).not.toContain('s3cret');
    expect(clean.request.headers).toEqual({ authorization: '[redacted]', accept: '*/*' });
    expect(clean.response.headers).toEqual({ location: '/?secret=[redacted]', 'content-type': 'text/plain' });
    expect(redactExchange(clean, DEFAULT_REDACTION)).toEqual(clean);
  });

  it.each([
    ['Bearer abc-12345', 'abc-12345'],
    [`Basic ${Buffer.from('me:p4ssw0rd!').toString('base64')}`, 'the p4ssw0rd! of me'],
    ['theme=dark; sid=abc12345; flavour=chocolate', '?x=abc12345'],
    ['a long "ü"', 'a%20long%20%22%C3%BC%22'],
    ['a long "ü"', '{"x":"a long \\"ü\\""}'],
  ])('loses the echo of a secret: %s', (secret, echo) => {
    const clean = redactExchange(
      exchangeOf(secret, { answer: { text: `${echo} chocolate` } }),
      DEFAULT_REDACTION,
    );
    const { text } = clean.response.body as { text: string };
    expect(text).toContain('[redacted]');
    expect(text).toContain('chocolate');
  });

  it('knows a bounded number of secrets, and none that stands anywhere by chance', () => {
    // Nested deep, it has no end that a recursion would reach.
    redactText(`{"password":${'['.repeat(1e6)}${']'.repeat(1e6)}}`, DEFAULT_REDACTION);
    const known = (cookie: string) => hidingEchoes(DEFAULT_REDACTION, ['Cookie', cookie]).texts;
    expect(known('short')).toEqual([]);
    const cookies = Array.from({ length: 1000 }, (_, i) => `c${i}=a-longer-secret-${i}`);
    const all = known(['sid=abc123def456', ...cookies].join('; '));
    expect(all.length).toBeLessThan(70);
    expect(all).toContain('abc123def456');
  });
});
