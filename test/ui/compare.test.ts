import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/json/json.ts';
import { compareDocuments } from '../../src/ui/compare.ts';

/** `!` in front of a line that differs, `|` between the documents. */
function shown(...documents: (JsonValue | undefined)[]): string[] {
  return compareDocuments(documents).map(
    ({ cells, differs }) => `${differs ? '!' : ' '}${cells.map((cell) => cell ?? '').join('|')}`,
  );
}

describe('documents side by side', () => {
  it('have the same members beside each other, whatever their order', () => {
    expect(shown({ a: 1, b: 2 }, { b: 3, a: 1, c: 4 })).toEqual([
      ' {|{',
      ' "a": 1|"a": 1',
      '!"b": 2|"b": 3',
      '!|"c": 4',
      ' }|}',
    ]);
  });

  it('have items of one id beside each other', () => {
    const [one, two] = [{ id: 1, name: 'P' }, { id: 2 }];
    expect(shown([one, two], [two, { id: 1, name: 'Q' }], [one])).toEqual([
      ' [|[|[',
      ' {|{|{',
      ' "id": 1|"id": 1|"id": 1',
      '!"name": "P"|"name": "Q"|"name": "P"',
      ' }|}|}',
      '!{|{|',
      '!"id": 2|"id": 2|',
      '!}|}|',
      ' ]|]|]',
    ]);
  });

  it('have equal values beside each other, each as often as it is there', () => {
    expect(shown(['a', 'b', 'b'], ['b', 'c'])).toEqual([
      ' [|[',
      '!"a"|',
      ' "b"|"b"',
      '!"b"|',
      '!|"c"',
      ' ]|]',
    ]);
  });

  it('compare other items in their order', () => {
    expect(shown([{ a: 1 }, 2], [{ a: 2 }])).toEqual([
      ' [|[',
      ' {|{',
      '!"a": 1|"a": 2',
      ' }|}',
      '!2|',
      ' ]|]',
    ]);
  });

  it('stand as they are where their kinds differ', () => {
    expect(shown({ a: [1] }, { a: 'x' })).toEqual([' {|{', '!"a": [1]|"a": "x"', ' }|}']);
    expect(shown({ a: {} }, { a: [] })).toEqual([' {|{', '!"a": {}|"a": []', ' }|}']);
  });

  it('do not differ from one that is not there', () => {
    expect(shown(undefined, [1])).toEqual([' |[', ' |1', ' |]']);
  });
});
