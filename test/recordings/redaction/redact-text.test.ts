import { describe, expect, it } from 'vitest';
import type { FoundSecret } from '../../../src/recordings/redaction/found-secret.ts';
import { redactPairs, redactText } from '../../../src/recordings/redaction/redact-text.ts';
import { DEFAULT_REDACTION, hidingTexts, redactionOf } from '../../../src/recordings/redaction/redaction.ts';

const GITHUB = `ghp_${'a1B2'.repeat(9)}`;

function redacted(text: string, redaction = DEFAULT_REDACTION): string {
  const clean = redactText(text, redaction);
  expect(redactText(clean, redaction)).toBe(clean);
  return clean;
}

describe('redactText', () => {
  it.each([
    ['{"a":"{\\"token\\":\\"x\\",\\"b\\":1}"}', '{"a":"{\\"token\\":\\"[redacted]\\",\\"b\\":1}"}'],
    [
      JSON.stringify({ a: JSON.stringify({ b: JSON.stringify({ secret: 'x' }) }) }),
      JSON.stringify({ a: JSON.stringify({ b: JSON.stringify({ secret: '[redacted]' }) }) }),
    ],
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

  it('does not look for what looks like a secret where it is told not to', () => {
    expect(redacted(GITHUB, redactionOf({ detectSecrets: false }))).toBe(GITHUB);
  });

  it('hides known texts', () => {
    expect(redacted('x hunter2! y', hidingTexts(DEFAULT_REDACTION, ['hunter2!']))).toBe('x [redacted] y');
  });

  it('hides the places of pointers in documents of all kinds', () => {
    const redaction = redactionOf({ redactPointers: ['/users/*/email', '/pin'] });
    expect(redacted('data: {"users": [{"email": "a", "x": [1]}, {"email": {"b": 2}}]}\n\n', redaction)).toBe(
      'data: {"users": [{"email": "[redacted]", "x": [1]}, {"email": "[redacted]"}]}\n\n',
    );
    expect(redacted('{"pin":1}\n{"a":{"pin":2},"pin":"3', redaction)).toBe(
      '{"pin":"[redacted]"}\n{"a":{"pin":2},"pin":"[redacted]"',
    );
  });

  it('tells what it hid, and why', () => {
    const found: FoundSecret[] = [];
    redactText(`{"token": "x", "b": "${GITHUB}"}`, DEFAULT_REDACTION, 'body', (one) => found.push(one));
    expect(found).toEqual([
      { what: 'the name "token"', place: 'body', isDetected: false, value: 'x' },
      { what: 'a GitHub token', place: 'body', isDetected: true, value: GITHUB },
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
    ['p=%257B%2522token%2522%253A1%257D', 'p=%257B%2522token%2522%253A%2522[redacted]%2522%257D'],
    ['%2574oken=x&+token=y', '%2574oken=[redacted]&+token=[redacted]'],
    ['/login?token=x', '/login?token=[redacted]'],
    ['a=b&c', 'a=b&c'],
  ])('%s', (pairs, clean) => {
    expect(redactPairs(pairs, DEFAULT_REDACTION)).toBe(clean);
    expect(redactPairs(clean, DEFAULT_REDACTION)).toBe(clean);
  });
});
