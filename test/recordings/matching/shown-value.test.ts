import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../src/json/json.ts';
import { cut, shownBody, shownJson } from '../../../src/recordings/matching/shown-value.ts';
import { redactJson } from '../../../src/recordings/redaction/redact.ts';
import { DEFAULT_REDACTION } from '../../../src/recordings/redaction/redaction.ts';

const LONG = 'ä"\n😀'.repeat(50);

describe('shownJson', () => {
  it.each<JsonValue>([
    null,
    true,
    1.5,
    'a',
    LONG,
    `x${LONG}`,
    [],
    {},
    [1, [2, { a: 'b', c: [] }], null],
    { a: { password: { b: 1 }, c: [{ token: 's3cret' }] }, 'ä"': 2 },
    { [LONG]: LONG, a: 1 },
    { token: LONG, b: LONG },
    { a: `${'x'.repeat(60)} ghp_${'a1B2'.repeat(9)}` },
    Array.from({ length: 1000 }, (_, i) => ({ i, list: [i] })),
    Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`n${i}`, i])),
  ])('gives what redaction and JSON.stringify do, cut: %j', (value) => {
    expect(shownJson(value, DEFAULT_REDACTION)).toBe(
      cut(JSON.stringify(redactJson(value, DEFAULT_REDACTION))),
    );
  });
});

describe('shownBody', () => {
  const form = { 'content-type': 'application/x-www-form-urlencoded' };

  it.each([
    [{ text: `say "token": "s3cret" ${LONG}` }, {}, 'say "token": "[redacted]" '],
    [{ text: 'a=1&token=s3cret' }, form, 'a=1&token=[redacted]'],
    [{ text: `"token": "${'s3cret'.repeat(2000)}"` }, {}, '"token": "[redacted]"'],
    [{ base64: Buffer.from([0xff, 0xfe]).toString('base64') }, {}, '//4='],
    [{ json: { token: 1 } }, {}, '{"token":"[redacted]"}'],
  ])('begins as the redacted body: %j', (body, headers, start) => {
    const shown = shownBody(body, headers, DEFAULT_REDACTION);
    expect(shown.startsWith(start)).toBe(true);
    expect(shown.length).toBeLessThanOrEqual(81);
  });
});
