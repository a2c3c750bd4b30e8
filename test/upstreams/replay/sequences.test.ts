import { describe, expect, it } from 'vitest';
import { StoredExchange } from '../../../src/recordings/store/stored-exchange.ts';
import { Sequences } from '../../../src/upstreams/replay/sequences.ts';
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
    expect(sequences.choose(SESSION, sequence)).toMatchObject({ recorded: 3, served: 2 });
  });

  it('stays the answer until it is served', () => {
    const { next, sequences, sequence } = serving('oo');
    expect(sequences.choose(SESSION, sequence)).toMatchObject({ place: 0 });
    expect([next(), next()]).toEqual([0, 1]);
  });
});

it('goes on where each session is, and begins anew where one has ended', () => {
  const { next, sequences } = serving('ooo');
  const other = { id: 2, name: 'a' };
  expect([next(), next(), next(other)]).toEqual([0, 1, 0]);
  sequences.end(SESSION);
  expect([next(), next(other)]).toEqual([0, 1]);
});

it('skips what somebody else has answered', () => {
  const { next, sequences, sequence } = serving('ooo');
  sequences.pass(SESSION, sequence);
  expect(next()).toBe(1);
});
