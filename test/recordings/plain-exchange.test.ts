import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { plainExchangeOf, type SeenExchange, toStoredExchange } from '../../src/recordings/plain-exchange.ts';
import { DEFAULT_REDACTION } from '../../src/recordings/redact/redaction.ts';
import { whole } from '../support/exchanges.ts';

interface Parts {
  method?: string;
  url?: string;
  requestHeaders?: string[];
  requestBody?: string | Buffer;
  status?: number;
  headers?: string[];
  body?: string | Buffer;
}

function seen(parts: Parts): SeenExchange {
  return {
    request: {
      method: parts.method ?? 'PATCH',
      url: parts.url ?? '/a',
      headers: parts.requestHeaders ?? ['Content-Type', 'application/json'],
    },
    requestBody: Buffer.from(parts.requestBody ?? ''),
    response: {
      status: parts.status ?? 200,
      message: 'OK',
      headers: parts.headers ?? ['Content-Type', 'application/json'],
    },
    responseBody: Buffer.from(parts.body ?? ''),
    startedAt: Date.UTC(2026, 10, 20, 12),
    endedAt: Date.UTC(2026, 10, 20, 12) + 12.4,
  };
}

/** As a file keeps it. */
function exchangeOf(parts: SeenExchange) {
  return whole(toStoredExchange(plainExchangeOf(parts, DEFAULT_REDACTION)));
}

describe('plainExchangeOf, as a file keeps it', () => {
  it('keeps what replaying needs, and nothing of the connection', () => {
    const kept = exchangeOf(
      seen({
        url: '/a/b?x=1',
        requestHeaders: [
          'Host',
          'h',
          'ACCEPT',
          '*/*',
          'X-HTTP-Method-Override',
          'PATCH',
          'Content-Type',
          'application/json',
          'User-Agent',
          'u',
        ],
        requestBody: '{"a":1}',
        headers: [
          ...['Content-Type', 'application/json', 'Date', 'now', 'Content-Length', '7', 'X-Gone', '1'],
          ...['Connection', 'close, X-Gone', 'Transfer-Encoding', 'chunked', 'Vary', 'a', 'vary', 'b'],
          ...['Keep-Alive', 'timeout=5', 'ETag', '"1"', '__proto__', 'p'],
        ],
        body: '{"b":2}',
      }),
    );
    expect(JSON.parse(JSON.stringify(kept))).toEqual(
      JSON.parse(`{
        "request": { "method": "PATCH", "path": "/a/b", "query": "x=1",
          "headers": { "accept": "*/*", "x-http-method-override": "PATCH", "content-type": "application/json" }, "body": { "json": { "a": 1 } } },
        "response": { "status": 200,
          "headers": { "content-type": "application/json", "vary": ["a", "b"], "etag": "\\"1\\"", "__proto__": "p" },
          "body": { "json": { "b": 2 } } },
        "meta": { "recordedAt": "2026-11-20T12:00:00.000Z", "durationMs": 12 } }`),
    );
  });

  it.each([
    ['gzip', gzipSync('{"b":2}')],
    ['x-gzip', gzipSync('{"b":2}')],
    ['br', brotliCompressSync('{"b":2}')],
    ['deflate', deflateSync('{"b":2}')],
    ['deflate', deflateRawSync('{"b":2}')],
    ['deflate, GZIP', gzipSync(deflateSync('{"b":2}'))],
    ['identity', Buffer.from('{"b":2}')],
  ])('undoes the content coding %s', (coding, body) => {
    const coded = ['Content-Encoding', coding, 'Content-Type', 'application/json'];
    const kept = exchangeOf(seen({ headers: coded, body, requestHeaders: coded, requestBody: body }));
    expect(kept.response).toEqual({
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: { json: { b: 2 } },
    });
    expect(kept.request.body).toEqual({ json: { b: 2 } });
  });

  it.each([
    ['zstd', Buffer.from('??')],
    ['gzip', gzipSync('{"b":2}').subarray(0, 15)],
    ['br', Buffer.from('{"b":2}')],
    ['gzip', gzipSync(Buffer.alloc(80 * 1024 * 1024))],
  ])('leaves out a body whose coding %s cannot be undone: nobody can say what it holds', (coding, body) => {
    const headers = ['Content-Encoding', coding];
    const parts = seen({ headers, body, requestHeaders: headers, requestBody: body });
    const { request, response } = plainExchangeOf(parts, DEFAULT_REDACTION);
    for (const message of [request, response]) {
      expect(message).toMatchObject({ headers: ['content-encoding', coding], omitted: body.length });
      expect(message.body.length).toBe(0);
    }
  });

  it('keeps the length that a HEAD tells, and its coding', () => {
    const { response } = exchangeOf(
      seen({ method: 'HEAD', headers: ['Content-Length', '70', 'Content-Encoding', 'gzip'] }),
    );
    expect(response).toEqual({
      status: 200,
      headers: { 'content-length': '70', 'content-encoding': 'gzip' },
    });
  });

  it('makes a location at the gate itself independent of its port', () => {
    const location = (value: string) =>
      exchangeOf(seen({ requestHeaders: ['Host', 'localhost:4010'], headers: ['Location', value] })).response
        .headers.location;
    expect(location('http://localhost:4010/a?b=1')).toBe('/a?b=1');
    expect(location('https://localhost:4010/a?b=1')).toBe('/a?b=1');
    expect(location('http://localhost:40101/a')).toBe('http://localhost:40101/a');
    expect(location('http://localhost:4010//evil.example/')).toBe('http://localhost:4010//evil.example/');
  });
});
