import { expect, it } from 'vitest';
import type { Exchange } from '../../../src/model/exchange.ts';
import { StoredExchange } from '../../../src/recordings/store/stored-exchange.ts';
import { ageText, whyUnanswerable } from '../../../src/upstreams/replay/answerable.ts';
import { exchange } from '../../support/exchanges.ts';

const DAY = 86_400_000;
const recordedFor = (age: number) => exchange({ recordedAt: new Date(Date.now() - age).toISOString() });

it('an exchange that is too old is no answer where that is asked for; one from the future is not old', () => {
  const refusing = { maxAge: DAY, onStale: 'refuse' } as const;
  expect(whyUnanswerable(StoredExchange.of(recordedFor(2 * DAY)), refusing)).toBe('stale');
  expect(whyUnanswerable(StoredExchange.of(recordedFor(DAY / 2)), refusing)).toBeUndefined();
  expect(whyUnanswerable(StoredExchange.of(recordedFor(-9 * DAY)), refusing)).toBeUndefined();
  expect(whyUnanswerable(StoredExchange.of(recordedFor(2 * DAY)), { maxAge: DAY })).toBeUndefined();
  expect(whyUnanswerable(StoredExchange.of(recordedFor(2 * DAY)), { onStale: 'refuse' })).toBeUndefined();
});

it('a failure is one where failures are replayed, though what came of its response was not kept', () => {
  const { response, ...rest } = exchange();
  const timeout: Exchange = { ...rest, failure: { kind: 'timeout' } };
  expect(whyUnanswerable(StoredExchange.of(timeout), {})).toBe('failure');
  expect(whyUnanswerable(StoredExchange.of(timeout), { replayFailures: true })).toBeUndefined();
  const truncated: Exchange = { ...rest, response, failure: { kind: 'truncated' } };
  expect(whyUnanswerable(StoredExchange.of(truncated), {})).toBe('failure');
  const omitted: Exchange = { ...truncated, response: { ...response, body: { omitted: 7 } } };
  expect(whyUnanswerable(StoredExchange.of(omitted), { replayFailures: true })).toBeUndefined();
});

it.each([
  [45.9 * DAY, '45d'],
  [DAY, '1d'],
  [DAY - 1, '23h'],
  [61_000, '1m'],
  [1999, '1s'],
  [999, '0s'],
  [-DAY, '0s'],
])('%d ms are %s', (age, text) => expect(ageText(age)).toBe(text));
