import { describe, expect, it } from 'vitest';
import { isCode } from '../../../src/recordings/redact/code.ts';
import { decodePart } from '../../../src/recordings/redact/name-before.ts';
import { redactPairs, redactText } from '../../../src/recordings/redact/redact-text.ts';
import {
  DEFAULT_REDACTION,
  type FoundSecret,
  hidingTexts,
  redactionOf,
} from '../../../src/recordings/redact/redaction.ts';

const GITHUB = `ghp_${'a1B2'.repeat(9)}`;

function redacted(text: string, redaction = DEFAULT_REDACTION): string {
  const clean = redactText(text, redaction);
  expect(redactText(clean, redaction)).toBe(clean);
  return clean;
}

describe('redactText', () => {
  it.each([
    ['{"a":"{\\"token\\":\\"x\\",\\"b\\":1}"}', '{"a":"{\\"token\\":\\"[redacted]\\",\\"b\\":1}"}'],
    ['see https://h.example/?a=1&access_token=x#y', 'see https://h.example/?a=1&access_token=[redacted]#y'],
    ['{"url":"https://h.example/?token=x","b":1}', '{"url":"https://h.example/?token=[redacted]","b":1}'],
    ['"a\\npassword=x"', '"a\\npassword=[redacted]"'],
    ['see /in?to=%2Fx%3Ftoken%3Da%26b=1', 'see /in?to=%2Fx%3Ftoken%3D[redacted]%26b=1'],
    ['a=1&user%5Bsecret%5D=y&token[0]=z', 'a=1&user%5Bsecret%5D=[redacted]&token[0]=[redacted]'],
    ['password=x&user[secret]=y', 'password=[redacted]&user[secret]=[redacted]'],
    [`a ${GITHUB}, b`, 'a [redacted], b'],
    [`{"a":"\\u0067${GITHUB.slice(1)}"}`, '{"a":"[redacted]"}'],
    ['nothing=1, "tokens": 2', 'nothing=1, "tokens": 2'],
  ])('%s', (text, clean) => {
    expect(redacted(text)).toBe(clean);
  });

  it('hides what patterns match, and only that', () => {
    const redaction = redactionOf({ redactPatterns: ['\\d{4}-\\d{4}', 'z*', 'Grüße'] });
    expect(redacted('{"a": "card 1234-5678!", "b": "Grüße"}', redaction)).toBe(
      '{"a": "card [redacted]!", "b": "[redacted]"}',
    );
  });

  it('hides known texts', () => {
    expect(redacted('x hunter2! y', hidingTexts(DEFAULT_REDACTION, ['hunter2!']))).toBe('x [redacted] y');
  });

  it('hides the places of pointers in documents of all kinds', () => {
    const redaction = redactionOf({ redact: ['/users/*/email', '/pin'] });
    expect(redacted('data: {"users": [{"email": "a", "x": [1]}, {"email": {"b": 2}}]}\n\n', redaction)).toBe(
      'data: {"users": [{"email": "[redacted]", "x": [1]}, {"email": "[redacted]"}]}\n\n',
    );
    expect(redacted('{"pin":1}\n{"a":{"pin":2},"pin":"3', redaction)).toBe(
      // A cut one has names alone.
      '{"pin":"[redacted]"}\n{"a":{"pin":[redacted]},"pin":"[redacted]',
    );
  });

  it.each([
    ['log {id} got {"email":"zoe"}', 'log {id} got {"email":"[redacted]"}'],
    ['x {not json} {"email":"zoe"}', 'x {not json} {"email":"[redacted]"}'],
    ['{ok: 1, "email": "zoe"}', '{ok: 1, "email": "[redacted]"}'],
    ['{"a":1,, "email":"zoe"}', '{"a":1,, "email":"[redacted]"}'],
    ['{"user":{x, "mail":"zoe"}} tail', '{"user":{x, "mail":"[redacted]"}} tail'],
  ])('hides the places of pointers also where a text is hardly JSON: %s', (text, clean) => {
    expect(redacted(text, redactionOf({ redact: ['/email', '/user/mail'] }))).toBe(clean);
  });

  it('tells what it hid, and why', () => {
    const found: FoundSecret[] = [];
    redactText(`{"token": "x", "b": "${GITHUB}"}`, DEFAULT_REDACTION, 'body', (one) => found.push(one));
    expect(found).toEqual([
      { what: 'the name "token"', place: '/token', isDetected: false, value: 'x' },
      { what: 'a token', place: '/b', isDetected: true, value: GITHUB },
    ]);
  });
});

describe('redactPairs', () => {
  it.each([
    ['a=1;token=x;b=2&c=3', 'a=1;token=[redacted]&c=3'],
    ['x;token=y', 'x;token=[redacted]'],
    ['token=a=b;c', 'token=[redacted]'],
    [`q=${GITHUB}`, 'q=[redacted]'],
    [`q=see+${GITHUB}`, 'q=see%20[redacted]'],
    [`${GITHUB}&a=%zz`, '[redacted]&a=%zz'],
    ['p=%7B%22token%22%3A1%7D', 'p=%7B%22token%22%3A%22[redacted]%22%7D'],
    ['to=https%3A%2F%2Fh%2F%3Ftoken%3Dx', 'to=https%3A%2F%2Fh%2F%3Ftoken%3D[redacted]'],
    ['to=%252Fx%253Ftoken%253Da%2526b%253D1', 'to=%252Fx%253Ftoken%253D[redacted]%2526b%253D1'],
    ['%74oken=x&+token=y', '%74oken=[redacted]&+token=[redacted]'],
    ['/login?token=x', '/login?token=[redacted]'],
    ['a=b&c', 'a=b&c'],
  ])('%s', (pairs, clean) => {
    expect(redactPairs(pairs, DEFAULT_REDACTION, 'query')).toBe(clean);
    expect(redactPairs(clean, DEFAULT_REDACTION, 'query')).toBe(clean);
  });
});

describe('other languages than JSON', () => {
  describe('secrets as other languages write them', () => {
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
      redactText('<token>a</token>', DEFAULT_REDACTION, 'body', (one) => found.push(one));
      expect(found).toEqual([{ what: 'the name "token"', place: 'body', isDetected: false, value: 'a' }]);
    });
  });
});

describe('code', () => {
  it.each([
    'const token = get("x")',
    'document.cookie = "token=x"',
    'items.map((item) => item.token)',
    'login({ password: "x" });',
    'if (token === "x") f()',
    '<div data-token="x">y</div>',
    'def login(password="x"):',
  ])('knows code: %s', (text) => {
    expect(isCode(text)).toBe(true);
  });

  it.each([
    'DB_PASSWORD=x\nTOKEN=y',
    'password: x',
    'mutation { login(password: "x") { id } }',
    'query Q($token: String!) { user(token: $token) { id } }',
    '<login><password>x</password></login>',
    "curl -H 'X-Api-Key: x' https://h.example/?token=y",
    'Let the password = "x" stay, and return soon',
    '"password"=>"x"',
  ])('knows what is none: %s', (text) => {
    expect(isCode(text)).toBe(false);
  });
});

function byDecodeUriComponent(part: string): string {
  const spaced = part.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}

const PARTS = [
  'a',
  '+',
  '%2B',
  '%',
  '%z',
  '%zz',
  '%4',
  '%4g',
  '%41',
  '%c3%BC',
  '%c3',
  '%bc',
  'ü',
  '😀',
  '%00',
];
PARTS.push(
  '%ed%a0%80',
  '%f0%9f%98%80',
  '%f4%90%80%80',
  '%c0%80',
  '%ef%bb%bf',
  '%25',
  '41',
  '%ff',
  '/',
  '%@A',
  '%`1',
);

it.each(PARTS.flatMap((one) => PARTS.map((other) => one + other)))(
  'decodes as decodeURIComponent does, or leaves it: %s',
  (part) => expect(decodePart(part)).toBe(byDecodeUriComponent(part)),
);
