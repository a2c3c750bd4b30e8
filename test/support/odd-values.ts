import type { JsonValue } from '../../src/json/json.ts';
import { oneOf, sequence } from './numbers.ts';

const SCALARS: readonly JsonValue[] = [
  null,
  true,
  false,
  0,
  -0,
  1,
  -1,
  0.5,
  1e21,
  -1e-7,
  2 ** 53,
  '',
  'x',
  '0',
  'constructor',
  '__proto__',
  '\u0000',
  '\ud800',
  'é~/',
];

const NAMES = ['', 'id', 'toString', '__proto__', 'constructor', 'length', '0', 'a/b', '~'];

/**
 * JSON values that hold the given names (and some that lead astray) with values of any kind, shallow and deep.
 *
 * @param names members that some code reads
 */
export function* oddValues(names: readonly string[], count: number, seed = 1): Iterable<JsonValue> {
  const next = sequence(seed);
  const all = [...names, ...names, ...NAMES];
  const value = (depth: number): JsonValue => {
    const kind = next();
    if (depth === 0 || kind < 0.3) return oneOf(next, SCALARS);
    const size = Math.floor(next() * 4);
    if (kind < 0.55) return Array.from({ length: size }, () => value(depth - 1));
    // As JSON.parse makes it: every name an own member, `__proto__` too.
    const members = Array.from(
      { length: size },
      () => `${JSON.stringify(oneOf(next, all))}:${JSON.stringify(value(depth - 1))}`,
    );
    return JSON.parse(`{${members.join(',')}}`) as JsonValue;
  };
  for (let i = 0; i < count; i++) yield value(5);
}
