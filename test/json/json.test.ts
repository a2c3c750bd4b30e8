import { expect, it } from 'vitest';
import { isObject, listAt, member } from '../../src/json/json.ts';

it('takes for an object what JSON calls one', () => {
  expect([{}, { a: 1 }, JSON.parse('{"__proto__":1}')].every(isObject)).toBe(true);
  expect([null, [], 'x', 1, true, undefined].some(isObject)).toBe(false);
});

it('reads own members only', () => {
  expect(member({ a: null }, 'a')).toBeNull();
  expect(member({}, 'toString')).toBeUndefined();
  expect(member({}, '__proto__')).toBeUndefined();
  expect(member(JSON.parse('{"__proto__":1}'), '__proto__')).toBe(1);
  expect(member(['x'], '0')).toBeUndefined();
  expect(member('text', 'length')).toBeUndefined();
  expect(member(null, 'a')).toBeUndefined();
});

it('reads a list that is one', () => {
  expect(listAt({ a: [1] }, 'a')).toEqual([1]);
  for (const value of [{}, { a: {} }, { a: 'x' }, { a: { length: 1 } }, null, []])
    expect(listAt(value, 'a')).toEqual([]);
});
