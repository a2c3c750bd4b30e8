import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/json/json.ts';
import type { Exchange } from '../../src/model/exchange.ts';
import { ExchangeIndex, ofSession, StoredExchange } from '../../src/recordings/exchange-index.ts';
import { DEFAULT_RULES, formOf, keyOf, matchRules, sentRequestOf } from '../../src/recordings/match.ts';
import { hiddenApart } from '../../src/recordings/redact/redaction.ts';
import { type ExchangeParts, exchange, PROJECT_PATH, rawHeaders } from '../support/exchanges.ts';
import { exchangeOf } from '../support/recordings.ts';

interface Sent {
  query?: string;
  body?: string | Buffer;
  headers?: Record<string, string>;
}

/** Looks a request of the wire up among these. */
function find(recorded: readonly Exchange[], sent: Sent): Exchange[] {
  const headers = rawHeaders(sent.headers ?? { 'Content-Type': 'application/json' });
  const head = { method: 'PATCH', url: `${PROJECT_PATH}?${sent.query ?? ''}`, headers };
  const request = sentRequestOf(head, Buffer.from(sent.body ?? ''), DEFAULT_RULES, PROJECT_PATH);
  return new ExchangeIndex(recorded, DEFAULT_RULES).find(request).map(exchangeOf);
}

function isFound(recorded: Exchange, sent: Sent): boolean {
  return find([recorded], sent).length > 0;
}

/** Compares two requests by the rules; without a placeholder their keys must say the same. */
function isSame(
  recorded: ExchangeParts,
  sent: ExchangeParts,
  settings: Parameters<typeof matchRules>[0] = {},
) {
  const rules = matchRules(settings);
  const [a, b] = [exchange(recorded).request, exchange(sent).request];
  const isFound = new ExchangeIndex([exchange(recorded)], rules).find(b).length > 0;
  if (!JSON.stringify(a).includes('[redacted]'))
    expect(keyOf(formOf(a, rules)) === keyOf(formOf(b, rules))).toBe(isFound);
  return isFound;
}

describe('a query', () => {
  it.each([
    ['a=1&b=2', 'b=2&a=1', true],
    ['a=1&b=2&a=3', 'b=2&a=1&a=3', true],
    ['a=1&a=3', 'a=3&a=1', false],
    ['a=%20x', 'a=+x', true],
    ['a=%2B', 'a=+', false],
    ['a=%C3%BC', 'a=ü', true],
    ['a=%zz', 'a=%zz', true],
    ['a', 'a=', true],
    ['a=1', 'a=1&b=2', false],
    ['a=1', '', false],
    ['', 'a=1', false],
    ['token=[redacted]&a=1', 'a=1&token=x', true],
    ['token=[redacted]&a=1', 'a=1', false],
    ['token=[redacted]&a=1', 'a=2&token=x', false],
    ['q=Bearer+[redacted]', 'q=Bearer%20x', true],
    ['q=Bearer+[redacted]', 'q=Basic%20x', false],
  ])('recorded as %j, sent as %j: %s', (recorded, sent, expected) => {
    expect(isFound(exchange({ query: recorded }), { query: sent })).toBe(expected);
  });
});

describe('a JSON body', () => {
  it.each([
    ['{"a":1,"b":[1,2]}', '{ "b": [1, 2], "a": 1.0 }', true],
    ['{"a":[1,2]}', '{"a":[2,1]}', false],
    ['{"a":[1,2]}', '{"a":[1,2,3]}', false],
    ['{"a":null}', '{}', false],
    ['{}', '{"a":null}', false],
    ['{"a":100}', '{"a":1e2}', true],
    ['{"a":0}', '{"a":-0}', true],
    ['{"a":1}', '{"a":"1"}', false],
    ['{"a":1}', '{"a":true}', false],
    ['{"a":[]}', '{"a":{}}', false],
    ['{"a":"ü"}', '{"a":"\\u00fc"}', true],
    ['{"a":1}', '', false],
    ['{"a":1}', '{"a":1', false],
    ['{"token":"[redacted]","b":1}', '{"b":1,"token":{"any":["thing"]}}', true],
    ['{"token":"[redacted]","b":1}', '{"b":2,"token":1}', false],
    ['{"token":"[redacted]"}', '{}', false],
    ['{"list":[{"pin":"[redacted]"},2]}', '{"list":[{"pin":5},2]}', true],
    ['{"list":[{"pin":"[redacted]"},2]}', '{"list":[{"pin":5},3]}', false],
    ['{"list":[{"pin":"[redacted]"}]}', '{"list":[{"pin":5},{"pin":5}]}', false],
    ['{"pin":"[redacted]","a":1}', '{"pin":5,"a":1,"b":1}', false],
    ['{"note":"my [redacted] key"}', '{"note":"my s3cret key"}', true],
    ['{"note":"my [redacted] key"}', '{"note":"my s3cret"}', false],
    ['{"key-[redacted]":1}', '{"x":1}', false],
    ['{"[redacted]":1,"a":2}', '{"x":1,"b":2}', false],
    ['{"[redacted]":1}', '{"x":1,"y":1}', false],
  ])('recorded as %s, sent as %s: %s', (recorded, sent, expected) => {
    expect(isFound(exchange({ body: { json: JSON.parse(recorded) } }), { body: sent })).toBe(expected);
    expect(isFound(exchange({ body: { text: recorded } }), { body: sent })).toBe(expected);
  });

  it('is not taken for another whose numbers a double cannot tell apart', () => {
    const recorded = exchange({ body: { text: '{"a":9007199254740993}' } });
    expect(isFound(recorded, { body: '{"a":9007199254740993}' })).toBe(true);
    expect(isFound(recorded, { body: '{"a":9007199254740992}' })).toBe(false);
  });

  it('may be sent in another content coding', () => {
    const headers = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' };
    const recorded = exchange({ body: { json: { a: 1 } } });
    expect(isFound(recorded, { body: gzipSync('{"a": 1}'), headers })).toBe(true);
  });

  it('survives being nested past all reason', () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    expect(isFound(exchange({ body: { json: [[]] } }), { body: deep })).toBe(false);
    expect(isFound(exchange({ body: { text: deep } }), { body: deep })).toBe(true);
  });
});

describe('any other body', () => {
  it.each<[ExchangeParts['body'], string | Buffer, boolean]>([
    [{ text: 'a=1' }, 'a=1', true],
    [{ text: 'a=1' }, 'a=2', false],
    [{ text: 'user=a&password=[redacted]' }, 'user=a&password=x', true],
    [{ text: 'user=a&password=[redacted]' }, 'user=b&password=x', false],
    [{ text: 'a=[redacted]&b=1' }, 'a=x&b=1', true],
    [{ text: 'a=[redacted]&b=1' }, 'a=x&c=2&b=1', false],
    [{ text: 'a=[redacted]' }, 'a=x&b=1', false],
    [{ text: '[redacted]' }, Buffer.from([0xff, 0xfe]), true],
    [{ base64: '/wA=' }, Buffer.from([0xff, 0x00]), true],
    [{ base64: '/wA=' }, Buffer.from([0xff, 0x01]), false],
    [{ base64: '/wA=' }, '/wA=', false],
  ])('recorded as %j, sent as %j: %s', (body, sent, expected) => {
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    expect(isFound(exchange({ body: body as never }), { body: sent, headers })).toBe(expected);
  });
});

describe('ignored places', () => {
  it.each([
    [['/id'], '{"id":1,"a":1}', '{"id":2,"a":1}', true],
    [['/id'], '{"id":1,"a":1}', '{"a":1}', true],
    [['/id'], '{"id":1,"a":1}', '{"id":1,"a":2}', false],
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
    const body: ExchangeParts = sent === '' ? {} : { body: { json: JSON.parse(sent) as JsonValue } };
    expect(isSame({ body: { json: JSON.parse(recorded) } }, body, { ignorePointers })).toBe(expected);
    expect(isSame({ body: { text: recorded } }, body, { ignorePointers })).toBe(expected);
  });
});

it.each([
  ['t=1&a=1', 'a=1&t=2', true],
  ['t=1', '', true],
  ['%74=1', 't', true],
  ['t=1&a=1', 't=1&a=2', false],
  ['tt=1', '', false],
])('an ignored parameter: recorded as %j, sent as %j: %s', (recorded, sent, expected) => {
  expect(isSame({ query: recorded }, { query: sent }, { ignoreQuery: ['t'] })).toBe(expected);
});

describe('headers', () => {
  it.each([
    [{ 'accept-language': 'en' }, { 'accept-language': 'en' }, true],
    [{ 'accept-language': 'en' }, { 'accept-language': 'de' }, false],
    [{ 'accept-language': 'en' }, {}, false],
    [{}, { 'accept-language': 'en' }, false],
    [{ 'accept-language': ['en', 'de'] }, { 'accept-language': 'en, de' }, true],
    [{ accept: 'a' }, { accept: 'b' }, true],
    [{ authorization: '[redacted]' }, { authorization: 'Bearer x' }, true],
    [{ authorization: '[redacted]' }, {}, false],
    [{ 'accept-language': '[redacted]' }, { 'accept-language': 'x' }, true],
    [{ referer: 'http://a/?token=[redacted]' }, { referer: 'http://a/?token=x' }, true],
    [{ referer: 'http://a/?token=[redacted]' }, { referer: 'http://b/?token=x' }, false],
  ])('recorded as %j, sent as %j: %s', (recorded, sent, expected) => {
    const matchHeaders = ['Accept-Language', 'authorization', 'referer'];
    expect(isSame({ requestHeaders: recorded }, { requestHeaders: sent }, { matchHeaders })).toBe(expected);
  });
});

describe.each([0, 20])('several exchanges, among %i others', (others) => {
  const plain = exchange({ body: { json: { a: 1, b: 2 } }, status: 201 });
  const shuffled = exchange({ body: { json: { b: 2, a: 1 } }, status: 202 });
  const other = exchange({ body: { json: { a: 2 } }, status: 203 });
  const open = exchange({ body: { json: { a: '[redacted]', b: 2 } }, status: 204 });
  const more = Array.from({ length: others }, (_, i) => exchange({ query: `other=${i}` }));

  it.each([
    [[plain, other, ...more, shuffled], '{ "b": 2, "a": 1 }', [plain, shuffled]],
    [[plain, other, ...more], '{"a":2}', [other]],
    [[plain, other, ...more], '{"a":3}', []],
    [[open, ...more, plain, other], '{"a":1,"b":2}', [plain]],
    [[plain, open, ...more, plain], '{"a":1,"b":2}', [plain, plain]],
    [[open, ...more, plain, other], '{"a":9,"b":2}', [open]],
  ])(
    'of the very request come before those with a placeholder, oldest first: case %#',
    (recorded, body, expected) => {
      expect(find(recorded, { body })).toEqual(expected);
    },
  );
});

it('a value that another part of its exchange has named as a secret is found by its hash', () => {
  const recorded = exchange({ query: `ref=${hiddenApart('tok12345abc')}`, body: { json: 1 } });
  expect(isFound(recorded, { query: 'ref=tok12345abc', body: '1' })).toBe(true);
  expect(isFound(recorded, { query: 'ref=tok12345abd', body: '1' })).toBe(false);
});

describe('the bytes of a request', () => {
  const text = '{"b":2, "a":1}';
  const bytes = Buffer.from(text);
  const recorded = [exchange({ body: { json: { a: 1, b: 2 } } }), exchange({ body: { text } })];

  it('find all that match it, in the order of recording', () => {
    const list = new ExchangeIndex(recorded, DEFAULT_RULES);
    expect(list.withBytes('', bytes)).toEqual(list.all);
    expect(list.withBytes('a=1', bytes)).toBeUndefined();
  });

  it('say nothing if a placeholder or a header counts, too', () => {
    const found = (all: Exchange[], rules = DEFAULT_RULES) =>
      new ExchangeIndex(all, rules).withBytes('', bytes);
    const open = exchange({ body: { json: { a: '[redacted]' } } });
    expect(found([...recorded, open])).toBeUndefined();
    expect(found(recorded, matchRules({ matchHeaders: ['accept'] }))).toBeUndefined();
    expect(found(recorded, matchRules({ ignorePointers: ['/a'] }))).toHaveLength(2);
  });
});

describe('a session', () => {
  const named = (names: readonly string[]) =>
    names.map((session) => new StoredExchange(exchange(session ? { session } : {})));

  it('gets its own, else those of the default session, else all', () => {
    const recorded = named(['one', '', 'two', 'one']);
    const of = (name: string) => recorded.filter(({ session }) => session === name);
    for (const name of ['one', 'two', '', 'one']) expect(ofSession(recorded, name)).toEqual(of(name));
    expect(ofSession(recorded, 'other')).toEqual(of(''));
    const others = named(['one', 'two']);
    expect(ofSession(others, 'other')).toBe(others);
    expect(ofSession(others, '')).toBe(others);
  });

  it('gets its own once they are added', () => {
    const recorded = named(['', '']);
    expect(ofSession(recorded, 'one')).toEqual(recorded);
    recorded.push(...named(['one']));
    expect(ofSession(recorded, 'one')).toEqual(recorded.slice(2));
  });
});

it('a request stays as it stands in its file once its answer is made', () => {
  for (const body of [{ json: { a: 1 } }, { json: { a: 1 }, indent: 2 }, { text: '{"a":1}' }]) {
    const stored = new StoredExchange(exchange({ body, answer: body }));
    expect(stored.answer().body.toString()).toContain('"a"');
    expect(stored.request).toEqual(exchange({ body }).request);
  }
});
