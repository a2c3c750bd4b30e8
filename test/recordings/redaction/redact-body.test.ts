import { describe, expect, it } from 'vitest';
import { redactBytes } from '../../../src/recordings/redaction/redact.ts';
import { DEFAULT_REDACTION, redactionOf } from '../../../src/recordings/redaction/redaction.ts';

const FORM = 'application/x-www-form-urlencoded';
const redacted = (text: string, contentType?: string) =>
  redactBytes(Buffer.from(text), contentType, DEFAULT_REDACTION).toString();

describe('redactBytes', () => {
  it('gives the very bytes back where there is nothing to hide', () => {
    const bytes = Buffer.from('{"a":1}');
    expect(redactBytes(bytes, 'application/json', DEFAULT_REDACTION)).toBe(bytes);
  });

  it('hides parts of a form by their names, whatever is in them', () => {
    const form = (secret: string) =>
      [
        '--x\r\nContent-Disposition: form-data; name="user"\r\n\r\nada\r\n',
        `--x\r\nContent-Disposition: form-data; name="password"; filename="p"\r\n\r\n${secret}\r\n`,
        '--x\r\nContent-Disposition: form-data; name=passing\r\n\r\na',
        '\r\n--x--\r\n',
      ].join('');
    expect(redacted(form('one\r\n\r\ntwo'), 'multipart/form-data; boundary=x')).toBe(form('[redacted]'));
  });

  it('looks into the JSON that a tool calls a form', () => {
    expect(redacted('{"token":"a=b&c","d":1}', FORM)).toBe('{"token":"[redacted]","d":1}');
    expect(redacted("password=a'b&c=1", FORM)).toBe('password=[redacted]&c=1');
  });

  it('finds by a pattern letters that are no ASCII', () => {
    const redaction = redactionOf({ redactPatterns: ['Straße \\d+'] });
    expect(redactBytes(Buffer.from('{"a":"Straße 12"}'), undefined, redaction).toString()).toBe(
      '{"a":"[redacted]"}',
    );
  });
});

describe('a form of parts', () => {
  const redacted = (text: string) =>
    redactBytes(Buffer.from(text), 'multipart/form-data; boundary=zz', DEFAULT_REDACTION).toString();
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
});
