import { expect, it } from 'vitest';
import { ignoringOption } from '../../../src/recordings/matching/ignoring-option.ts';

it.each([
  ['/environments/0/id', "--ignore-pointers '/environments/*/id'"],
  ['query/a~1b', '--ignore-query a/b'],
  ['headers/accept', undefined],
  ['body', undefined],
  ['method', undefined],
  ['/a,b', undefined],
  ['/long…', undefined],
])('%s', (place, option) => {
  expect(ignoringOption(place)).toBe(option);
});
