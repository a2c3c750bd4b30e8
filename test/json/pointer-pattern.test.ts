import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/json/json.ts';
import { isPointer, tokensOf } from '../../src/json/pointer.ts';
import {
  matchesPattern,
  type PatternNode,
  patternTree,
  withoutMatches,
} from '../../src/json/pointer-pattern.ts';

function tree(...patterns: string[]): PatternNode {
  return patternTree(patterns) as PatternNode;
}

it('is written as a pointer', () => {
  expect(['', '/', '/a/*/b', '/a~1b/c~0d'].every(isPointer)).toBe(true);
  expect(['a', 'a/b', '/a~2', '/a~'].some(isPointer)).toBe(false);
});

it.each([
  [['/a/*/id'], '/a/0/id', true],
  [['/a/*/id'], '/a/x/id', true],
  [['/a/*/id'], '/a/x/id/deeper', true],
  [['/a/*/id'], '/a/x', false],
  [['/a/*/id'], '/a/x/y/id', false],
  [['/a/0/id', '/a/*/no'], '/a/0/no', true],
  [['/a/0/id', '/a/*/no'], '/a/0/id', true],
  [['/a/0/id', '/a/*/no'], '/a/1/id', false],
  [['/*', '/a/b'], '/a', true],
  [['/a~1b'], '/a~1b', true],
  [['/a~1b'], '/a/b', false],
  [[''], '/anything', true],
  [['/constructor'], '/a', false],
])('%j means %s: %s', (patterns, pointer, expected) => {
  expect(matchesPattern(patternTree(patterns), tokensOf(pointer))).toBe(expected);
});

describe('withoutMatches', () => {
  it.each<[string[], JsonValue, JsonValue]>([
    [['/a'], { a: 1, b: 2 }, { b: 2 }],
    [['/list/*/id'], { list: [{ id: 1, n: 1 }, { id: 2 }, 3] }, { list: [{ n: 1 }, {}, 3] }],
    [
      ['/1', '/2'],
      ['a', 'b', 'c', 'd'],
      ['a', 'd'],
    ],
    [['/*'], ['a', 'b'], []],
    [['/*/*'], { a: { b: 1 }, c: [1], d: 2 }, { a: {}, c: [], d: 2 }],
    [['/__proto__'], JSON.parse('{"__proto__":1,"a":2}'), { a: 2 }],
    [['/a'], JSON.parse('{"__proto__":{"x":1},"a":2}'), JSON.parse('{"__proto__":{"x":1}}')],
  ])('%j of %j leaves %j', (patterns, value, rest) => {
    const before = JSON.stringify(value);
    expect(JSON.stringify(withoutMatches(value, tree(...patterns)))).toBe(JSON.stringify(rest));
    expect(JSON.stringify(value)).toBe(before);
  });
});
