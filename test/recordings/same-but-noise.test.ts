import { describe, expect, it } from 'vitest';
import type { Exchange, StoredHeaders } from '../../src/model/exchange.ts';
import { sameButNoise } from '../../src/recordings/same-but-noise.ts';
import { exchange } from '../support/exchanges.ts';

const BASE: Exchange = exchange({ answer: { json: { a: 1 } } });

function answered(headers: StoredHeaders, more: Partial<NonNullable<Exchange['response']>> = {}): Exchange {
  return { ...BASE, response: { ...(BASE.response as NonNullable<Exchange['response']>), ...more, headers } };
}

describe('what was recorded again', () => {
  it.each([
    'X-Request-Id',
    'x-correlation-id',
    'x-amzn-requestid',
    'x-amz-request-id',
    'x-amzn-trace-id',
    'traceparent',
    'x-b3-traceid',
    'x-datadog-parent-id',
    'cf-ray',
    'expires',
    'last-modified',
    'age',
    'x-response-time',
    'server-timing',
    'x-ratelimit-remaining',
    'x-ratelimit-remaining-requests',
    'x-rate-limit-reset',
    'x-envoy-upstream-service-time',
    'x-kong-proxy-latency',
    'x-cache',
    'x-served-by',
    'report-to',
    'etag',
  ])('is the same where %s is another', (name) => {
    const of = (value: string) => answered({ 'content-type': 'a/b', [name.toLowerCase()]: value });
    expect(sameButNoise(of('1'), of('2'))).toBe(true);
  });

  it('is the same at another time', () => {
    const meta = { recordedAt: '2027-01-01T00:00:00.000Z', durationMs: 99 };
    expect(sameButNoise(BASE, { ...BASE, meta })).toBe(true);
  });

  it.each<[string, Exchange, Exchange]>([
    ['another header', answered({ location: '/1' }), answered({ location: '/2' })],
    ['the id of a resource', answered({ 'x-project-id': '1' }), answered({ 'x-project-id': '2' })],
    ['another status', answered({}), answered({}, { status: 201 })],
    ['another body', answered({}), answered({}, { body: { json: { a: 2 } } })],
    ['a further header', answered({}), answered({ 'x-a': '1' })],
    ['an ETag where there was none', answered({}), answered({ etag: '"1"' })],
    ['a failure', BASE, { ...BASE, failure: { kind: 'truncated' } }],
    ['a request body', BASE, { ...BASE, request: { ...BASE.request, body: { text: 'x' } } }],
  ])('is another: %s', (_, before, after) => {
    expect(sameButNoise(before, after)).toBe(false);
  });

  it('is another where an ETag is all that there is of a body', () => {
    const head = (etag: string) => {
      const { body: _, ...response } = answered({ etag }).response as NonNullable<Exchange['response']>;
      return { ...BASE, response };
    };
    expect(sameButNoise(head('"1"'), head('"1"'))).toBe(true);
    expect(sameButNoise(head('"1"'), head('"2"'))).toBe(false);
  });
});
