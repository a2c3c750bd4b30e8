import { describe, expect, it } from 'vitest';
import type { FoundSecret } from '../../../src/recordings/redaction/found-secret.ts';
import { redactText } from '../../../src/recordings/redaction/redact-text.ts';
import { redactWritten } from '../../../src/recordings/redaction/redact-written.ts';
import { DEFAULT_REDACTION } from '../../../src/recordings/redaction/redaction.ts';

describe('redactWritten', () => {
  it.each([
    ['mutation { login(token: "a b", id: "c") }', 'mutation { login(token: "[redacted]", id: "c") }'],
    ["{'token': 'a', 'b': 'c'}", "{'token': '[redacted]', 'b': 'c'}"],
    ['secret = "a\\"b"\nother = "c"', 'secret = "[redacted]"\nother = "c"'],
    ['<user token="a" id="b"/>', '<user token="[redacted]" id="b"/>'],
    ["password: 'cut", "password: '[redacted]"],
    ["password: 'a\nb", "password: '[redacted]\nb"],
    ['a: b\n  password: hunter2\nc: d', 'a: b\n  password: [redacted]\nc: d'],
    ['X-Acme-Token: abc1\nIdempotency-Key: 2', 'X-Acme-Token: [redacted]\nIdempotency-Key: 2'],
    ['[db]\npassword = hunter2\nuser = a', '[db]\npassword = [redacted]\nuser = a'],
    ['spring.datasource.password = hunter2', 'spring.datasource.password = [redacted]'],
    ['a:\n  secret: |\n    b\n\n    c\n  d: e', 'a:\n  secret: |\n    [redacted]\n  d: e'],
    ['- secret: >-\n    b c\n  d: e', '- secret: >-\n    [redacted]\n  d: e'],
    ['- secret: |\n    b\n- d: e', '- secret: |\n    [redacted]\n- d: e'],
    ['private_key: |\r\n  b\r\nd: e', 'private_key: |\r\n  [redacted]\r\nd: e'],
    ["curl -H 'X-Api-Key: abc1' -v", "curl -H 'X-Api-Key: [redacted]' -v"],
    ['<a><ns:secret x="1">b<c/></ns:secret>d</a>', '<a><ns:secret x="1">[redacted]</ns:secret>d</a>'],
    ['<token><![CDATA[a]]></token><token>b</token>', '<token>[redacted]</token><token>[redacted]</token>'],
    ['<token><tokenizer>a</tokenizer>b</token>', '<token>[redacted]</token>'],
  ])('%s', (text, clean) => {
    expect(redactText(text, DEFAULT_REDACTION)).toBe(clean);
    expect(redactText(clean, DEFAULT_REDACTION)).toBe(clean);
  });

  it.each([
    'type User { token: String! }',
    'query Q($token: String!) { user(token: $token) { token, secret } }',
    'token: is needed',
    'Password: required',
    'a Map<Token> of names',
    'the password = a word',
    'description: |\n  token is a word\nnext: 1',
    '<Password/>',
    'token: ""',
    'the "token" of <token> x',
    'mutation { add(key: "a b", auth: "c") }',
    'key: abc1\ntokenCount: 5',
  ])('leaves as it is: %s', (text) => {
    expect(redactText(text, DEFAULT_REDACTION)).toBe(text);
  });

  it('tells what it hid', () => {
    const found: FoundSecret[] = [];
    redactWritten('<token>a</token>', DEFAULT_REDACTION, 'body', (one) => found.push(one));
    expect(found).toEqual([{ what: 'the name "token"', place: 'body', isDetected: false, value: 'a' }]);
  });

  it('takes time by the length of the text alone', () => {
    const texts = ['<token>', "token:'", 'token="', '<a ', 'a:\'b:"'].map((part) => part.repeat(100_000));
    for (const text of texts)
      expect(redactWritten(text, DEFAULT_REDACTION, 'body').length).toBeGreaterThan(0);
  });
});
