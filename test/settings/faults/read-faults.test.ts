import { describe, expect, it } from 'vitest';
import { faultText } from '../../../src/model/fault-text.ts';
import { readFaults, readFaultsGiven } from '../../../src/settings/faults/read-faults.ts';
import { refusal } from '../../support/errors.ts';

const at = (pointer: string) => `faults${pointer}`;
const read = (given: unknown) => readFaults(given, at);
const refused = (given: unknown) => refusal('bad-config', () => read(given));

describe('a fault as a text', () => {
  it.each<[string, object]>([
    ['status=503', { answer: { status: 503 } }],
    ['PATCH status=429 retry-after=2', { method: 'PATCH', answer: { status: 429, retryAfter: 2 } }],
    ['updateProject reset', { operation: 'updateProject', reset: true }],
    [
      'GET /accounts/*/projects/{42,43} truncate=50%',
      { method: 'GET', path: '/accounts/*/projects/{42,43}', truncate: { percent: 50 } },
    ],
    ['truncate=100 trickle=1KiB/s', { truncate: { bytes: 100 }, trickle: 1024 }],
    ['trickle=100B/s latency=50ms..2s', { trickle: 100, latency: { from: 50, to: 2000 } }],
    ['latency=1.5s', { latency: { from: 1500, to: 1500 } }],
    ['latency=recorded', { latency: 'recorded' }],
    [' reset  rate=0.2 count=2 after=1 ', { reset: true, rate: 0.2, count: 2, after: 1 }],
    ['/a=b reset', { path: '/a=b', reset: true }],
  ])('is read: %s', (text, rule) => {
    expect(read([text])).toEqual([rule]);
  });

  it.each<[string, string]>([
    [
      'PATCH',
      ': "PATCH" does nothing (say what happens: status=503, reset, truncate=50%, trickle=100B/s or latency=2s)',
    ],
    ['stauts=503', ': "stauts=503": "stauts" is not known (did you mean "status="?)'],
    ['status=99', ': "status=99": status: "99" is not taken (it takes a status from 200 to 599: 503)'],
    [
      'status=503 reset',
      ': "status=503 reset" has status and reset, of which only one can happen (make two faults of them)',
    ],
    [
      'reset trickle=5',
      ': "reset trickle=5" has reset and truncate or trickle, of which only one can happen (make two faults of them)',
    ],
    ['GET PATCH reset', ': "GET PATCH reset" says method twice (say it once)'],
    ['/a updateProject reset', ': "/a updateProject reset" names a path and an operation (name one of them)'],
    ['retry-after=2 reset', ': "retry-after=2 reset": retry-after needs a status (say which: status=429)'],
    ['reset rate=20%', ': "reset rate=20%": rate: "20%" is not taken (it takes a number from 0 to 1: 0.2)'],
    [
      'reset count=0',
      ': "reset count=0": count: "0" is not taken (it takes how often it happens at most: 2)',
    ],
    [
      'truncate=100%',
      ': "truncate=100%": truncate: "100%" is not taken (it takes bytes, or percent below 100: 100, 50%)',
    ],
    ['trickle=0', ': "trickle=0": trickle: "0" is not taken (it takes bytes a second: 100B/s, 1KiB/s)'],
    [
      'latency=2s..1s',
      ': "latency=2s..1s": latency: "2s..1s" is not taken (it takes a duration with its unit, or a range of them: 5s, 5ms, 50ms..200ms; or recorded)',
    ],
    [
      '/a|b reset',
      ': "/a|b reset": path: "/a|b" is not taken (it takes a glob of paths that begins with a slash, without a query, of *, **, ?, [0-9] and {1,2}: /accounts/*/projects/{42,43})',
    ],
    [
      '/a?page=2 reset',
      ': "/a?page=2 reset": path: "/a?page=2" is not taken (it takes a glob of paths that begins with a slash, without a query, of *, **, ?, [0-9] and {1,2}: /accounts/*/projects/{42,43})',
    ],
    [
      '/+(a*) reset',
      ': "/+(a*) reset": path: "/+(a*)" is not taken (it takes a glob of paths that begins with a slash, without a query, of *, **, ?, [0-9] and {1,2}: /accounts/*/projects/{42,43})',
    ],
  ])('is refused: %s', (text, says) => {
    expect(refused(['reset', text])).toBe(`faults/1${says}`);
  });

  it('is said again as it was', () => {
    const texts = [
      'PATCH /accounts/*/projects/42 status=503 retry-after=2 rate=0.2 count=2 after=1',
      'updateProject reset latency=50ms..200ms',
      'truncate=50% trickle=100B/s latency=recorded',
      'truncate=100',
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
    expect(read([{ truncate: 5, trickle: 10, latency: 7 }])).toEqual([
      { truncate: { bytes: 5 }, trickle: 10, latency: { from: 7, to: 7 } },
    ]);
  });

  it.each<[object, string]>([
    [{ stauts: 503 }, '/stauts is not known (did you mean "status"?)'],
    [{ reset: true, rate: 2 }, '/rate: 2 is not taken (it takes a number from 0 to 1: 0.2)'],
    [{ reset: false }, '/reset: false is not taken (it takes true)'],
    [
      { method: 'patch', reset: true },
      '/method: "patch" is not taken (it takes a method in capitals: PATCH)',
    ],
    [{ path: '/a b', reset: true }, '/path: "/a b" is not taken'],
    [{ path: '/a\r\nX: y', reset: true }, '/path: '],
    [{ status: 503, headers: { 'Content-Length': '5' } }, '/headers: {'],
    [{ status: 503, headers: { 'X-A': 'a\r\nX-B: c' } }, '/headers: {'],
    [{ status: 503, headers: { 'X A': 'a' } }, '/headers: {'],
    [
      { status: 503, body: () => 1 },
      '/body: a function is not taken (it takes a text or another value of JSON)',
    ],
    [
      { status: 200, body: Buffer.from('a') },
      '/body: <Buffer 61> is not taken (it takes a text or another value of JSON)',
    ],
    [
      { status: 200, body: new Map() },
      '/body: Map(0) {} is not taken (it takes a text or another value of JSON)',
    ],
    [{ body: 'x', reset: true }, '/body needs a status (say which: status=429)'],
    [{ method: 'GET' }, ' does nothing ('],
  ])('is refused, with its place: %j', (fault, says) => {
    expect(refused([fault])).toContain(`faults/0${says}`);
  });
});

it('there are so many at most, and nothing else is taken for them', () => {
  expect(refused(Array(101).fill('reset'))).toBe('faults has 101 faults (it takes 100 at most)');
  expect(refused(5)).toBe('faults: 5 is not taken (it takes a list of faults: ["PATCH status=503 count=2"])');
  expect(refused([5])).toContain('faults/0: 5 is no fault');
});

describe('what a program sets', () => {
  it('is the faults alone, or with all else', () => {
    const rules = [{ reset: true }];
    expect(readFaultsGiven('reset')).toEqual({ seed: undefined, latency: undefined, rules });
    expect(readFaultsGiven([{ reset: true }])).toEqual({ seed: undefined, latency: undefined, rules });
    expect(readFaultsGiven({ seed: 4, latency: '5ms', faults: ['reset'] })).toEqual({
      seed: 4,
      latency: { from: 5, to: 5 },
      rules,
    });
    expect(readFaultsGiven({})).toEqual({ seed: undefined, latency: undefined, rules: [] });
  });

  it.each<[unknown, string]>([
    [5, '5 is not taken (it takes { "seed": 42'],
    [null, 'null is not taken'],
    [{ fault: [] }, 'fault is not known (did you mean "faults"?)'],
    [{ seed: -1 }, 'seed: -1 is not taken (it takes a whole number: 1234)'],
    [{ latency: 'slow' }, 'latency: "slow" is not taken'],
    [{ faults: [{ reset: true, rate: 2 }] }, 'faults[0].rate: 2 is not taken'],
  ])('is refused: %j', (given, says) => {
    expect(refusal('bad-input', () => readFaultsGiven(given as string))).toContain(says);
  });
});
