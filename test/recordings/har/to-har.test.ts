import { Ajv } from 'ajv';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Exchange, StoredHeaders } from '../../../src/model/exchange.ts';
import { bodyBytes, storeBody } from '../../../src/recordings/body.ts';
import { seenOf } from '../../../src/recordings/har/from-har.ts';
import { CREATOR, NO_ORIGIN } from '../../../src/recordings/har/har.ts';
import { readHar } from '../../../src/recordings/har/read-har.ts';
import { harEntryOf } from '../../../src/recordings/har/to-har.ts';
import { plainExchangeOf, toStoredExchange } from '../../../src/recordings/plain-exchange.ts';
import { redactionOf } from '../../../src/recordings/redact/redaction.ts';
import { exchange, whole } from '../../support/exchanges.ts';
import { HAR_SCHEMA } from '../../support/har/har-schema.ts';

function entryOf(one: Exchange, base = NO_ORIGIN) {
  const { request, response } = whole(one);
  return harEntryOf(
    {
      exchange: one,
      request: request.body && bodyBytes(request.body),
      response: response.body && bodyBytes(response.body),
    },
    base,
  );
}

function fileOf(...exchanges: Exchange[]): Buffer {
  const log = {
    version: '1.2',
    creator: { name: CREATOR, version: '1' },
    entries: exchanges.map((one) => entryOf(one)),
  };
  return Buffer.from(JSON.stringify({ log }));
}

/** Out into an archive and in again. */
function again(file: Buffer): Exchange[] {
  const { entries, isOwn } = readHar(file, 'x.har');
  return entries.map((entry) => {
    const found = seenOf(entry, { isOwn });
    if ('skipped' in found) throw new Error(found.skipped);
    return toStoredExchange(plainExchangeOf(found.seen, redactionOf()));
  });
}

describe('an entry', () => {
  it('has what tools look for', () => {
    const one = exchange({
      method: 'POST',
      path: '/login',
      query: 'a=1&b=x%20y&c',
      requestHeaders: { 'content-type': 'application/x-www-form-urlencoded', accept: ['a', 'b'] },
      body: { text: 'user=me+too&x=%26' },
      status: 302,
      headers: { location: '/home', 'content-type': 'application/octet-stream' },
      answer: { base64: '/w==' },
    });
    expect(entryOf(one, 'http://127.0.0.1:4010')).toEqual({
      startedDateTime: '2026-11-20T12:00:00.000Z',
      time: 12,
      request: {
        method: 'POST',
        url: 'http://127.0.0.1:4010/login?a=1&b=x%20y&c',
        httpVersion: 'HTTP/1.1',
        cookies: [],
        headers: [
          { name: 'content-type', value: 'application/x-www-form-urlencoded' },
          { name: 'accept', value: 'a' },
          { name: 'accept', value: 'b' },
        ],
        queryString: [
          { name: 'a', value: '1' },
          { name: 'b', value: 'x y' },
          { name: 'c', value: '' },
        ],
        postData: {
          mimeType: 'application/x-www-form-urlencoded',
          text: 'user=me+too&x=%26',
          params: [
            { name: 'user', value: 'me too' },
            { name: 'x', value: '&' },
          ],
        },
        headersSize: -1,
        bodySize: 17,
      },
      response: {
        status: 302,
        statusText: 'Found',
        httpVersion: 'HTTP/1.1',
        cookies: [],
        headers: [
          { name: 'location', value: '/home' },
          { name: 'content-type', value: 'application/octet-stream' },
        ],
        content: { size: 1, mimeType: 'application/octet-stream', text: '/w==', encoding: 'base64' },
        redirectURL: '/home',
        headersSize: -1,
        bodySize: 1,
      },
      cache: {},
      timings: { send: 0, wait: 12, receive: 0 },
    });
  });

  it('says that a body was not kept', () => {
    const one = exchange();
    const entry = harEntryOf({ exchange: one, request: undefined, response: { omitted: 5 } }, NO_ORIGIN);
    expect(entry.response?.content).toEqual({
      size: 5,
      mimeType: 'application/json',
      comment: 'the body of 5 bytes was not kept',
    });
    expect(entry._patchgate).toEqual({ omitted: { response: 5 } });
  });
});

const headerValue = fc.string({ unit: fc.constantFrom(...'aZ09 ,;="é\t'), maxLength: 8 });
const headersOf = (...names: string[]) =>
  fc.dictionary(
    fc.constantFrom(...names),
    fc.oneof(headerValue, fc.array(headerValue, { minLength: 2, maxLength: 3 })),
    { noNullPrototype: true },
  );
const bytes = fc.oneof(
  fc.constant(Buffer.alloc(0)),
  fc.json().map((text) => Buffer.from(text)),
  fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)),
  fc.uint8Array({ minLength: 1, maxLength: 20 }).map((array) => Buffer.from(array)),
);
const type = fc.constantFrom(undefined, 'application/json', 'text/plain; charset=latin1', 'image/png');
const target = fc.string({ unit: fc.constantFrom(...'ab/.%2Fé;#[] &=+'), maxLength: 12 });

function typed(headers: StoredHeaders, mediaType: string | undefined): StoredHeaders {
  return mediaType === undefined ? headers : { ...headers, 'content-type': mediaType };
}

const anyExchange = fc
  .record({
    method: fc.constantFrom('GET', 'PATCH', 'POST', 'M-SEARCH'),
    path: target.map((text) => `/${text}`),
    query: target,
    requestType: type,
    requestHeaders: headersOf('accept'),
    requestBody: bytes,
    status: fc.constantFrom(200, 201, 302, 404, 599),
    responseType: type,
    headers: headersOf('x-a', 'etag', 'location'),
    body: bytes,
    time: fc.integer({ min: 0, max: 4e12 }),
    durationMs: fc.nat(),
  })
  .map((parts): Exchange => {
    const request = storeBody(parts.requestBody, parts.requestType);
    const response = storeBody(parts.body, parts.responseType);
    return {
      request: {
        method: parts.method,
        path: parts.path,
        query: parts.query,
        headers: typed(parts.requestHeaders, parts.requestType),
        ...(request && { body: request }),
      },
      response: {
        status: parts.status,
        headers: typed(parts.headers, parts.responseType),
        ...(response && { body: response }),
      },
      meta: { recordedAt: new Date(parts.time).toISOString(), durationMs: parts.durationMs },
    };
  });

describe('an archive of ours', () => {
  it('is HAR 1.2, and gives the same exchanges back in the same order', { tags: 'slow' }, () => {
    const isHar = new Ajv({ allErrors: true }).compile(HAR_SCHEMA);
    fc.assert(
      fc.property(fc.array(anyExchange, { maxLength: 4 }), (exchanges) => {
        const file = fileOf(...exchanges);
        isHar(JSON.parse(file.toString()));
        expect(isHar.errors ?? []).toEqual([]);
        expect(again(file)).toEqual(exchanges);
      }),
      { numRuns: 300 },
    );
  });

  it('gives the sessions back', () => {
    const exchanges = [exchange({ session: 'a "test"' }), exchange()];
    expect(again(fileOf(...exchanges))).toEqual(exchanges);
  });

  it('gives odd targets back, which no URL holds', () => {
    const odd = [
      exchange({ method: 'OPTIONS', path: '*' }),
      exchange({ path: '/a#b' }),
      exchange({ path: '/é b' }),
    ];
    expect(again(fileOf(...odd))).toEqual(odd);
  });
});
