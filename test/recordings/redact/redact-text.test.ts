import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../src/json/json.ts';
import { SecretNames } from '../../../src/recordings/redact/names.ts';
import { DEFAULT_REDACTION, hidingTexts, redactionOf } from '../../../src/recordings/redact/redaction.ts';
import { decodePart, redactJson, redactText } from '../../../src/recordings/redact/text.ts';

const GITHUB = `ghp_${'a1B2'.repeat(9)}`;

function redacted(text: string, redaction = DEFAULT_REDACTION): string {
  const clean = redactText(text, redaction);
  expect(redactText(clean, redaction)).toBe(clean);
  return clean;
}

describe('a text', () => {
  it.each([
    ['{"a":"{\\"token\\":\\"x\\",\\"b\\":1}"}', '{"a":"{\\"token\\":\\"[redacted]\\",\\"b\\":1}"}'],
    ['{"token": "s3", "token": "s3"}', '{"token": "[redacted]", "token": "[redacted]"}'],
    [`{"a":"${GITHUB}","a":7.0}`, '{"a":"[redacted]","a":7.0}'],
    ['{"a":1,"token":"s3cr', '{"a":1,"token":"[redacted]'],
    ['{"token":1}\n{"token":[{"a":"]"}],"b":2}', '{"token":"[redacted]"}\n{"token":"[redacted]","b":2}'],
    ['data: {"secret":"s3\\"cret","b":2}\n\n', 'data: {"secret":"[redacted]","b":2}\n\n'],
    ['say "hi {"token":"s3cret"}', 'say "hi {"token":"[redacted]"}'],
    ['{"__proto__":{"token":"s3cret"}}', '{"__proto__":{"token":"[redacted]"}}'],
    [`{"${GITHUB}":{"token":{"a":1}}}`, '{"[redacted]":{"token":"[redacted]"}}'],
    ['{"value":{"token":"x"},"name":"DB_PASSWORD"}', '{"value":"[redacted]","name":"DB_PASSWORD"}'],
    ['see https://h.example/?a=1&access_token=x#y', 'see https://h.example/?a=1&access_token=[redacted]#y'],
    ['Get "https://h.example/v1?token=abcd1234": EOF', 'Get "https://h.example/v1?token=[redacted]": EOF'],
    ['see /x?f={%22password%22:%22hunter22%22}', 'see /x?f={%22password%22:%22[redacted]%22}'],
    ['"a\\npassword=x"', '"a\\npassword=[redacted]"'],
    ['see /in?to=%2Fx%3Ftoken%3Da%26b=1', 'see /in?to=%2Fx%3Ftoken%3D[redacted]%26b=1'],
    ['a=1&user%5Bsecret%5D=y&token[0]=z', 'a=1&user%5Bsecret%5D=[redacted]&token[0]=[redacted]'],
    [`a ${GITHUB}, b`, 'a [redacted], b'],
    [`a ghp_${'x'.repeat(36)}, b`, 'a [redacted], b'],
    [`{"a":"\\u0067${GITHUB.slice(1)}"}`, '{"a":"[redacted]"}'],
    ['nothing=1, "tokens": 2', 'nothing=1, "tokens": 2'],
    ['mutation { login(token: "a b", id: "c") }', 'mutation { login(token: "[redacted]", id: "c") }'],
    ['secret = "a\\"b"\nother = "c"', 'secret = "[redacted]"\nother = "c"'],
    ['dbPw=hunter2 x', 'dbPw=[redacted] x'],
    ['it has password: hunter2x9', 'it has password: [redacted]'],
    ['{"api:key":"x1y2z3"}', '{"api:key":"[redacted]"}'],
    ['f();\npw=a.b-1', 'f();\npw=[redacted]'],
    ['{"name":"pw","value":null},{"x":1', '{"name":"pw","value":null},{"x":1'],
    ['{"name":"pw","value":"a\'b1cd"},{', '{"name":"pw","value":"[redacted]"},{'],
    ['client_secret%3DBent-Key', 'client_secret%3D[redacted]'],
    ["password: 'a\nb", "password: '[redacted]\nb"],
    ['X-Acme-Token: abc1\nIdempotency-Key: 2', 'X-Acme-Token: [redacted]\nIdempotency-Key: 2'],
    ['<a><ns:secret x="1">b</ns:secret>d</a>', '<a><ns:secret x="1">[redacted]</ns:secret>d</a>'],
  ])('%s', (text, clean) => {
    expect(redacted(text)).toBe(clean);
  });

  it.each([
    'const token = get("x")',
    'document.cookie = "token=x"',
    'login({ password: "x" });',
    'if (token === "x") f()',
    '<div data-token="x">y</div>',
    'def login(password="x"):',
  ])('is left as it is where it is code: %s', (text) => {
    expect(redacted(text)).toBe(text);
  });

  it.each([
    'DB_PASSWORD=x1\nTOKEN=y1',
    "curl -H 'X-Api-Key: x1' https://h.example/?token=y",
    'Let the password = "x" stay, and return soon',
  ])('is no code: %s', (text) => {
    expect(redacted(text)).not.toBe(text);
  });

  it('loses what the user names: names, places and known texts', () => {
    const redaction = redactionOf({
      redact: ['cherryStone', '!signature', '/users/*/email', '/list/0', '/a~1b'],
    });
    const clean = redacted(
      '{"cherry_stone":1,"signature":"x","users":{"x":{"email":{"a":1},"n":"n"}},"email":"e","list":[1,2],"a/b":true}',
      redaction,
    );
    expect(JSON.parse(clean)).toEqual({
      ...{ cherry_stone: '[redacted]', signature: 'x', users: { x: { email: '[redacted]', n: 'n' } } },
      ...{ email: 'e', list: ['[redacted]', 2], 'a/b': '[redacted]' },
    });
    const known = hidingTexts(DEFAULT_REDACTION, ['hunter2!', '12345678']);
    expect(redacted('x hunter2! y', known)).toBe('x [redacted] y');
    expect(redacted('{"a":12345678,"b":1234567}', known)).toBe('{"a":"[redacted]","b":1234567}');
  });

  it.each([
    ['data: {"user": {"mail": "a", "x": [1]}}\n\n', 'data: {"user": {"mail": "[redacted]", "x": [1]}}\n\n'],
    ['{"email":1}\nx\n{"a":{"email":2}}', '{"email":"[redacted]"}\nx\n{"a":{"email":2}}'],
  ])('has places in each line that is JSON: %s', (text, clean) => {
    expect(redacted(text, redactionOf({ redact: ['/email', '/user/mail'] }))).toBe(clean);
  });
});

it('redacts a value, and gives the very one back where it holds nothing', () => {
  const value: JsonValue = { a: '{"token":"x"}', b: 'password=x&c=1', c: 'https://h/?token=x', d: ['\n'] };
  expect(redactJson(value, DEFAULT_REDACTION)).toEqual({
    ...{ a: '{"token":"[redacted]"}', b: 'password=[redacted]&c=1' },
    ...{ c: 'https://h/?token=[redacted]', d: ['\n'] },
  });
  const harmless: JsonValue = { a: [{ tokens: 1, hasToken: true }] };
  expect(redactJson(harmless, DEFAULT_REDACTION)).toBe(harmless);
});

it('adds names and takes names back, each as a whole, in headers as in bodies', () => {
  const names = new SecretNames('members', ['cherryStone'], ['signature', 'token']);
  expect(names.has('cherry-stone[0]')).toBe(true);
  const asked = ['cherry_stone', 'user[cherryStone]', 'cherryStones', 'signature', 'user.token', 'newToken'];
  expect(asked.map((name) => names.has(name))).toEqual([true, true, false, false, false, true]);
  expect(redacted('[{"birthday":"1"}]', redactionOf({ redact: ['birthday'] }))).toBe(
    '[{"birthday":"[redacted]"}]',
  );
  const headers = new SecretNames('headers');
  const known = ['X-Tenant-Key', 'x-sentry-auth', 'Idempotency-Key', 'X-Key-Id', 'Patchgate-Session'];
  expect(known.filter((name) => headers.has(name))).toEqual(known.slice(0, 2));
});

it('takes a time that grows with the text alone', { tags: 'slow' }, () => {
  const unit = [
    ...['a', ' ', '{', '[', '{x}\n', '"a":', '<token>', '=', 'token=', 'a b, ', `${GITHUB} `, '\\', '%25'],
    ...['{"value":', '{"key":', '-----BEGIN', '://a:', 'bearer ', '&code=abcdefgh', 'é', '"'],
    ...['[redacted]', '<key>', "'", '--password ', 'a.', 'key="', '{"token":"x"}\n', 'eyJ.', 'secret: {'],
    ...['code=', '%3DaB3dE6code', 'cookie%25://', 'name="token">', '{]\n', '[x]\n'],
    ...['session=', 'key=%', '%3D', 'token=a&', 'name,', 'curl ', 'name="', '\\q', '{"a":['],
  ];
  // What an open name has is looked at as a whole.
  const open = (one: string) => JSON.stringify({ session: one });
  const took = (text: string) => {
    const start = process.cpuUsage().user;
    redactText(text, DEFAULT_REDACTION);
    return (process.cpuUsage().user - start) / 1000;
  };
  const slow = unit.filter((one) => {
    const texts = [one.repeat(25_000 / one.length), one.repeat(400_000 / one.length)];
    return [texts, texts.map(open)].some(([short = '', long = '']) => took(long) > 64 * took(short) + 300);
  });
  expect(slow).toEqual([]);
});

const PARTS =
  '|a|+|%2B|%|%z|%zz|%4|%4g|%41|%c3%BC|%c3|%bc|ü|😀|%00|%ed%a0%80|%f0%9f%98%80|%c0%80|%25|41|%ff|/|%@A|%`1'.split(
    '|',
  );

it('hides the value of a secret part of a form, and no other', () => {
  const part = (name: string, value: string) =>
    `--x\r\nContent-Disposition: form-data; name="${name}"\r\nContent-Type: text/plain\r\n\r\n${value}\r\n`;
  const form = (password: string) => `${part('user', 'anna')}${part('password', password)}--x--\r\n`;
  expect(redactText(form('hunter2 ü'), redactionOf())).toBe(form('[redacted]'));
});

it('decodes a part as decodeURIComponent does, and leaves what that cannot decode', () => {
  const decoded = (part: string) => {
    try {
      return decodeURIComponent(part.replaceAll('+', ' '));
    } catch {
      return undefined;
    }
  };
  const all = PARTS.flatMap((one) => PARTS.map((other) => one + other));
  expect(all.filter((part) => decodePart(part) !== (decoded(part) ?? decodePart(part)))).toEqual([]);
  expect(['%zz', '%c3', 'a+%ff', '%C0%80'].map(decodePart)).toEqual(['%zz', '%c3', 'a %ff', '%C0%80']);
});
