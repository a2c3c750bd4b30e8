import { expect, it } from 'vitest';
import { sameText } from '../../../src/recordings/matching/compare-json.ts';

const R = '[redacted]';

it.each([
  ['a', 'a', true],
  ['a', 'b', false],
  [R, '', true],
  [R, 'anything', true],
  [`Bearer ${R}`, 'Bearer x', true],
  [`Bearer ${R}`, 'Basic x', false],
  [`Bearer ${R}`, 'Bearer', false],
  [`${R} end`, 'x end', true],
  [`${R} end`, 'x end.', false],
  [`a${R}b${R}c`, 'a1b2c', true],
  [`a${R}b${R}c`, 'abc', true],
  [`a${R}b${R}c`, 'a1c', false],
  [`a${R}b${R}bc`, 'abc', false],
  [`ab${R}bc`, 'abc', false],
  [`a${R}${R}c`, 'ac', true],
])('recorded %j, sent %j: %s', (recorded, sent, expected) => {
  expect(sameText(recorded, sent)).toBe(expected);
});
