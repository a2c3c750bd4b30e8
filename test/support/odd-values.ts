import fc from 'fast-check';
import type { JsonValue } from '../../src/json/json.ts';

const SCALARS = [
  null,
  true,
  false,
  0,
  -0,
  1,
  -1,
  0.5,
  1e21,
  2 ** 53,
  '',
  'x',
  '0',
  '__proto__',
  '\ud800',
  '~/',
];
const NAMES = ['', 'id', 'toString', '__proto__', 'constructor', 'length', '0', 'a/b', '~'];

/** JSON values of members that some code reads, and some that lead astray, shallow and deep. */
export function oddValues(names: readonly string[], count: number): JsonValue[] {
  const name = fc.oneof(fc.constantFrom(...names), fc.constantFrom(...NAMES));
  const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 5, depthSize: 'medium' },
      fc.constantFrom(...SCALARS),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(name, tie('value'), { maxKeys: 3, noNullPrototype: true }),
    ),
  }));
  return fc.sample(value, count);
}
