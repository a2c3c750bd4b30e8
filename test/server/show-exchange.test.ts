import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { DEFAULT_REDACTION } from '../../src/recordings/redact/redaction.ts';
import { bodyToShow, type FinishedExchange } from '../../src/server/exchange.ts';
import { type ShownBody, showExchange } from '../../src/server/show-exchange.ts';
import { finished, verdict } from '../support/finished-exchange.ts';

const SECRET = 'hunter2';

const show = (members: Partial<FinishedExchange> = {}) => showExchange(finished(members), DEFAULT_REDACTION);

/** @param size of the whole, of which `bytes` may be the beginning */
function bodyOf(bytes: Buffer | string, coding?: string, size = Buffer.from(bytes).length): ShownBody {
  const headers = ['Content-Type', 'application/json', ...(coding ? ['Content-Encoding', coding] : [])];
  const body = { bytes: Buffer.from(bytes), size };
  const request = { method: 'PATCH', url: '/', headers };
  const shown = show({ requestBody: body, request, response: { status: 200, headers, body } });
  expect(shown.response?.body).toEqual(shown.request.body);
  return shown.request.body as ShownBody;
}

it('shows a whole exchange', () => {
  expect(JSON.parse(JSON.stringify(show()))).toEqual({
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

it('lists the values of a repeated header, whatever its name; leaves out what there is not', () => {
  const headers = ['Accept', 'a', 'ACCEPT', 'b', '__proto__', 'c'];
  const shown = show({
    request: { method: 'GET', url: '/', headers },
    ...{
      requestBody: undefined,
      response: undefined,
      verdict: undefined,
      failure: 'client gone',
      fault: 'reset',
    },
  });
  expect(JSON.parse(JSON.stringify(shown))).toMatchObject({ failure: 'client gone', fault: 'reset' });
  expect(JSON.stringify(shown)).toContain('"headers":{"accept":["a","b"],"__proto__":"c"}');
  expect(JSON.stringify(shown)).not.toMatch(/"(?:body|response|verdict)"/);
});

it('never shows a secret', () => {
  const headers = ['Authorization', SECRET, 'cookie', SECRET, 'X-Api-Key', SECRET, 'Set-Cookie', SECRET];
  const shown = JSON.stringify(
    show({
      request: { method: 'PATCH', url: `http://u:${SECRET}@host/?apiKey=${SECRET}`, headers },
      requestBody: bodyToShow(Buffer.from(`{"a":[{"password":"${SECRET}"}]}`)),
      response: { status: 200, headers, body: bodyToShow(Buffer.from(`{"token":{"value":"${SECRET}"}}`)) },
    }),
  );
  expect(shown).not.toContain(SECRET);
  expect(shown).toContain('[redacted]');
});

describe('a body', () => {
  it.each(['{"a":1,"a":2}', '{"a":12345678901234567890}', '{"a":1,}', 'plain'])(
    'is a text where JSON would lose something: %s',
    (text) => expect(bodyOf(text)).toEqual({ text, size: text.length }),
  );

  it.each([
    ...[`{"token":"${SECRET}",}`, `{"token":"${SECRET}`, `{"token":"x","token":"${SECRET}"}`],
    ...[`{"\\u0074oken":"${SECRET}"}`, `data: {"password":"${SECRET}"}`],
  ])('is redacted although it is broken, cut or has a member twice: %s', (text) => {
    const shown = JSON.stringify(bodyOf(text, undefined, text.length + 1));
    expect(shown).not.toContain(SECRET);
    expect(shown).toContain('[redacted]');
  });

  it('is in base64 where it is no text', () => {
    const bytes = Buffer.from([0xff, 0xfe, 0]);
    expect(bodyOf(bytes)).toEqual({ base64: bytes.toString('base64'), size: 3 });
  });

  it('is shown without its content coding, with the size that went by', () => {
    const bytes = gzipSync(`{"name":"a","secret":"${SECRET}"}`);
    expect(bodyOf(bytes, 'gzip')).toEqual({ json: { name: 'a', secret: '[redacted]' }, size: bytes.length });
  });

  it.each<[string, string, RegExp]>([
    ['it is long', JSON.stringify(Array.from({ length: 40_000 }, (_, id) => ({ id }))), /^\[\{"id":0\}/],
    [
      'that is within a secret',
      `{"a":"${'x'.repeat(65_500)}","token":"${SECRET.repeat(10)}"}`,
      /"token":"\[red[^h]*$/,
    ],
  ])('is cut where %s', (_, text, shown) => {
    const bytes = gzipSync(text);
    const body = bodyOf(bytes, 'gzip') as { text: string };
    expect(body).toMatchObject({ cut: true, size: bytes.length });
    expect(body.text).toMatch(shown);
  });

  it('is not shown where a few bytes become many', () => {
    expect(bodyOf(gzipSync('x'.repeat(30_000_000)), 'gzip')).toMatchObject({ text: '[redacted]' });
  });

  it('is not taken for JSON where it was cut, and stays a text', () => {
    expect(bodyOf('[1]', undefined, 10)).toEqual({ text: '[1]', size: 10, cut: true });
    expect(bodyOf(Buffer.from('aé').subarray(0, 2), undefined, 3)).toEqual({ text: 'a', size: 3, cut: true });
  });
});
