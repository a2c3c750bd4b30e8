import { expect, it } from 'vitest';
import { ofSession } from '../../../src/recordings/matching/of-session.ts';
import { StoredExchange } from '../../../src/recordings/store/stored-exchange.ts';
import { exchange } from '../../support/exchanges.ts';

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
  for (const name of ['', 'one']) expect(ofSession(recorded, name)).toBe(recorded);
});

it('looks at what was added to a long list', () => {
  const all = named(Array.from({ length: 40 }, (_, i) => (i < 20 || i % 2 === 0 ? '' : 'one')));
  const recorded = all.slice(0, 20);
  expect(ofSession(recorded, 'one')).toBe(recorded);
  for (const stored of all.slice(20)) {
    recorded.push(stored);
    const own = recorded.filter(({ session }) => session === 'one');
    expect(ofSession(recorded, 'one')).toEqual(own.length > 0 ? own : recorded);
  }
});
