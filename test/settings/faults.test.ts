import { describe, expect, it } from 'vitest';
import type { FaultGiven } from '../../src/model/fault.ts';
import { faultText } from '../../src/model/fault.ts';
import { readGivenFaults } from '../../src/settings/faults.ts';
import { refusal } from '../support/errors.ts';

const read = (given: unknown) => readGivenFaults(given as FaultGiven[]);
const refused = (given: unknown) => refusal('bad-input', () => read(given));

describe('a fault as a text', () => {
  it.each<[string, object]>([
    ['status=503', { answer: { status: 503 } }],
    ['PATCH status=429 retry-after=2', { method: 'PATCH', answer: { status: 429, retryAfter: 2 } }],
    ['updateProject reset', { operation: 'updateProject', reset: true }],
    [
      'GET /accounts/*/projects/{42,43} latency=50ms..2s',
      { method: 'GET', path: '/accounts/*/projects/{42,43}', latency: { from: 50, to: 2000 } },
    ],
    ['latency=1.5s', { latency: { from: 1500, to: 1500 } }],
    [' reset  rate=0.2 count=2 ', { reset: true, rate: 0.2, count: 2 }],
    ['/a=b reset', { path: '/a=b', reset: true }],
  ])('is read: %s', (text, rule) => {
    expect(read([text])).toEqual([rule]);
  });

  it.each<[string, string]>([
    [
      'PATCH',
      'invalid combination of fields in AT (it needs something that happens: status, reset, latency)',
    ],
    ['stauts=503', 'unknown field "stauts" of AT (did you mean "status"?)'],
    ['status=99', 'invalid value 99 for status of AT (it takes a status from 200 to 599: 503)'],
    ['status=503 reset', 'status and reset cannot happen together in AT (make two faults of them)'],
    ['GET PATCH reset', 'method is given twice in AT (give it once)'],
    ['/a updateProject reset', 'path and operation are both given in AT (name one of them)'],
    [
      'retry-after=2 reset',
      'missing field "status" for retryAfter of AT (it takes a status from 200 to 599: 503)',
    ],
    ['reset rate=20%', 'invalid value "20%" for rate of AT (it takes a number from 0 to 1: 0.2)'],
    ['reset count=0', 'invalid value 0 for count of AT (it takes how often it happens at most: 2)'],
    [
      'truncate=5',
      'unknown field "truncate" of AT (it has: reset, status=, retry-after=, latency=, rate=, count=)',
    ],
    [
      'latency=2s..1s',
      'invalid value "2s..1s" for latency of AT (it takes a duration with its unit, or a range of them: 5s, 5ms, 50ms..200ms)',
    ],
    [
      '/a|b reset',
      'invalid value "/a|b" for path of AT (it takes a glob of paths that begins with a slash, without a query, of *, **, ?, [0-9] and {1,2}: /accounts/*/projects/{42,43})',
    ],
    [
      '/a?page=2 reset',
      'invalid value "/a?page=2" for path of AT (it takes a glob of paths that begins with a slash, without a query, of *, **, ?, [0-9] and {1,2}: /accounts/*/projects/{42,43})',
    ],
    [
      '/+(a*) reset',
      'invalid value "/+(a*)" for path of AT (it takes a glob of paths that begins with a slash, without a query, of *, **, ?, [0-9] and {1,2}: /accounts/*/projects/{42,43})',
    ],
  ])('is refused: %s', (text, says) => {
    expect(refused(['reset', text])).toBe(says.replace('AT', `"${text}" in faults[1]`));
  });

  it('is said again as it was', () => {
    const texts = [
      'PATCH /accounts/*/projects/42 status=503 retry-after=2 rate=0.2 count=2',
      'updateProject reset latency=50ms..200ms',
    ];
    expect(read(texts).map(faultText)).toEqual(texts);
  });
});

it('of a text, semicolons and lines part several', () => {
  expect(read('GET reset; status=503\n\nlatency=1s;')).toHaveLength(3);
  expect(read(['GET reset; status=503', 'latency=1s'])).toHaveLength(3);
  expect(read('')).toEqual([]);
});

describe('a fault as an object', () => {
  it('is read, with headers and body', () => {
    const headers = { 'X-A': 'b', 'X-C': ['d', 'e'] };
    expect(read([{ path: '/a/**', status: 503, headers, body: { a: [null] }, count: 1 }])).toEqual([
      {
        path: '/a/**',
        answer: { status: 503, headers: ['X-A', 'b', 'X-C', 'd', 'X-C', 'e'], body: { a: [null] } },
        count: 1,
      },
    ]);
    expect(read([{ latency: 7 }])).toEqual([{ latency: { from: 7, to: 7 } }]);
  });

  it.each<[object, string]>([
    [{ stauts: 503 }, 'unknown field "stauts" of AT (did you mean "status"?)'],
    [{ reset: true, rate: 2 }, 'invalid value 2 for AT.rate (it takes a number from 0 to 1: 0.2)'],
    [{ reset: false }, 'invalid value false for AT.reset (it takes true)'],
    [
      { method: 'patch', reset: true },
      'invalid value "patch" for AT.method (it takes a method in capitals: PATCH)',
    ],
    [{ path: '/a b', reset: true }, 'invalid value "/a b" for AT.path ('],
    [{ path: '/a\r\nX: y', reset: true }, ' for AT.path ('],
    [{ status: 503, headers: { 'Content-Length': '5' } }, ' for AT.headers ('],
    [{ status: 503, headers: { 'X-A': 'a\r\nX-B: c' } }, ' for AT.headers ('],
    [{ status: 503, headers: { 'X A': 'a' } }, ' for AT.headers ('],
    [
      { status: 503, body: () => 1 },
      'invalid value a function for AT.body (it takes a text or another value of JSON)',
    ],
    [
      { status: 200, body: Buffer.from('a') },
      'invalid value <Buffer 61> for AT.body (it takes a text or another value of JSON)',
    ],
    [
      { status: 200, body: new Map() },
      'invalid value Map(0) {} for AT.body (it takes a text or another value of JSON)',
    ],
    [
      { body: 'x', reset: true },
      'missing field "status" for body of AT (it takes a status from 200 to 599: 503)',
    ],
    [{ method: 'GET' }, 'invalid combination of fields in AT ('],
  ])('is refused, with its place: %j', (fault, says) => {
    expect(refused([fault])).toContain(says.replace('AT', 'faults[0]'));
  });
});

it('there are so many at most, and nothing else is taken for them', () => {
  expect(refused(Array(101).fill('reset'))).toMatch(
    /^invalid value \[.*… for faults \(it takes a list of at most 100 faults: /,
  );
  expect(refused('reset;'.repeat(101))).toBe('101 faults in faults (it takes 100 at most)');
  expect(refused(5)).toContain('invalid value 5 for the faults (');
  expect(refused([5])).toContain('invalid value 5 for faults[0] (it takes a text, or an object: ');
});

describe('what a program sets', () => {
  it('is the faults alone, or a member', () => {
    const rules = [{ reset: true }];
    expect(readGivenFaults('reset')).toEqual(rules);
    expect(readGivenFaults([{ reset: true }])).toEqual(rules);
    expect(readGivenFaults({ faults: ['reset'] })).toEqual(rules);
    expect(readGivenFaults({})).toEqual([]);
  });

  it.each<[unknown, string]>([
    [5, 'invalid value 5 for the faults (it takes { "faults": ['],
    [null, 'invalid value null for the faults'],
    [{ fault: [] }, 'unknown field "fault" of the faults (did you mean "faults"?)'],
    [{ latency: '5ms' }, 'unknown field "latency" of the faults'],
    [{ faults: [{ reset: true, rate: 2 }] }, 'invalid value 2 for faults[0].rate'],
  ])('is refused: %j', (given, says) => {
    expect(refusal('bad-input', () => readGivenFaults(given as string))).toContain(says);
  });
});
