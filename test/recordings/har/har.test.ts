/** HTTP archives: those of browsers, proxies and other recorders in, and ours out and in again. */
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../../src/model/exchange.ts';
import { storeBody } from '../../../src/recordings/body.ts';
import { type HarEntry, harEntries, seenOf } from '../../../src/recordings/har/from-har.ts';
import { harEntryOf } from '../../../src/recordings/har/to-har.ts';
import { DEFAULT_RULES } from '../../../src/recordings/match.ts';
import { plainExchangeOf, toStoredExchange } from '../../../src/recordings/plain-exchange.ts';
import { exchange } from '../../support/exchanges.ts';
import { HAR_SCHEMA } from './samples/har-schema.ts';

const NO_ANSWER = "the response's body is not in the file";
const NO_REQUEST = "the request's body is not in the file";

function entriesOf(name: string): readonly HarEntry[] {
  return harEntries(readFileSync(new URL(`samples/${name}`, import.meta.url)), name).entries;
}

function entry(request: object = {}, response: object = {}): HarEntry {
  return {
    startedDateTime: '2026-11-20T12:00:00Z',
    time: 5,
    request: { method: 'GET', url: 'https://h/a', ...request },
    response: { status: 200, content: { size: 2, text: 'hi' }, ...response },
  };
}

function briefly(one: HarEntry): string | number {
  const outcome = seenOf(one);
  return 'skipped' in outcome ? outcome.skipped : outcome.response.status;
}

function found(one: HarEntry | undefined) {
  const outcome = seenOf(one as HarEntry);
  if ('skipped' in outcome) throw new Error(outcome.skipped);
  return outcome;
}

it('takes of an archive of a browser what is a whole exchange, without what belongs to HTTP/2 and codings', () => {
  const entries = entriesOf('browser.json');
  const none = ['no response', 'no response', 'not HTTP (data:)', 'not HTTP (chrome-extension:)'];
  expect(entries.map(briefly)).toEqual([200, 200, NO_ANSWER, 'not HTTP (wss:)', ...none]);
  expect(found(entries[1]).response.body).toEqual(Buffer.from('R0lGODlh/w==', 'base64'));
  const seen = found(entries[0]);
  expect(seen.request).toEqual({
    body: Buffer.from('{"name":"Grüße","password":"SECRET-4"}'),
    method: 'PATCH',
    url: 'https://staging.example.com/api/v2/accounts/current/features/7?token=SECRET-1',
    headers: [
      ...['host', 'staging.example.com', 'authorization', 'Bearer SECRET-2', 'accept', 'application/json'],
      ...['content-type', 'application/json', 'content-length', '41'],
    ],
  });
  expect(seen.response.body.toString()).toBe('{"id":7.0}\n');
  expect(seen.response.headers).not.toContain('content-encoding');
  expect(seen.response.headers.join()).toContain('set-cookie,a=SECRET-5,set-cookie,b=SECRET-6');
  expect(seen.meta.durationMs).toBe(42);
});

it('takes an archive of a proxy, without what it only has fields of, or in other files', () => {
  const entries = entriesOf('proxy.json');
  expect(entries.map(briefly)).toEqual([NO_REQUEST, 'a tunnel', NO_REQUEST, 200, 200, NO_ANSWER]);
  expect(found(entries[4]).response.headers).toContain('Content-Encoding');
});

describe('an entry', () => {
  it.each<[HarEntry, string | number]>([
    [entry({ url: '/a' }), 'no URL'],
    [entry({ method: 'GET /' }), 'no HTTP method'],
    [entry({}, { status: -1 }), 'no response'],
    [entry({}, { status: 103 }), 'no response'],
    [entry({}, { status: 304 }), 'not modified: empty the cache before'],
    [entry({}, { content: { text: '68c3a9', _isBinary: true } }), NO_ANSWER],
    [entry({ bodySize: 3 }), NO_REQUEST],
    [entry({}, { content: { size: 5, text: '' } }), NO_ANSWER],
    [entry({}, { content: { text: '' } }), 200],
    [entry({}, { content: null, bodySize: 0 }), 200],
    [entry({}, { status: 204, content: null }), 204],
    [entry({ method: 'HEAD' }, { content: { size: 5 } }), 200],
  ])('%j: %s', (one, outcome) => {
    expect(briefly(one)).toBe(outcome);
  });

  it('has headers as on the wire, and a target without fragment, percent-encoded', () => {
    const headers = [
      { name: 'x', value: 'é\nb' },
      { name: 'bad name', value: 'x' },
      { name: 'y', value: '世' },
    ];
    const seen = found(entry({ url: 'https://h/ä b#c' }, { headers }));
    expect(seen.response.headers).toEqual(['x', 'é', 'x', 'b']);
    expect(seen.request.url).toBe('https://h/%C3%A4%20b');
  });
});

it.each([
  ['', 'x.har:1:1: the document ends where a value should be'],
  ['{"log": {\n  "entries": [', 'x.har:2:15: the document ends'],
  ['[]', 'x.har:1:1: must be an object'],
  ['{"log":\n {"a": 1}}', 'x.har:2:3: /log/entries is missing'],
  ['{"log": {"entries": 1}}', 'x.har:1:21: /log/entries must be a list'],
  ['{"log": {"entries": [\nnull]}}', 'x.har:2:1: /log/entries/0 must be an object'],
  [
    '{"log":{"entries":[{"startedDateTime":"2026-11-20T12:00:00Z","request":\n{"url":"x"}}]}}',
    'x.har:2:2: /log/entries/0/request/method is missing',
  ],
  ['\x1f\x8b', 'x.har is not valid UTF-8'],
])('refuses what is no archive, with the place: %j', (content, message) => {
  expect(() => harEntries(Buffer.from(content, 'latin1'), 'x.har')).toThrow(message);
});

function fileOf(exchanges: readonly Exchange[]): Buffer {
  const entries = exchanges.map(harEntryOf);
  const log = { version: '1.2', creator: { name: 'patchgate', version: '1' }, entries };
  return Buffer.from(JSON.stringify({ log }));
}

const text = (letters: string) => fc.string({ unit: fc.constantFrom(...letters), maxLength: 12 });
const bytes = fc.oneof(
  fc.json().map((one) => Buffer.from(one)),
  fc.string({ unit: 'binary' }).map((one) => Buffer.from(one)),
  fc.uint8Array({ maxLength: 20 }).map((one) => Buffer.from(one)),
);
const message = fc
  .record({
    type: fc.constantFrom(undefined, 'application/json', 'text/plain; charset=latin1', 'image/png'),
    accept: fc.oneof(text('aZ09 ,;="é\t'), fc.array(text('aZ, é'), { minLength: 2, maxLength: 3 })),
    bytes,
  })
  .map(({ type, accept, bytes }) => {
    const body = storeBody(bytes, type);
    return { headers: { accept, ...(type && { 'content-type': type }) }, ...(body && { body }) };
  });
const anyExchange = fc
  .record({
    ...{ request: message, response: message, status: fc.constantFrom(200, 201, 302, 404, 599) },
    ...{ method: fc.constantFrom('GET', 'PATCH', 'POST', 'M-SEARCH'), query: text('ab/.%2Fé;#[] &=+') },
    ...{ path: text('ab/.%2Fé;#[] &=+'), time: fc.integer({ min: 0, max: 4e12 }), durationMs: fc.nat() },
  })
  .map(
    ({ request, response, method, path, query, status, time, durationMs }): Exchange => ({
      request: { method, path: `/${path}`, query, ...request },
      response: { status, ...response },
      meta: { recordedAt: new Date(time).toISOString(), durationMs },
    }),
  );

it('writes archives that are HAR 1.2', { tags: 'slow' }, () => {
  const isHar = new Ajv({ allErrors: true }).compile(HAR_SCHEMA);
  fc.assert(
    fc.property(fc.array(anyExchange, { maxLength: 4 }), (exchanges) => {
      isHar(JSON.parse(fileOf(exchanges).toString()));
      expect(isHar.errors ?? []).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

it('reads what it wrote: method, path, query, status, headers and bodies', () => {
  const patched = exchange({ query: 'a=1&b=%20', body: { json: { a: 1 } }, answer: { base64: '/wA=' } });
  const { entries } = harEntries(fileOf([patched, exchange({ method: 'DELETE', status: 204 })]), 'x.har');
  const again = entries.map((one) => toStoredExchange(plainExchangeOf(found(one), DEFAULT_RULES)));
  expect(again).toEqual([patched, exchange({ method: 'DELETE', status: 204 })]);
});
