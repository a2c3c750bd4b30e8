import { expect, it } from 'vitest';
import { redactMultipart } from '../../../src/recordings/redaction/redact-multipart.ts';
import { DEFAULT_REDACTION } from '../../../src/recordings/redaction/redaction.ts';

const redacted = (text: string) => redactMultipart(text, DEFAULT_REDACTION, 'body');
const part = (head: string, content: string) => `--zz\r\n${head}\r\n\r\n${content}\r\n--zz--\r\n`;

it.each([
  'Content-Disposition: form-data; name="password"',
  'Content-Disposition: form-data; name=token',
  "content-disposition:form-data;NAME = 'token'",
  'Content-Disposition: form-data; filename="name=a"; name="token"',
  'Content-Disposition: form-data; name="user[token]"',
  "Content-Disposition: form-data; name*=UTF-8''p%61ssword",
])('hides a part by its name: %s', (head) => {
  const clean = part(head, '[redacted]');
  expect(redacted(part(head, 'a\r\nb'))).toBe(clean);
  expect(redacted(clean)).toBe(clean);
});

it('looks into a form within a form', () => {
  const inner = (value: string) =>
    `--yy\r\nContent-Disposition: form-data; name="password"\r\n\r\n${value}\r\n--yy--`;
  const head = 'Content-Disposition: form-data; name="a"\r\nContent-Type: multipart/mixed; boundary=yy';
  expect(redacted(part(head, inner('x')))).toBe(part(head, inner('[redacted]')));
});

it('looks into a part in base64', () => {
  const coded = (text: string) => Buffer.from(text).toString('base64');
  const head = 'Content-Disposition: form-data; name="a"\r\nContent-Transfer-Encoding: base64';
  expect(redacted(part(head, coded('{"a":1,"token":"x"}')))).toBe(part(head, '[redacted]'));
  expect(redacted(part(head, '[redacted]'))).toBe(part(head, '[redacted]'));
  expect(redacted(part(head, coded('a token')))).toBe(part(head, coded('a token')));
});

it.each(['name="filename"', 'name="a"; filename="token"'])(
  'leaves other parts as they are: %s',
  (parameters) => {
    const text = part(`Content-Disposition: form-data; ${parameters}`, 'AAAA token of b');
    expect(redacted(text)).toBe(text);
  },
);
