import { describe, expect, it } from 'vitest';
import { type FaultsGiven, faultText } from '../../src/model/fault.ts';
import { readGivenFaults } from '../../src/settings/faults.ts';
import { refusal } from '../support/errors.ts';

const refused = (given: unknown) => refusal('bad-input', () => readGivenFaults(given as FaultsGiven));

describe('a fault', () => {
  it.each<[string, object]>([
    ['status=503', { answer: { status: 503 } }],
    ['PATCH status=429 retry-after=2', { method: 'PATCH', answer: { status: 429, retryAfter: 2 } }],
    ['updateProject reset', { operation: 'updateProject', reset: true }],
    [
      'GET /accounts/*/projects/{42,43} latency=50ms..2s',
      { method: 'GET', path: '/accounts/*/projects/{42,43}', latency: { from: 50, to: 2000 } },
    ],
    ['latency=1.5s', { latency: { from: 1500, to: 1500 } }],
    ['latency=0 count=1', { latency: { from: 0, to: 0 }, count: 1 }],
    [' reset  rate=0.2 count=2 ', { reset: true, rate: 0.2, count: 2 }],
    ['/a=b reset', { path: '/a=b', reset: true }],
    ['status=200 body={"a": [1, "b"]}', { answer: { status: 200, body: { a: [1, 'b'] } } }],
    ['status=503 body=closed; come back', { answer: { status: 503, body: 'closed; come back' } }],
  ])('is read: %s', (text, rule) => {
    expect(readGivenFaults([text])).toEqual([rule]);
  });

  const GLOB = 'it takes a glob of *, **, ?, [0-9] and {1,2}: /accounts/*/projects/{42,43}';
  it.each<[string, string, string]>([
    ['PATCH', 'nothing happens', 'it needs one of: status=503, reset, latency=5s'],
    ['stauts=503', 'unknown word stauts=503', 'did you mean "status"?'],
    ['status=99', 'invalid value status=99', 'it takes a status from 200 to 599: status=503'],
    ['status=503 reset', 'status and reset stand together', 'make two faults of them'],
    ['GET PATCH reset', 'method stands twice', 'give it once'],
    ['/a updateProject reset', 'path and operation stand together', 'name one of them'],
    ['retry-after=2 reset', 'there is no status', 'retry-after and body need one: status=503'],
    ['reset body=x', 'there is no status', 'retry-after and body need one: status=503'],
    ['reset rate=20%', 'invalid value rate=20%', 'it takes a number from 0 to 1: rate=0.2'],
    ['reset rate=1.5', 'invalid value rate=1.5', 'it takes a number from 0 to 1: rate=0.2'],
    ['reset count=0', 'invalid value count=0', 'it takes how often it happens at most: count=2'],
    [
      'truncate=5',
      'unknown word truncate=5',
      'it has: reset, status=, retry-after=, latency=, rate=, count=, body=',
    ],
    ...['5', '2s..1s', '50..200ms', '2s..', '900h'].map((value): [string, string, string] => [
      `latency=${value}`,
      `invalid value latency=${value}`,
      'it takes a duration with its unit, or a range of them: latency=5s, latency=50ms..200ms',
    ]),
    ...['/a|b', '/a?page=2', '/+(a*)', `/${'a'.repeat(1000)}`].map((path): [string, string, string] => [
      `${path} reset`,
      `invalid path ${path}`,
      GLOB,
    ]),
  ])('is refused: %s', (text, says, hint) => {
    expect(refused(['reset', text])).toBe(`${says} in fault ${JSON.stringify(text)} in the faults (${hint})`);
  });

  it('is said again as it was', () => {
    const texts = [
      'PATCH /accounts/*/projects/42 status=503 retry-after=2 rate=0.2 count=2',
      'updateProject reset latency=50ms..200ms',
    ];
    expect(readGivenFaults(texts).map(faultText)).toEqual(texts);
  });
});

describe('faults', () => {
  it('stand in a list, a text, or a member', () => {
    expect(readGivenFaults('GET reset; status=503\n\nlatency=1s;')).toHaveLength(3);
    expect(readGivenFaults({ faults: ['reset', 'status=503'] })).toHaveLength(2);
    expect(readGivenFaults('')).toEqual([]);
  });

  it.each([5, null, {}, { fault: [] }, [5], { faults: [{ reset: true }] }])('are not %j', (given) => {
    expect(refused(given)).toBe(
      'what is given is no list of faults (it takes { "faults": ["PATCH status=503 count=2"] })',
    );
  });

  it('are so many at most', () => {
    expect(refused(Array(101).fill('reset'))).toBe('101 faults in the faults (it takes 100 at most)');
  });
});
