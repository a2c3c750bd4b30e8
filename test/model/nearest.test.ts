import { expect, it } from 'vitest';
import { nearest } from '../../src/model/nearest.ts';

const FIELDS = ['name', 'languages', 'environments', 'isEnabled', 'id'];

it.each([
  ['nmae', 'name'],
  ['names', 'name'],
  ['langauges', 'languages'],
  ['language', 'languages'],
  ['enviroments', 'environments'],
  ['ENVIRONMENTS', 'environments'],
  ['Id', 'id'],
])('%s was probably meant to be %s', (word, meant) => {
  expect(nearest(word, FIELDS)).toBe(meant);
});

it.each(['owner', 'x', '', 'tags', 'n'.repeat(65)])('%s is near nothing', (word) => {
  expect(nearest(word, FIELDS)).toBeUndefined();
});

it('prefers the nearest, and of equals the first', () => {
  expect(nearest('nam', ['name', 'names'])).toBe('name');
  expect(nearest('cat', ['car', 'bat'])).toBe('car');
  expect(nearest('name', [])).toBeUndefined();
});
