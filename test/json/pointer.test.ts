import { expect, it } from 'vitest';
import { pointerOf, tokensOf } from '../../src/json/pointer.ts';

it.each([
  [[], ''],
  [[''], '/'],
  [['environments', 0, 'id'], '/environments/0/id'],
  [['a/b', 'm~n'], '/a~1b/m~0n'],
  [['~1'], '/~01'],
  [['/', '', '~'], '/~1//~0'],
])('%j is written as %s, and read back', (tokens, pointer) => {
  expect(pointerOf(tokens)).toBe(pointer);
  expect(tokensOf(pointer)).toEqual(tokens.map(String));
});
