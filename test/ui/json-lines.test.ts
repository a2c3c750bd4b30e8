import { describe, expect, it } from 'vitest';
import { jsonLines, placeInLines, textOf } from '../../src/ui/json-lines.ts';

const BODY = { name: 'Checkout', 'a/b~': [], environments: [{ id: 1 }, { id: 2, name: 'x' }] };

describe('the lines of a JSON document', () => {
  it('are those of JSON.stringify', () => {
    for (const value of [BODY, [], {}, null, 'x', [[], {}], { a: { b: [1, [2]] } }]) {
      const text = jsonLines(value).map(({ depth, name, value }) => '  '.repeat(depth) + name + value);
      expect(text.join('\n')).toBe(JSON.stringify(value, null, 2));
    }
  });

  it('know their places', () => {
    expect(jsonLines(BODY).map(({ pointer }) => pointer)).toEqual([
      ...[
        '',
        '/name',
        '/a~1b~0',
        '/environments',
        '/environments/0',
        '/environments/0/id',
        '/environments/0',
      ],
      ...[
        '/environments/1',
        '/environments/1/id',
        '/environments/1/name',
        '/environments/1',
        '/environments',
        '',
      ],
    ]);
  });

  it('escape what would hide itself or turn the text around', () => {
    expect(textOf('a\u202eb\u200b\u{e0041}é')).toBe('"a\\u202eb\\u200b\\udb40\\udc41é"');
  });
});

describe('a place among the lines', () => {
  const lines = jsonLines(BODY);

  it.each([
    ['', 0],
    ['/name', 1],
    ['/a~1b~0', 2],
    ['/environments', 3],
    ['/environments/1/name', 9],
  ])('%s is at line %d', (pointer, line) => {
    expect(placeInLines(lines, pointer)).toEqual({ line });
  });

  it.each([
    // What is missing would be the last member.
    ['/languages', 11, 'languages', 1],
    ['/environments/0/name', 5, 'name', 3],
    ['/environments/2', 10, '2', 2],
    // Of what holds nothing, behind its only line.
    ['/a~1b~0/0', 2, '0', 2],
    ['/name/x/y', 1, 'x/y', 2],
  ])('%s is missing below line %d', (pointer, line, name, depth) => {
    expect(placeInLines(lines, pointer)).toEqual({ line, missing: { name, depth } });
  });
});
