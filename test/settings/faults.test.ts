import { describe, expect, it } from 'vitest';
import { type FaultsGiven, readGivenFaults } from '../../src/settings/faults.ts';
import { refusal } from '../support/errors.ts';

const refused = (given: unknown) => refusal('bad-input', () => readGivenFaults(given as FaultsGiven));

describe('a fault', () => {
  it.each<[string, object]>([
    ['status=503', { status: 503 }],
    ['PATCH status=429 retry-after=2', { method: 'PATCH', status: 429, retryAfter: 2 }],
    ['updateProject reset', { operation: 'updateProject', reset: true }],
    [
      'GET /accounts/*/projects/{42,43} latency=50ms..2s',
      { method: 'GET', path: '/accounts/*/projects/{42,43}', latency: { from: 50, to: 2000 } },
    ],
    ['latency=1.5s', { latency: { from: 1500, to: 1500 } }],
    ['latency=0 count=1', { latency: { from: 0, to: 0 }, count: 1 }],
    [' reset  rate=0.2 count=2 ', { reset: true, rate: 0.2, count: 2 }],
    ['/a=b reset', { path: '/a=b', reset: true }],
    ['status=200 body={"a": [1, "b"]}', { status: 200, body: { a: [1, 'b'] } }],
    ['status=503 body=closed; come back', { status: 503, body: 'closed; come back' }],
  ])('is read: %s', (text, rule) => {
    expect(readGivenFaults([text])).toMatchObject([rule]);
  });

  it.each<[string, string]>([
    ['PATCH', 'nothing happens'],
    ['status=503 reset', 'status and reset stand together'],
    ['GET PATCH reset', 'method stands twice'],
    ['/a updateProject reset', 'path and operation stand together'],
    ['retry-after=2 reset', 'there is no status'],
    ['reset body=x', 'there is no status'],
    ...[
      ...['stauts=503', 'status=99', 'rate=20%', 'rate=1.5', 'count=0', 'truncate=5'],
      ...['latency=5', 'latency=2s..1s', 'latency=50..200ms', 'latency=2s..'],
      ...['/a?page=2', `/${'a'.repeat(1000)}`],
    ].map((word): [string, string] => [`${word} reset`, `"${word}" is not understood`]),
  ])('is refused: %s', (text, says) => {
    expect(refused(['reset', text])).toBe(
      `${says} in the fault ${JSON.stringify(text)} of the faults (a fault is: [METHOD] [/path/* or operation] status=503 [retry-after=2], reset or latency=50ms..2s [rate=0.2] [count=2] [body=…])`,
    );
  });

  it('is said again as it was', () => {
    const texts = [
      'PATCH /accounts/*/projects/42 status=503 retry-after=2 rate=0.2 count=2',
      'updateProject reset latency=50ms..200ms',
    ];
    expect(readGivenFaults(texts).map(({ text }) => text)).toEqual(texts);
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
      'this is no list of faults (it takes { "faults": ["PATCH status=503 count=2"] })',
    );
  });

  it('are so many at most', () => {});
});
