import { describe, expect, it } from 'vitest';
import { PatchgateError } from '../../../src/errors.ts';
import type { NormalizedRequest } from '../../../src/model/normalize-request.ts';
import { matchRules } from '../../../src/recordings/matching/match-rules.ts';
import { matches } from '../../../src/recordings/matching/matches.ts';
import { requestKey, SentRequest } from '../../../src/recordings/matching/request-form.ts';
import { type ExchangeParts, exchange, PROJECT_PATH } from '../../support/exchanges.ts';

type Own = (request: NormalizedRequest) => unknown;

function same(recorded: ExchangeParts, sent: ExchangeParts, own: Own, others = {}): boolean {
  const rules = matchRules({ normalizeRequest: own as never, ...others });
  const a = exchange(recorded).request;
  const b = exchange(sent).request;
  const result = matches(a, new SentRequest(b, rules));
  if (!JSON.stringify(a).includes('[redacted]')) {
    expect(requestKey(a, rules) === requestKey(b, rules)).toBe(result);
  }
  return result;
}

function given(parts: ExchangeParts, others = {}): NormalizedRequest {
  let seen: NormalizedRequest | undefined;
  const own: Own = (request) => {
    seen = structuredClone(request);
    return request;
  };
  same(parts, parts, own, others);
  return seen as NormalizedRequest;
}

it('gets a request with its body as a value, a text, or a name for its bytes', () => {
  const head = { method: 'PATCH', path: PROJECT_PATH, query: 'a=1', headers: { 'content-type': 'x/json' } };
  const parts = { query: 'a=1', requestHeaders: head.headers };
  expect(given(parts)).toEqual(head);
  expect(given({ ...parts, body: { json: { a: [1] } } })).toEqual({ ...head, body: { a: [1] } });
  expect(given({ ...parts, body: { text: '{"a": 1}' } })).toEqual({ ...head, body: { a: 1 } });
  expect(given({ ...parts, body: { text: 'hi' } })).toEqual({ ...head, body: 'hi' });
  expect(given({ ...parts, body: { base64: '//4=' } }).body).toMatch(/^bytes [0-9a-f]{32}$/);
});

it('gets headers without their secrets', () => {
  const requestHeaders = { authorization: 'Bearer s3cret', accept: ['a', 'b'] };
  const { headers } = given({ requestHeaders }, { matchHeaders: ['authorization'] });
  expect(headers).toEqual({ authorization: '[redacted]', accept: ['a', 'b'] });
});

it('says what is compared, before all other rules', () => {
  const lower: Own = ({ body, query, ...rest }) => {
    const { name, ...others } = body as { name: string };
    return {
      ...rest,
      query: query.replace(/^v=\d+&/, ''),
      body: { ...others, name: name.toLowerCase(), id: name },
    };
  };
  const a = { query: 'v=1&q=1', body: { json: { name: 'ABC', x: 1 } } };
  const b = { query: 'v=2&q=1', body: { json: { x: 1, name: 'abc' } } };
  expect(same(a, b, lower)).toBe(false);
  expect(same(a, b, lower, { ignorePointers: ['/id'] })).toBe(true);
  expect(same(a, { ...b, query: 'v=2&q=2' }, lower, { ignorePointers: ['/id'] })).toBe(false);
});

it('may change what it gets, and nothing changes but the comparison', () => {
  const body = { json: { list: [{ at: 5 }] } };
  const own: Own = (request) => {
    (request.body as typeof body.json).list[0] = { at: 0 };
    return request;
  };
  expect(same({ body }, { body: { json: { list: [{ at: 7 }] } } }, own)).toBe(true);
  expect(body.json.list[0]?.at).toBe(5);
});

it('may change headers, path and method, and drop or replace a body', () => {
  const one: ExchangeParts = { requestHeaders: { 'x-id': '1' }, path: '/a/1', body: { text: 'x1' } };
  const two: ExchangeParts = { requestHeaders: { 'x-id': '2' }, path: '/a/2', body: { text: 'x2' } };
  const others = { matchHeaders: ['X-Id'] };
  const own: Own = ({ query }) => ({ method: 'M', path: '/', query, headers: { 'x-id': ['0'] } });
  expect(same(one, two, own, others)).toBe(true);
  expect(same(one, two, (request) => ({ ...(own(request) as object), body: 'x' }), others)).toBe(true);
  expect(same(one, two, (request) => ({ ...(own(request) as object), body: request.body }), others)).toBe(
    false,
  );
});

it.each(['method', 'path'])('may tell requests apart by the %s', (part) => {
  const own: Own = ({ body, ...request }) => ({ ...request, [part]: body });
  const [one, two] = [{ body: { text: 'A' } }, { body: { text: 'B' } }];
  expect(same(one, one, own)).toBe(true);
  expect(same(one, two, own)).toBe(false);
});

it('leaves bodies that it does not touch as they are', () => {
  const keep: Own = (request) => request;
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const recorded = { requestHeaders: form, body: { text: 'user=a&password=[redacted]' } };
  expect(same(recorded, { requestHeaders: form, body: { text: 'user=a&password=x' } }, keep)).toBe(true);
  expect(same(recorded, { requestHeaders: form, body: { text: 'user=b&password=x' } }, keep)).toBe(false);
  expect(same({ body: { base64: '//4=' } }, { body: { base64: '//4=' } }, keep)).toBe(true);
  expect(same({ body: { base64: '//4=' } }, { body: { base64: '//8=' } }, keep)).toBe(false);
});

describe('a function that fails', () => {
  const cyclic: { self?: unknown } = {};
  cyclic.self = cyclic;
  const request =
    (change: object): Own =>
    (given) => ({ ...given, ...change });

  it.each<[string, Own]>([
    ['gave back a value of type undefined', () => undefined],
    ['gave back null', () => null],
    ['gave back a list', () => []],
    ['gave back a promise', async (one) => one],
    ['gave back a request whose method is no text', request({ method: 1 })],
    ['gave back a request whose query is no text', request({ query: undefined })],
    ['gave back a request whose headers are no texts', request({ headers: { a: 1 } })],
    ['gave back a request whose headers are no texts', request({ headers: undefined })],
    ['gave back a body that is no JSON value', request({ body: () => 1 })],
    ['gave back a body that is no JSON value', request({ body: cyclic })],
    ['gave back a body that is no JSON value', request({ body: 1n })],
    ['threw: Cannot read properties of undefined', (one) => (one.body as { a: { b: 1 } }).a.b],
    [
      'threw: oh "token": "[redacted]"',
      () => {
        throw new Error('oh "token": "s3cret"');
      },
    ],
  ])('is named: it %s', (message, own) => {
    const error = expectThrown(() => same({ body: { json: {} } }, { body: { json: {} } }, own));
    expect(error.code).toBe('bad-config');
    expect(error.message).toContain(`normalizeRequest of the config ${message}`);
    expect(error.message).toContain(`(for PATCH ${PROJECT_PATH})`);
    expect(error.message).not.toContain('s3cret');
    expect(error.hint).toMatch(/gives back the same/);
  });
});

function expectThrown(what: () => unknown): PatchgateError {
  try {
    what();
  } catch (error) {
    expect(error).toBeInstanceOf(PatchgateError);
    return error as PatchgateError;
  }
  throw new Error('nothing was thrown');
}
