import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { faultOf, findPlace, findPlaces, placeAt, syntaxErrorOf } from '../../src/json/json-text.ts';

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
    const pointers = ['/list/2', '', '/name', '/name', '/no/such', '/a~1b/~0/1/x', '/list'];
    const wanted = pointers.map((pointer) => ({ pointer, part: 'name' as const }));
    expect(findPlaces(BODY, wanted)).toEqual(
      wanted.map(({ pointer, part }) => findPlace(BODY, pointer, part)),
    );
    expect(findPlaces(BODY, [])).toEqual([]);
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
});

describe('the first mistake', () => {
  it.each([
    ['', 0, 'the document ends where a value should be'],
    ['{"name":', 8, 'the document ends where a value should be'],
    ['{"a":1,}', 7, 'expected a member name in double quotes, found "}"'],
    ["{'a':1}", 1, 'expected a member name in double quotes, found "\'"'],
    ['{"a" 1}', 5, 'expected ":", found "1"'],
    ['{"a":1 "b":2}', 7, 'expected "," or "}", found "\\""'],
    ['[1 2]', 3, 'expected "," or "]", found "2"'],
    ['[1,]', 3, 'expected a value, found "]"'],
    ['[1', 2, 'the document ends where "," or "]" should be'],
    ['{} {}', 3, 'expected the end of the document, found "{"'],
    ['01', 1, 'expected the end of the document, found "1"'],
    ['[1.]', 2, 'expected "," or "]", found "."'],
    ['nul', 0, 'expected a value, found "n"'],
    ['True', 0, 'expected a value, found "T"'],
    ['"a', 2, 'the document ends where the closing quote of a string should be'],
    ['"\t"', 1, 'expected a string without raw control characters, found "\\t"'],
    ['"\\\\\\x"', 3, 'expected an escape that JSON knows (\\n, \\u00e9, …), found "\\\\"'],
    ['💡', 0, 'expected a value, found "💡"'],
  ])('of %j is at %i', (text, offset, message) => {
    expect(syntaxErrorOf(text)).toEqual({ offset, message });
  });

  it('is found in whatever JSON.parse does not read', () => {
    const unit = fc.constantFrom(...'{}[],:"\\01-.e ', '"a"', 'true');
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 8 }), (text) => {
        const fault = syntaxErrorOf(text);
        if (fault) expect(() => JSON.parse(text)).toThrow();
        else JSON.parse(text);
        expect(fault?.offset ?? 0).toBeLessThanOrEqual(text.length);
      }),
      { numRuns: 5000 },
    );
  });

  it('is found at any depth', () => {
    const deep = '['.repeat(5000) + ']'.repeat(5000);
    expect(syntaxErrorOf(deep)).toBeUndefined();
    expect(syntaxErrorOf(`${deep}]`)?.offset).toBe(10_000);
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
});
