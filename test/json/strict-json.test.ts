import { expect, it } from 'vitest';
import { faultOf } from '../../src/json/strict-json.ts';

it.each([
  ['{"a": 1, "b": {"a": 1}}', undefined],
  ['{"a": 1, "\\u0061": 2}', { message: '"a" is given a second time', offset: 9 }],
  ['{"a": {"b": 1, "b": 2}, "a": 1}', { message: '"b" is given a second time', offset: 15 }],
])('of %s says %o', (text, fault) => {
  expect(faultOf(text)).toEqual(fault);
});

it('says where the grammar is broken, whatever comes twice after that', () => {
  expect(faultOf('{"a": 1,, "a": 2}')?.offset).toBe(8);
});
