import { expect, it } from 'vitest';
import { isExact } from '../../src/json/exact-number.ts';
import { oneOf, sequence } from '../support/numbers.ts';

const ZEROS = '0'.repeat(500);
const HELD = `0 -0 0.000 0e999 1 -1 1.5 0.1 100 9007199254740991 9007199254740992 9007199254740994 -9007199254740994.000
  90071992547409.94e2 1e22 1E+22 1e-7 5e-324 0.${ZEROS}1e501 10000000000000000000000 000${ZEROS}.5 4503599627370495.5`;
const NOT_HELD = `9007199254740993 -9007199254740993 9007199254740993.0 90071992547409.93e2 9007199254740993000e-3 1e23
  1e308 1e309 -1e309 ${'9'.repeat(400)} 1e${'9'.repeat(400)} 1e-400 1e-${'9'.repeat(400)} 1.00000000000000000001
  9007199254740993.5 4503599627370497.25`;

it.each([
  [true, HELD],
  [false, NOT_HELD],
])('says %s of what a double holds', (expected, numbers) => {
  for (const number of numbers.split(/\s+/)) expect([number, isExact(number)]).toEqual([number, expected]);
});

it('agrees with arithmetic on integers, for numbers of every length and spelling', { tags: 'slow' }, () => {
  const next = sequence(754);
  const below = (limit: number) => Math.floor(next() * limit);
  const digits = (count: number) => Array.from({ length: count }, () => below(10)).join('');
  const near = (value: bigint) => String(value + BigInt(below(3) - 1));
  const spellings = [
    () => `${1 + below(9)}${digits(below(40))}`,
    () => near(2n ** BigInt(below(1020)) * BigInt(1 + below(50))),
    () => near(BigInt(below(2 ** 50)) * 2n ** BigInt(below(80))),
    () => `${below(1e9)}e${below(40)}`,
    () => `${below(1e9)}.${below(1e9)}e${below(40)}`,
    () => `${below(2 ** 50)}${'0'.repeat(below(20))}.${'0'.repeat(1 + below(4))}`,
  ];
  for (let i = 0; i < 20_000; i++) {
    const number = oneOf(next, ['', '-']) + oneOf(next, spellings)();
    expect([number, isExact(number)]).toEqual([number, isExactByArithmetic(number)]);
  }
});

/** Of numbers without overflow. */
function isExactByArithmetic(number: string): boolean {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)\.?(\d*)(?:e(\d+))?$/.exec(number) ?? [];
  const shift = Number(exponent) - fraction.length;
  const scaled = BigInt(sign + whole + fraction);
  if (shift < 0 && scaled % 10n ** BigInt(-shift) !== 0n) return !Number.isInteger(Number(number));
  const value = shift < 0 ? scaled / 10n ** BigInt(-shift) : scaled * 10n ** BigInt(shift);
  return BigInt(Number(number)) === value;
}
