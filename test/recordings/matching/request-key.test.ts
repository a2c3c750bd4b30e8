import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../src/json/json.ts';
import { type MatchSettings, matchRules } from '../../../src/recordings/matching/match-rules.ts';
import { matches } from '../../../src/recordings/matching/matches.ts';
import { requestFacts, requestKey, SentRequest } from '../../../src/recordings/matching/request-form.ts';
import { type ExchangeParts, exchange } from '../../support/exchanges.ts';

/** Whether one request matches the other; asked of the key too, where there is no placeholder. */
function same(recorded: ExchangeParts, sent: ExchangeParts, settings: Partial<MatchSettings> = {}): boolean {
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
    expect(same(json(recorded), json(sent), { ignorePointers })).toBe(expected);
    expect(same({ body: { text: recorded } }, json(sent), { ignorePointers })).toBe(expected);
  });

  it('of a body that is no JSON are none, but for all of it', () => {
    const [a, b] = [{ body: { text: 'a' } }, { body: { base64: '//4=' } }];
    expect(same(a, b, { ignorePointers: ['/a'] })).toBe(false);
    expect(same(a, b, { ignorePointers: [''] })).toBe(true);
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
  expect(same({ query: recorded }, { query: sent }, { ignoreQuery: ['t'] })).toBe(expected);
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
    expect(same({ requestHeaders: recorded }, { requestHeaders: sent }, settings)).toBe(expected);
  });

  it('that nobody named do not matter', () => {
    expect(same({ requestHeaders: { accept: 'a' } }, { requestHeaders: { accept: 'b' } })).toBe(true);
  });
});

describe('arrays as sets', () => {
  const arraysAsSets = ['/set', '/list/*/set'];

  it.each([
    ['{"set":[1,2,2]}', '{"set":[2,1,2]}', true],
    ['{"set":[1,2,2]}', '{"set":[2,1,1]}', false],
    ['{"set":[1,2]}', '{"set":[1]}', false],
    ['{"other":[1,2]}', '{"other":[2,1]}', false],
    ['{"set":[{"a":1,"b":2},[1,2]]}', '{"set":[[1,2],{"b":2,"a":1}]}', true],
    ['{"set":[[1,2]]}', '{"set":[[2,1]]}', false],
    ['{"list":[{"set":[1,2]},{"set":[3]}]}', '{"list":[{"set":[2,1]},{"set":[3]}]}', true],
    ['{"list":[{"set":[1,2]},{"set":[3]}]}', '{"list":[{"set":[3]},{"set":[2,1]}]}', false],
    ['{"set":{"0":1}}', '{"set":[1]}', false],
    ['{"set":[1,"[redacted]"]}', '{"set":["x",1]}', true],
    ['{"set":["[redacted]",1]}', '{"set":["x",2]}', false],
    ['{"set":["[redacted]",1]}', '{"set":[1,1]}', true],
    ['{"set":["[redacted]",{"pin":"[redacted]","a":1}]}', '{"set":[{"pin":5,"a":1},7]}', true],
    [
      '{"set":[{"pin":"[redacted]","a":1},{"pin":"[redacted]","a":2}]}',
      '{"set":[{"pin":5,"a":2},{"pin":5,"a":1}]}',
      true,
    ],
    [
      '{"set":[{"pin":"[redacted]","a":1},{"pin":"[redacted]","a":2}]}',
      '{"set":[{"pin":5,"a":2},{"pin":5,"a":2}]}',
      false,
    ],
  ])('recorded as %s, sent as %s: %s', (recorded, sent, expected) => {
    expect(same(json(recorded), json(sent), { arraysAsSets })).toBe(expected);
  });

  it('may be the whole body', () => {
    expect(same(json('[1,2]'), json('[2,1]'), { arraysAsSets: [''] })).toBe(true);
    expect(same(json('[1,[2,3]]'), json('[[3,2],1]'), { arraysAsSets: ['', '/*'] })).toBe(true);
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
    expect(same({ body: recorded }, { body: sent })).toBe(expected);
  });

  it('stand for a part of a parameter, too', () => {
    expect(same({ query: 'q=Bearer+[redacted]' }, { query: 'q=Bearer%20x' })).toBe(true);
    expect(same({ query: 'q=Bearer+[redacted]' }, { query: 'q=Basic%20x' })).toBe(false);
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
  expect(() => matchRules({ arraysAsSets: ['~'] })).toThrowError('arraysAsSets: "~" is no JSON Pointer');
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
    arraysAsSets: pointers,
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
        expect(same(a, b, rules)).toBe(same(b, a, rules));
        expect(same(a, alike, rules)).toBe(same(alike, a, rules));
        expect(same(a, structuredClone(a), rules)).toBe(true);
      }),
    );
  });

  it('does so where the order of a set is another', () => {
    fc.assert(
      fc.property(fc.array(value, { maxLength: 5 }), fc.array(value, { maxLength: 5 }), (items, others) => {
        const rules = { arraysAsSets: ['/set'] };
        const body = (set: JsonValue) => ({ body: { json: { set } } });
        expect(same(body(items), body([...items].reverse()), rules)).toBe(true);
        expect(same(body(items), body(others), rules)).toBe(same(body(others), body(items), rules));
      }),
    );
  });
});
