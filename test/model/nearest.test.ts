import { expect, it } from 'vitest';
import { nearest } from '../../src/model/nearest.ts';

const FIELDS = ['name', 'languages', 'environments', 'isEnabled', 'id'];

it.each([
  ['nmae', 'name'],
  ['langauges', 'languages'],
  ['ENVIRONMENTS', 'environments'],
  ['Id', 'id'],
  ['owner', undefined],
  ['', undefined],
  ['n'.repeat(65), undefined],
])('%s was probably meant to be %s', (word, meant) => {
  expect(nearest(word, FIELDS)).toBe(meant);
});
