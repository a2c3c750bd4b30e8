import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { DEFAULT_REDACTION } from '../../src/recordings/redact/redaction.ts';
import type { FinishedExchange } from '../../src/server/finished-exchange.ts';
import { type ShownBody, showExchange, showExchangeHead } from '../../src/server/show-exchange.ts';
import { finished, verdict } from '../support/finished-exchange.ts';

const SECRET = 'hunter2';

function bodyOf(
  body: FinishedExchange['requestBody'],
  headers = ['Content-Type', 'application/json'],
): ShownBody {
  const request = { method: 'PATCH', url: '/', headers };
  const shown = showExchange(
    finished({ requestBody: body, request, response: { status: 200, headers, body } }),
    DEFAULT_REDACTION,
  );
  expect(shown.response?.body).toEqual(shown.request.body);
  return shown.request.body as ShownBody;
}

it('shows a whole exchange', () => {
  expect(JSON.parse(JSON.stringify(showExchange(finished(), DEFAULT_REDACTION)))).toEqual({
    id: 1,
    startedAt: '2026-11-20T12:00:00.000Z',
    durationMs: 12.346,
    request: {
      method: 'PATCH',
      url: '/api/v2/accounts/current/projects/42',
      headers: { host: 'localhost', 'content-type': 'application/json' },
      body: { json: { name: 'a' }, size: 12 },
    },
    response: {
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: { json: { ok: true }, size: 11 },
    },
    verdict: verdict(),
    answeredBy: 'target',
  });
});

it('shows one without a response', () => {
  const shown = JSON.parse(
    JSON.stringify(
      showExchange(
        finished({ response: undefined, verdict: undefined, failure: 'client gone', fault: 'reset' }),
        DEFAULT_REDACTION,
      ),
    ),
  );
  expect(shown).toMatchObject({ failure: 'client gone', fault: 'reset' });
  expect(shown).not.toHaveProperty('response');
  expect(shown).not.toHaveProperty('verdict');
});

it('lists the values of a repeated header, whatever its name', () => {
  const headers = ['Accept', 'a', 'ACCEPT', 'b', '__proto__', 'c'];
  const shown = showExchangeHead(
    finished({ request: { method: 'GET', url: '/', headers } }),
    DEFAULT_REDACTION,
  );
  expect(JSON.stringify(shown.request.headers)).toBe('{"accept":["a","b"],"__proto__":"c"}');
});

it('never shows a secret', () => {
  const headers = ['Authorization', SECRET, 'cookie', SECRET, 'X-Api-Key', SECRET, 'Set-Cookie', SECRET];
  const shown = JSON.stringify(
    showExchange(
      finished({
        request: { method: 'PATCH', url: `http://u:${SECRET}@host/?apiKey=${SECRET}`, headers },
        requestBody: Buffer.from(`{"a":[{"password":"${SECRET}"}]}`),
        response: { status: 200, headers, body: Buffer.from(`{"token":{"value":"${SECRET}"}}`) },
      }),
      DEFAULT_REDACTION,
    ),
  );
  expect(shown).not.toContain(SECRET);
  expect(shown).toContain('[redacted]');
});

describe('a body', () => {
  it('is absent where there is none', () => {
    const shown = JSON.stringify(
      showExchange(finished({ requestBody: undefined }), DEFAULT_REDACTION).request,
    );
    expect(shown).not.toContain('body');
  });

  it.each(['{"a":1,"a":2}', '{"a":12345678901234567890}', '{"a":1,}', 'plain'])(
    'is a text where JSON would lose something: %s',
    (text) => expect(bodyOf(Buffer.from(text))).toEqual({ text, size: text.length }),
  );

  it('is redacted although it is broken, cut or has a member twice', () => {
    for (const text of [
      `{"token":"${SECRET}",}`,
      `{"token":"${SECRET}`,
      `{"token":"x","token":"${SECRET}"}`,
      `{"\\u0074oken":"${SECRET}"}`,
      `data: {"password":"${SECRET}"}`,
    ]) {
      const shown = JSON.stringify(bodyOf({ bytes: Buffer.from(text), size: text.length + 1 }));
      expect(shown).not.toContain(SECRET);
      expect(shown).toContain('[redacted]');
    }
  });

  it('is in base64 where it is no text', () => {
    const bytes = Buffer.from([0xff, 0xfe, 0]);
    expect(bodyOf(bytes, [])).toEqual({ base64: bytes.toString('base64'), size: 3 });
  });

  it('is shown without its content coding, with the size that went by', () => {
    const bytes = gzipSync(`{"name":"a","secret":"${SECRET}"}`);
    expect(bodyOf(bytes, ['Content-Type', 'application/json', 'Content-Encoding', 'gzip'])).toEqual({
      json: { name: 'a', secret: '[redacted]' },
      size: bytes.length,
    });
  });

  it('is cut again where its content coding made it large', () => {
    const bytes = gzipSync(`"${'é'.repeat(200_000)}"`);
    const shown = bodyOf(bytes, ['Content-Encoding', 'gzip']) as { text: string };
    expect(shown).toMatchObject({ cut: true, size: bytes.length });
    expect(Buffer.byteLength(shown.text)).toBe(65_535);
  });

  it('is not had whole where a few bytes become many', () => {
    const bytes = gzipSync(Buffer.alloc(3_000_000, 'x'));
    const shown = bodyOf(bytes, ['Content-Encoding', 'gzip']) as { text: string };
    expect(shown).toMatchObject({ cut: true, size: bytes.length });
    expect(shown.text).toMatch(/^x{10000,65536}$/);
  });

  it('is redacted where it is cut within a secret', () => {
    const bytes = gzipSync(`{"a":"${'x'.repeat(65_500)}","token":"${SECRET.repeat(10)}"}`);
    const shown = bodyOf(bytes, ['Content-Encoding', 'gzip']) as { text: string };
    expect(shown.text).toContain('"token":"[red');
    expect(shown.text).not.toContain('hun');
  });

  it('stays a text where it was cut within a character', () => {
    const bytes = Buffer.from('aé').subarray(0, 2);
    expect(bodyOf({ bytes, size: 3 })).toEqual({ text: 'a', size: 3, cut: true });
  });

  it('is not taken for JSON where it was cut', () => {
    expect(bodyOf({ bytes: Buffer.from('[1]'), size: 10 })).toEqual({ text: '[1]', size: 10, cut: true });
  });
});
