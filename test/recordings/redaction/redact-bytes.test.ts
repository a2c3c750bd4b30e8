import { describe, expect, it } from 'vitest';
import { redactBytes } from '../../../src/recordings/redaction/redact-bytes.ts';
import { DEFAULT_REDACTION, redactionOf } from '../../../src/recordings/redaction/redaction.ts';

const FORM = 'application/x-www-form-urlencoded';
const redacted = (text: string, contentType?: string) =>
  redactBytes(Buffer.from(text), contentType, DEFAULT_REDACTION).toString();

describe('redactBytes', () => {
  it('gives the very bytes back where there is nothing to hide', () => {
    const bytes = Buffer.from('{"a":1}');
    expect(redactBytes(bytes, 'application/json', DEFAULT_REDACTION)).toBe(bytes);
  });

  it.each([
    ['utf-16le', undefined, false],
    ['utf-16be', undefined, false],
    ['utf-16le', 'application/json; charset=utf-16', true],
    ['utf-16be', undefined, true],
  ] as const)('reads %s, declared as %s, with a mark: %s', (encoding, contentType, hasMark) => {
    const coded = (text: string) => {
      const bytes = Buffer.from((hasMark ? '\ufeff' : '') + text, 'utf16le');
      return encoding === 'utf-16be' ? bytes.swap16() : bytes;
    };
    const clean = redactBytes(coded('{"token":"s3cret","é":1}'), contentType, DEFAULT_REDACTION);
    expect(clean.equals(coded('{"token":"[redacted]","é":1}'))).toBe(true);
  });

  it('takes no other bytes for UTF-16 because there is a zero among the first two', () => {
    const binary = (token: string) => Buffer.from(`\x89\0\x01{"token":"${token}"}\xff`, 'latin1');
    expect(redactBytes(binary('s3cret'), undefined, DEFAULT_REDACTION).equals(binary('[redacted]'))).toBe(
      true,
    );
  });

  it('does not take a text for UTF-16 because its head says so', () => {
    expect(redacted('{"token":"s3cret"}', 'text/plain; charset=utf-16')).toBe('{"token":"[redacted]"}');
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
