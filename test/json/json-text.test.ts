import { describe, expect, it } from 'vitest';
import {
  faultOf,
  findPlace,
  findPlaces,
  placeAt,
  placesAt,
  syntaxErrorOf,
} from '../../src/json/json-text.ts';

const BODY = `{
  "name": "Checkout 💡", "a/b": {"~": [ 10, {"x" : true} ]},
\t"list": [
    1,
    [ ],
    {}
  ],
  "empty": { },
  "twice": 1,
  "twice": {"in": 2}
}`;

/** The text from a place on, shortened. */
function textAt(text: string, { line, column }: { line: number; column: number }): string {
  return (text.split('\n')[line - 1] as string).slice(column - 1).slice(0, 6);
}

describe('the place of an offset', () => {
  it('counts lines and columns from 1', () => {
    expect(placeAt('{}', 0)).toEqual({ line: 1, column: 1 });
    expect(placeAt('{\n}', 2)).toEqual({ line: 2, column: 1 });
    expect(placeAt('{\n', 2)).toEqual({ line: 2, column: 1 });
    expect(placeAt('', 0)).toEqual({ line: 1, column: 1 });
  });

  it('counts a line break of two characters once, and columns in UTF-16 code units', () => {
    expect(placeAt('{\r\n\r\n"💡", 1', 10)).toEqual({ line: 3, column: 6 });
    expect(placeAt('[\n\n\n', 1)).toEqual({ line: 1, column: 2 });
  });

  it('is found for offsets in any order, as for each alone', () => {
    const offsets = [40, 3, 100, 0, 41, 3];
    expect(placesAt(BODY, offsets)).toEqual(offsets.map((offset) => placeAt(BODY, offset)));
  });
});

describe('the place of a pointer', () => {
  it.each([
    ['', '{'],
    ['/name', '"Check'],
    ['/a~1b', '{"~": '],
    ['/a~1b/~0', '[ 10, '],
    ['/a~1b/~0/0', '10, {"'],
    ['/a~1b/~0/1/x', 'true} '],
    ['/list', '['],
    ['/list/0', '1,'],
    ['/list/1', '[ ],'],
    ['/list/2', '{}'],
    ['/twice/in', '2}'],
  ])('%s leads to its value', (pointer, text) => {
    expect(textAt(BODY, findPlace(BODY, pointer))).toBe(text);
  });

  it.each([
    ['/name', '"name"'],
    ['/a~1b/~0/1/x', '"x" : '],
    ['/twice', '"twice'],
    // An item of a list has no name.
    ['/list/1', '[ ],'],
  ])('%s leads to its name', (pointer, text) => {
    expect(textAt(BODY, findPlace(BODY, pointer, 'name'))).toBe(text);
  });

  it('leads to the last of a name that comes twice', () => {
    expect(findPlace(BODY, '/twice')).toEqual({ line: 10, column: 12 });
    expect(findPlace(BODY, '/twice', 'name')).toEqual({ line: 10, column: 3 });
    expect(findPlace('{"a":{"x":1},"a":2}', '/a/x')).toEqual({ line: 1, column: 18 });
  });

  it.each([
    ['/languages', { line: 1, column: 2 }],
    ['/languages/0/x', { line: 1, column: 2 }],
    ['/list/3', { line: 3, column: 11 }],
    ['/list/1/0', { line: 5, column: 6 }],
    ['/empty/x', { line: 8, column: 13 }],
    // A scalar has no inside: it is what stands there.
    ['/name/x', { line: 2, column: 11 }],
  ])('%s, which is missing, leads just inside of what is there', (pointer, place) => {
    expect(findPlace(BODY, pointer)).toEqual(place);
  });

  it('is found for several at once, each as alone', () => {
    const wanted = ['/list/2', '', '/name', '/name', '/no/such', '/a~1b/~0/1/x', '/list'].flatMap(
      (pointer) => [
        { pointer, part: 'value' as const },
        { pointer, part: 'name' as const },
      ],
    );
    expect(findPlaces(BODY, wanted)).toEqual(
      wanted.map(({ pointer, part }) => findPlace(BODY, pointer, part)),
    );
    expect(findPlaces(BODY, [])).toEqual([]);
    const text = '{"a":[1,{"b":2}],"c":"d","e":{}}';
    const some = ['/c', '/a/1/b', '/a/1', '/a/7', '', '/e'].map((pointer) => ({
      pointer,
      part: 'value' as const,
    }));
    for (let count = 1; count <= some.length; count++) {
      const few = some.slice(0, count);
      expect(findPlaces(text, few, true)).toEqual(findPlaces(text, few));
    }
  });

  it('reads escaped names, and brackets and quotes within texts', () => {
    const text = '{"a\\"}": "]}", "\\u0062": ["\\\\", -1.5e3]}';
    expect(textAt(text, findPlace(text, '/a"}'))).toBe('"]}", ');
    expect(textAt(text, findPlace(text, '/b/1'))).toBe('-1.5e3');
  });

  it('tells an item from a member of the same name', () => {
    expect(findPlace('{"0":[7,{"0":8}]}', '/0/0')).toEqual({ line: 1, column: 7 });
    expect(findPlace('{"0":[7,{"0":8}]}', '/0/1/0')).toEqual({ line: 1, column: 14 });
    // Not an index as RFC 6901 writes them.
    expect(findPlace('[1,2]', '/01')).toEqual({ line: 1, column: 2 });
  });

  it('is where a body of one scalar starts', () => {
    expect(findPlace('  7', '')).toEqual({ line: 1, column: 3 });
    expect(findPlace('  7', '/a')).toEqual({ line: 1, column: 3 });
  });
});

it('knows no limits in looking for the first mistake', () => {
  const deep = '['.repeat(5000) + ']'.repeat(5000);
  expect(syntaxErrorOf(deep)).toBeUndefined();
  expect(syntaxErrorOf(`${deep}]`)).toEqual({
    message: 'expected the end of the document, found "]"',
    offset: 10_000,
  });
});

describe('a file of ours', () => {
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
});
