import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../src/json/json.ts';
import type { Exchange } from '../../../src/model/exchange.ts';
import { matchRules } from '../../../src/recordings/matching/match-rules.ts';
import { matchRequest, ofSession } from '../../../src/recordings/matching/matches.ts';
import { SentRequest } from '../../../src/recordings/matching/request-form.ts';
import { StoredExchange } from '../../../src/recordings/store/stored-exchange.ts';
import { exchange, listed, PROJECT_PATH, rawHeaders } from '../../support/exchanges.ts';

interface Sent {
  query?: string;
  body?: string | Buffer;
  headers?: Record<string, string>;
}

function match(recorded: readonly Exchange[], sent: Sent): Exchange[] {
  const query = sent.query === undefined ? '' : `?${sent.query}`;
  const headers = rawHeaders(sent.headers ?? { 'Content-Type': 'application/json' });
  const head = { method: 'PATCH', url: PROJECT_PATH + query, headers };
  const compared = SentRequest.of(head, Buffer.from(sent.body ?? ''), undefined);
  return matchRequest(listed(recorded), compared).map(({ exchange }) => exchange);
}

function matches(recorded: Exchange, sent: Sent): boolean {
  return match([recorded], sent).length > 0;
}

describe('a query', () => {
  it.each([
    ['a=1&b=2', 'a=1&b=2', true],
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
  ])('recorded as %j, sent as %j: %s', (recorded, sent, expected) => {
    expect(matches(exchange({ query: recorded }), { query: sent })).toBe(expected);
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
    ['{"pin":"[redacted]","a":1}', '{"pin":5,"b":1}', false],
    ['{"pin":"[redacted]","a":1}', '{"pin":5,"a":1,"b":1}', false],
    ['{"pin":"[redacted]","a":{}}', '{"pin":5,"a":[]}', false],
  ])('recorded as %s, sent as %s: %s', (recorded, sent, expected) => {
    expect(matches(exchange({ body: { json: JSON.parse(recorded) } }), { body: sent })).toBe(expected);
    expect(matches(exchange({ body: { text: recorded } }), { body: sent })).toBe(expected);
  });

  it('is not taken for another whose numbers a double cannot tell apart', () => {
    const recorded = exchange({ body: { text: '{"a":9007199254740993}' } });
    expect(matches(recorded, { body: '{"a":9007199254740993}' })).toBe(true);
    expect(matches(recorded, { body: '{"a":9007199254740992}' })).toBe(false);
  });

  it('may be sent in another content coding', () => {
    const recorded = exchange({ body: { json: { a: 1 } } });
    const headers = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' };
    expect(matches(recorded, { body: gzipSync('{"a": 1}'), headers })).toBe(true);
  });

  it('survives being nested past all reason', () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    expect(matches(exchange({ body: { json: [[]] } }), { body: deep })).toBe(false);
    expect(matches(exchange({ body: { text: deep } }), { body: deep })).toBe(true);
  });
});

describe('a member whose name is a placeholder', () => {
  const recorded = (json: JsonValue) => exchange({ body: { json } });

  it.each([
    [{ '[redacted]': 1, a: 2 }, { x: 1, a: 2 }, true],
    [{ 'key-[redacted]': 1 }, { 'key-x': 1 }, true],
    [{ 'key-[redacted]': 1 }, { x: 1 }, false],
    [{ '[redacted]': 1 }, { x: 2 }, false],
    [{ '[redacted]': 1, a: 2 }, { x: 1, b: 2 }, false],
    [{ '[redacted]': 1 }, { x: 1, y: 1 }, false],
    [{ '[redacted]': 1 }, {}, false],
    [[{ '[redacted]': 1 }], [{ x: 1 }], true],
  ])('recorded %j, sent %j: %s', (before, now, expected) => {
    expect(matches(recorded(before), { body: JSON.stringify(now) })).toBe(expected);
    const others = Array.from({ length: 20 }, (_, i) => recorded({ i }));
    const found = match([...others, recorded(before)], { body: JSON.stringify(now) });
    expect(found).toHaveLength(expected ? 1 : 0);
  });
});

describe('any other body', () => {
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };

  it.each([
    ['a=1', 'a=1', true],
    ['a=1', 'a=2', false],
    ['user=a&password=[redacted]', 'user=a&password=x', true],
    ['user=a&password=[redacted]', 'user=b&password=x', false],
  ])('recorded as %j, sent as %j: %s', (recorded, sent, expected) => {
    expect(matches(exchange({ body: { text: recorded } }), { body: sent, headers: form })).toBe(expected);
  });

  it('is compared by its bytes', () => {
    const bytes = Buffer.from([0xff, 0x00]);
    const recorded = exchange({ body: { base64: bytes.toString('base64') } });
    expect(matches(recorded, { body: bytes })).toBe(true);
    expect(matches(recorded, { body: Buffer.from([0xff, 0x01]) })).toBe(false);
    expect(matches(recorded, { body: bytes.toString('base64') })).toBe(false);
  });
});

describe.each([0, 20])('several exchanges, among %i others', (others) => {
  const plain = exchange({ body: { json: { a: 1, b: 2 } }, status: 201 });
  const shuffled = exchange({ body: { json: { b: 2, a: 1 } }, status: 202 });
  const other = exchange({ body: { json: { a: 2 } }, status: 203 });
  const more = Array.from({ length: others }, (_, i) => exchange({ query: `other=${i}` }));

  it('of one request are found together, oldest first, however it is written', () => {
    const recorded = [plain, other, ...more, shuffled];
    for (const body of ['{"a":1,"b":2}', '{"b":2,"a":1}', '{ "a": 1, "b": 2 }', '{ "a": 1, "b": 2 }']) {
      expect(match(recorded, { body })).toEqual([plain, shuffled]);
    }
    expect(match(recorded, { body: '{"a":2}' })).toEqual([other]);
    expect(match(recorded, { body: '{"a":3}' })).toEqual([]);
  });

  it('with a placeholder join those without, in the order of recording', () => {
    const open = exchange({ body: { json: { a: '[redacted]', b: 2 } }, status: 204 });
    const recorded = [open, ...more, plain, other];
    expect(match(recorded, { body: '{"a":1,"b":2}' })).toEqual([open, plain]);
    expect(match([plain, open, ...more, plain], { body: '{"a":1,"b":2}' })).toEqual([plain, open, plain]);
    expect(match(recorded, { body: '{"a":9,"b":2}' })).toEqual([open]);
    expect(match(recorded, { body: '{"a":2}' })).toEqual([other]);
  });
});

describe('the very bytes of a request', () => {
  const text = '{"b":2, "a":1}';
  const bytes = Buffer.from(text);
  const recorded = [exchange({ body: { json: { a: 1, b: 2 } } }), exchange({ body: { text } })];

  it('stand for all that matching takes for it, in the order of recording', () => {
    const list = listed(recorded);
    expect(list.withBytes('', bytes)).toEqual(list.all);
    expect(list.withBytes('a=1', bytes)).toBeUndefined();
    expect(list.withBytes('', Buffer.from('{"b": 2, "a":1}'))).toBeUndefined();
  });

  it('do not say it where a placeholder, a header or a function has a say in it', () => {
    const open = exchange({ body: { json: { a: '[redacted]' } } });
    expect(listed([...recorded, open]).withBytes('', bytes)).toBeUndefined();
    for (const rules of [
      matchRules({ matchHeaders: ['accept'] }),
      matchRules({ normalizeRequest: (one) => one }),
    ])
      expect(listed(recorded, rules).withBytes('', bytes)).toBeUndefined();
    expect(listed(recorded, matchRules({ ignorePointers: ['/a'] })).withBytes('', bytes)).toHaveLength(2);
  });
});

describe('a session', () => {
  const named = (names: readonly string[]) =>
    names.map((session) => StoredExchange.of(exchange(session ? { session } : {})));

  /** So often one behind the other: a short list, and one that is remembered. */
  it.each([1, 100])('gives its own, else those of the default session, else all: %i times', (times) => {
    const names = Array.from({ length: times }, () => ['one', '', 'two']).flat();
    const recorded = named(names);
    const of = (name: string) => recorded.filter(({ session }) => session === name);
    for (let again = 0; again < 2; again++) {
      expect(ofSession(recorded, 'one')).toEqual(of('one'));
      expect(ofSession(recorded, 'two')).toEqual(of('two'));
      expect(ofSession(recorded, '')).toEqual(of(''));
      expect(ofSession(recorded, 'other')).toEqual(of(''));
    }
    const others = named(names.map((name) => name || 'three'));
    expect(ofSession(others, 'other')).toBe(others);
    expect(ofSession(others, '')).toBe(others);
  });

  it.each([3, 300])('makes nothing of %i that were recorded without sessions', (count) => {
    const recorded = named(Array.from({ length: count }, () => ''));
    for (const name of ['', 'one']) expect(ofSession(recorded, name)).toEqual(recorded);
  });

  it('looks at what was added to a long list', () => {
    const all = named(Array.from({ length: 40 }, (_, i) => (i < 20 || i % 2 === 0 ? '' : 'one')));
    const recorded = all.slice(0, 20);
    expect(ofSession(recorded, 'one')).toEqual(recorded);
    for (const stored of all.slice(20)) {
      recorded.push(stored);
      const own = recorded.filter(({ session }) => session === 'one');
      expect(ofSession(recorded, 'one')).toEqual(own.length > 0 ? own : recorded);
    }
  });
});
