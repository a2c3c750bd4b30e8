import { expect, it } from 'vitest';
import { firstOfSession, ofSession } from '../../../src/recordings/matching/of-session.ts';
import { exchange, listed } from '../../support/exchanges.ts';

const named = (names: readonly string[]) =>
  listed(names.map((session) => exchange(session ? { session } : {})));
const all = (count: number) => Array.from({ length: count }, (_, index) => index);

/** So often one behind the other: a short sequence, and one that is remembered. */
it.each([1, 100])('gives its own, else those of the default session, else all: %i times', (times) => {
  const names = Array.from({ length: times }, () => ['one', '', 'two']).flat();
  const recorded = named(names);
  const indexes = all(names.length);
  const at = (name: string) => indexes.filter((index) => names[index] === name);
  for (let again = 0; again < 2; again++) {
    expect(ofSession(recorded, indexes, 'one')).toEqual(at('one'));
    expect(ofSession(recorded, indexes, 'two')).toEqual(at('two'));
    expect(ofSession(recorded, indexes, '')).toEqual(at(''));
    expect(ofSession(recorded, indexes, 'other')).toEqual(at(''));
  }
  const others = named(names.map((name) => name || 'three'));
  const list = all(names.length);
  expect(ofSession(others, list, 'other')).toBe(list);
  expect(ofSession(others, list, '')).toBe(list);
});

it.each([3, 300])('makes nothing of %i that were recorded without sessions', (count) => {
  const recorded = named(Array.from({ length: count }, () => ''));
  const indexes = all(count);
  for (const name of ['', 'one']) expect(ofSession(recorded, indexes, name)).toBe(indexes);
});

it('looks at what was added to a long sequence, and at nothing twice', () => {
  const looked: number[] = [];
  const names = Array.from({ length: 40 }, (_, index) => (index < 20 || index % 2 === 0 ? '' : 'one'));
  const recorded = {
    ...{ length: 0, open: [], withKey: () => [], at: () => exchange() },
    sessionOf: (index: number) => {
      looked.push(index);
      return names[index] as string;
    },
  };
  const indexes: number[] = all(20);
  expect(ofSession(recorded, indexes, 'one')).toBe(indexes);
  for (let index = 20; index < 40; index++) {
    indexes.push(index);
    const own = indexes.filter((one) => names[one] === 'one');
    expect(ofSession(recorded, indexes, 'one')).toEqual(own.length > 0 ? own : indexes);
  }
  expect(looked).toEqual(all(40));
});

it('finds the first that a session is given, and looks no further', () => {
  const names = ['one', '', 'two', 'one', '', 'two', 'one'];
  const first = (name: string, most: number, of = names) => firstOfSession(named(of), name, most);
  for (const name of [...names, 'other'])
    expect(first(name, 9)).toEqual(ofSession(named(names), all(names.length), name));
  expect(first('one', 2)).toEqual([0, 3]);
  expect(first('other', 1)).toEqual([1]);
  const others = names.map((name) => name || 'three');
  expect(first('other', 3, others)).toEqual([0, 1, 2]);
  expect(first('', 3, [])).toEqual([]);
  const looked: number[] = [];
  const recorded = {
    ...{ length: 50_000, open: [], withKey: () => [], at: () => exchange() },
    sessionOf: (index: number) => {
      looked.push(index);
      return '';
    },
  };
  expect(firstOfSession(recorded, '', 3)).toEqual([0, 1, 2]);
  expect(looked).toEqual([0, 1, 2]);
});
