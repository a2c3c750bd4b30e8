import { expect, it } from 'vitest';
import { DEFAULT_REDACTION, KnownSecrets } from '../../../src/recordings/redact/redaction.ts';

function textsOf(...headers: string[]): readonly string[] {
  const known = new KnownSecrets();
  known.addHeaders(headers, DEFAULT_REDACTION);
  return known.texts;
}

it('knows the credentials in headers', () => {
  const texts = textsOf('Authorization', 'Bearer abc12345', 'X-Other', 'abcdefgh1');
  expect(texts).toEqual(['Bearer abc12345', 'Bearer%20abc12345', 'Bearer+abc12345', 'abc12345']);
  expect(textsOf('cookie', 'theme=dark; sid=abc12345; flavour=chocolate')).toContain('abc12345');
  expect(textsOf('cookie', 'theme=dark; sid=abc12345; flavour=chocolate')).not.toContain('chocolate');
  expect(textsOf('Set-Cookie', 'sid=abc12345; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Path=/')).not.toContain(
    '07:28:00',
  );
  const basic = Buffer.from('me:p4ssw0rd!').toString('base64');
  expect(textsOf('Authorization', `Basic ${basic}`)).toEqual(
    expect.arrayContaining([basic, 'p4ssw0rd!', 'me:p4ssw0rd!']),
  );
});

it('knows values in all ways to write them, and none that stands anywhere by chance', () => {
  const known = new KnownSecrets();
  known.add({ a: ['short', 'a long "ü"', 12345678, '[redacted]', true, null] });
  expect(known.texts).toEqual(
    expect.arrayContaining(['a long "ü"', 'a long \\"ü\\"', 'a%20long%20%22%C3%BC%22', '12345678']),
  );
  expect(known.texts).not.toContain('short');
  expect(known.texts).not.toContain('[redacted]');
});

it('is bounded', () => {
  const known = new KnownSecrets();
  known.add(Array.from({ length: 1000 }, (_, i) => `secret number ${i}`));
  expect(known.texts.length).toBeLessThan(70);
});
