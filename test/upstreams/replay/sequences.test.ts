import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../../src/model/exchange.ts';
import { StoredExchange } from '../../../src/recordings/store/stored-exchange.ts';
import { ageText, refusal, Sequences, whyUnanswerable } from '../../../src/upstreams/replay/sequences.ts';
import { exchange } from '../../support/exchanges.ts';

const SESSION = { id: 1, name: '' };

/** Serves a sequence in which `x` cannot be an answer. */
function serving(text: string, isStrict = false) {
  const all = [...text].map(() => StoredExchange.of(exchange()));
  const sequences = new Sequences(isStrict, (one) => (text[all.indexOf(one)] === 'x' ? 'stale' : undefined));
  const sequence = { all, own: all };
  return {
    sequences,
    sequence,
    /** @returns a place, or why there is none and whose that is */
    next(session = SESSION): number | string {
      const choice = sequences.choose(session, sequence);
      if (choice.reason !== undefined) return `${choice.reason} ${all.indexOf(choice.stored)}`;
      sequences.advance(session, choice);
      return choice.place;
    },
  };
}

describe('what is chosen', () => {
  it.each([
    ['ooo', [0, 1, 2, 2, 2]],
    ['xoo', [1, 2, 2]],
    ['oxo', [0, 2, 2]],
    ['oox', [0, 1, 1]],
    ['oxx', [0, 0]],
    ['xxx', ['stale 2', 'stale 2']],
    ['o', [0, 0]],
  ])('of %s: %j', (text, expected) => {
    const { next } = serving(text);
    expect(expected.map(() => next())).toEqual(expected);
  });

  it.each([
    ['ooo', [0, 1, 2, 'already-served 2']],
    ['oox', [0, 1, 'already-served 1']],
    ['oxo', [0, 2, 'already-served 2']],
    ['xxx', ['stale 2']],
    ['o', [0, 'already-served 0']],
  ])('of %s, strictly: %j', (text, expected) => {
    const { next } = serving(text, true);
    expect(expected.map(() => next())).toEqual(expected);
  });

  it('says how often it was recorded, and how many of these were answers', () => {
    const { next, sequences, sequence } = serving('oxo', true);
    next();
    next();
    expect(sequences.choose(SESSION, sequence)).toMatchObject({ recorded: 3, answers: 2 });
  });

  it('stays the answer until it is served', () => {
    const { next, sequences, sequence } = serving('oo');
    expect(sequences.choose(SESSION, sequence)).toMatchObject({ place: 0 });
    expect([next(), next()]).toEqual([0, 1]);
  });
});

it('goes on where each session is, and begins anew where one has ended', () => {
  const { next } = serving('ooo');
  const other = { id: 2, name: 'a' };
  expect([next(), next(), next(other)]).toEqual([0, 1, 0]);
  expect([next({ id: 3, name: '' }), next(other)]).toEqual([0, 1]);
});

it('skips what somebody else has answered', () => {
  const { next, sequences, sequence } = serving('ooo');
  sequences.pass(SESSION, sequence);
  expect(next()).toBe(1);
});

describe('what can be an answer', () => {
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
});

describe('a refusal', () => {
  it.each([
    [1, 1, 'it was recorded once and has been served as often already (--strict-sequence)'],
    [3, 3, 'it was recorded 3 times and has been served as often already (--strict-sequence)'],
    [
      3,
      1,
      'it was recorded 3 times and has been served once already (--strict-sequence); the others are no answers',
    ],
  ])('of what was recorded %i times and served %s times says so', (recorded, answers, text) => {
    const { message } = refusal('r', {
      reason: 'already-served',
      stored: StoredExchange.of(exchange()),
      recorded,
      answers,
    });
    expect(message.endsWith(`, but ${text}`)).toBe(true);
  });

  it.each([
    ['refused', 'no connection to the target could be made when it was recorded'],
    ['timeout', 'the target did not answer in time when it was recorded'],
    ['reset', 'the connection to the target broke when it was recorded'],
    ['truncated', 'the response broke off when it was recorded'],
  ] as const)('of a failure (%s) says what happened', (kind, text) => {
    const failed = { ...exchange(), failure: { kind } };
    const refused = {
      reason: 'failure',
      stored: StoredExchange.of(failed),
      recorded: 1,
      answers: 0,
    } as const;
    expect(refusal('r', refused).message).toContain(text);
  });
});
