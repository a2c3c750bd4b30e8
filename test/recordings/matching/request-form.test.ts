import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PatchgateError } from '../../../src/errors.ts';
import type { JsonValue } from '../../../src/json/json.ts';
import type { NormalizedRequest } from '../../../src/model/normalize-request.ts';
import { type MatchSettings, matchRules } from '../../../src/recordings/matching/match-rules.ts';
import { matches } from '../../../src/recordings/matching/matches.ts';
import { requestFacts, requestKey, SentRequest } from '../../../src/recordings/matching/request-form.ts';
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
  expect(given({ ...parts, body: { base64: '//4=' } }).body).toMatch(/^bytes [0-9a-f]{64}$/);
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

/** Whether one request matches the other; asked of the key too, where there is no placeholder. */
function sameBy(
  recorded: ExchangeParts,
  sent: ExchangeParts,
  settings: Partial<MatchSettings> = {},
): boolean {
  const rules = matchRules(settings);
  const a = exchange(recorded).request;
  const b = exchange(sent).request;
  const result = matches(a, new SentRequest(b, rules));
  const { key, isOpen } = requestFacts(a, rules);
  if (!isOpen) expect(key === requestKey(b, rules)).toBe(result);
  return result;
}

function json(text: string): ExchangeParts {
  return text === '' ? {} : { body: { json: JSON.parse(text) as JsonValue } };
}

describe('ignored places', () => {
  it.each([
    [['/id'], '{"id":1,"a":1}', '{"id":2,"a":1}', true],
    [['/id'], '{"id":1,"a":1}', '{"a":1}', true],
    [['/id'], '{"id":1,"a":1}', '{"id":1,"a":2}', false],
    [['/id'], '{"id":1}', '{}', true],
    [['/id'], '{"id":1}', '', false],
    [['/list/*/id'], '{"list":[{"id":1},{"id":2}]}', '{"list":[{"id":3},{}]}', true],
    [['/list/*/id'], '{"list":[{"id":1},{"id":2}]}', '{"list":[{}]}', false],
    [['/list/*'], '{"list":[1,2]}', '{"list":[]}', true],
    [['/list/*'], '{"list":[1,2]}', '{"list":{}}', false],
    [['/0'], '[1,2]', '[3,2]', true],
    [[''], '{"a":1}', '[]', true],
    [[''], '{"a":1}', '', true],
    [['/token'], '{"token":"[redacted]"}', '{}', true],
  ])('%j: recorded as %s, sent as %s: %s', (ignorePointers, recorded, sent, expected) => {
    expect(sameBy(json(recorded), json(sent), { ignorePointers })).toBe(expected);
    expect(sameBy({ body: { text: recorded } }, json(sent), { ignorePointers })).toBe(expected);
  });

  it('of a body that is no JSON are none, but for all of it', () => {
    const [a, b] = [{ body: { text: 'a' } }, { body: { base64: '//4=' } }];
    expect(sameBy(a, b, { ignorePointers: ['/a'] })).toBe(false);
    expect(sameBy(a, b, { ignorePointers: [''] })).toBe(true);
  });
});

it.each([
  ['t=1&a=1', 'a=1&t=2', true],
  ['t=1&a=1', 'a=1', true],
  ['t=1', '', true],
  ['%74=1', 't', true],
  ['t=1&a=1', 't=1&a=2', false],
  ['tt=1', '', false],
])('an ignored parameter: recorded as %j, sent as %j: %s', (recorded, sent, expected) => {
  expect(sameBy({ query: recorded }, { query: sent }, { ignoreQuery: ['t'] })).toBe(expected);
});

describe('headers', () => {
  const settings = { matchHeaders: ['Accept-Language', 'authorization', 'referer'] };

  it.each([
    [{ 'accept-language': 'en' }, { 'accept-language': 'en' }, true],
    [{ 'accept-language': 'en' }, { 'accept-language': 'de' }, false],
    [{ 'accept-language': 'en' }, {}, false],
    [{}, { 'accept-language': 'en' }, false],
    [{ 'accept-language': ['en', 'de'] }, { 'accept-language': 'en, de' }, true],
    [{ accept: 'a' }, { accept: 'b' }, true],
    // A secret is kept as the placeholder: any matches, but not none.
    [{ authorization: '[redacted]' }, { authorization: 'Bearer x' }, true],
    [{ authorization: '[redacted]' }, {}, false],
    [{ 'accept-language': '[redacted]' }, { 'accept-language': 'x' }, true],
    [{ referer: 'http://a/?token=[redacted]' }, { referer: 'http://a/?token=x' }, true],
    [{ referer: 'http://a/?token=[redacted]' }, { referer: 'http://b/?token=x' }, false],
  ])('recorded as %j, sent as %j: %s', (recorded, sent, expected) => {
    expect(sameBy({ requestHeaders: recorded }, { requestHeaders: sent }, settings)).toBe(expected);
  });

  it('that nobody named do not matter', () => {
    expect(sameBy({ requestHeaders: { accept: 'a' } }, { requestHeaders: { accept: 'b' } })).toBe(true);
  });
});

describe('placeholders', () => {
  it.each([
    [{ json: { note: 'my [redacted] key' } }, { json: { note: 'my s3cret key' } }, true],
    [{ json: { note: 'my [redacted] key' } }, { json: { note: 'my s3cret' } }, false],
    [{ json: '[redacted]' }, { text: '"s3cret"' }, true],
    [{ json: '[redacted]' }, { json: { any: 'thing' } }, true],
    [{ text: '[redacted]' }, { base64: '//4=' }, true],
    [{ text: 'a=[redacted]&b=1' }, { text: 'a=x&b=1' }, true],
    [{ text: 'a=[redacted]&b=1' }, { text: 'a=x&c=2&b=1' }, false],
    [{ text: 'a=[redacted]' }, { text: 'a=x&b=1' }, false],
    [{ text: 'a=[redacted]&b=1' }, { text: 'a=x&b=2' }, false],
  ])('of %j match %j: %s', (recorded, sent, expected) => {
    expect(sameBy({ body: recorded }, { body: sent })).toBe(expected);
  });

  it('stand for a part of a parameter, too', () => {
    expect(sameBy({ query: 'q=Bearer+[redacted]' }, { query: 'q=Bearer%20x' })).toBe(true);
    expect(sameBy({ query: 'q=Bearer+[redacted]' }, { query: 'q=Basic%20x' })).toBe(false);
  });

  it.each([
    ['a=[redacted]', undefined, true],
    ['', { json: { a: ['x [redacted]'] } }, true],
    ['', { text: 'a [redacted]' }, true],
    ['', { json: { a: [{ 'x-[redacted]': null }] } }, true],
    ['a=1', { json: { a: ['redacted'], redacted: null } }, false],
  ])('are found in %j and %j: %s', (query, body, expected) => {
    const rules = matchRules();
    const { request } = exchange({ query, ...(body && { body }) });
    expect(requestFacts(request, rules).isOpen).toBe(expected);
  });
});

it('a pattern that is none is refused by name', () => {
  expect(() => matchRules({ ignorePointers: ['/a', 'b'] })).toThrowError(
    'ignorePointers: "b" is no JSON Pointer',
  );
});

describe('whatever is compared', () => {
  const value = fc.letrec<{ any: JsonValue }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom<JsonValue>(null, true, 0, -0, 1, '', 'a', 'b'),
      fc.array(tie('any'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('any'), { maxKeys: 3, noNullPrototype: true }),
    ),
  })).any;
  const pointer = fc.array(fc.constantFrom('a', 'b', '0', '1', '*'), { maxLength: 3 });
  const pointers = fc.array(
    pointer.map((tokens) => tokens.map((token) => `/${token}`).join('')),
    { maxLength: 2 },
  );
  const settings = fc.record({
    ignorePointers: pointers,
    ignoreQuery: fc.subarray(['a', 'b']),
    matchHeaders: fc.subarray(['x', 'y']),
  });
  const request = fc.record({
    query: fc
      .array(fc.constantFrom('a=1', 'a=2', 'b', 'c=1'), { maxLength: 3 })
      .map((parts) => parts.join('&')),
    requestHeaders: fc.dictionary(fc.constantFrom('x', 'y', 'z'), fc.constantFrom('1', '2'), {
      noNullPrototype: true,
    }),
    body: value.map((json) => ({ json })),
  });

  it('matches exactly where the keys are the same, either way round', { tags: 'slow' }, () => {
    fc.assert(
      fc.property(request, request, settings, (a, b, rules) => {
        // Two random requests are seldom the same: parts of one are taken over from the other.
        const alike = { ...b, body: a.body };
        expect(sameBy(a, b, rules)).toBe(sameBy(b, a, rules));
        expect(sameBy(a, alike, rules)).toBe(sameBy(alike, a, rules));
        expect(sameBy(a, structuredClone(a), rules)).toBe(true);
      }),
    );
  });
});
