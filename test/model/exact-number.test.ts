import { expect, it } from 'vitest';
import { isExact } from '../../src/model/exact-number.ts';

it.each([
  '0',
  '-0',
  '0.000',
  '0e999',
  '1',
  '-1',
  '1.5',
  '0.1',
  '100',
  '9007199254740991',
  '9007199254740992',
  '9007199254740994',
  '-9007199254740994.000',
  '90071992547409.94e2',
  '1e22',
  '1E+22',
  '1e-7',
  '5e-324',
  '1e-400',
  `1e-${'9'.repeat(400)}`,
  `0.${'0'.repeat(500)}1e501`,
  `1${'0'.repeat(22)}`,
  `000${'0'.repeat(400)}.5`,
])('a double holds %s', (number) => {
  expect(isExact(number)).toBe(true);
});

it.each([
  '9007199254740993',
  '-9007199254740993',
  '9007199254740993.0',
  '90071992547409.93e2',
  '9007199254740993000e-3',
  '1e23',
  '1e308',
  '1e309',
  '-1e309',
  '9'.repeat(400),
  `1e${'9'.repeat(400)}`,
])('no double holds %s', (number) => {
  expect(isExact(number)).toBe(false);
});

it('takes no longer for zeros that lead to another digit', () => {
  // A pattern for trailing zeros would try each of them: minutes.
  expect(isExact(`0.1${'0'.repeat(1_000_000)}1e0`)).toBe(true);
});
