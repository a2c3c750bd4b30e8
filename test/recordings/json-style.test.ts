import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/json/json.ts';
import type { JsonStyle } from '../../src/model/exchange.ts';
import { bodyBytes, storeBody } from '../../src/recordings/body.ts';
import { jsonText, withJson } from '../../src/recordings/json-style.ts';

function stored(text: string) {
  const body = storeBody(Buffer.from(text), 'application/json');
  expect(bodyBytes(body).toString()).toBe(text);
  return body;
}

describe('the style of a JSON text', () => {
  it.each<[string, string, JsonValue, object]>([
    [
      "Python's json.dumps",
      '{"name": "Stra\\u00dfe \\ud83d\\ude00", "list": [1, 2], "none": [], "nothing": {}}',
      { name: 'Straße 😀', list: [1, 2], none: [], nothing: {} },
      { style: { colon: ': ', comma: ', ', ascii: true } },
    ],
    [
      "Python's, a single member and a line feed",
      '{"a": 1}\n',
      { a: 1 },
      { style: { colon: ': ' }, newline: true },
    ],
    ["Python's, an empty list in a list", '[1, []]', [1, []], { style: { comma: ', ' } }],
    [
      "Python's with an indent, in ASCII",
      '{\n    "a": "\\u00fc\\u007f",\n    "b": []\n}',
      { a: 'ü\u007f', b: [] },
      { indent: 4, style: { ascii: true, escaped: '\u007f' } },
    ],
    [
      "Python's with an indent of none",
      '{\n"a": [\n1,\n2\n]\n}',
      { a: [1, 2] },
      {
        style: {
          colon: ': ',
          comma: ',\n',
          object: { open: '\n', close: '\n' },
          array: { open: '\n', close: '\n' },
        },
      },
    ],
    [
      "Python's floats",
      '{"a": [1.0, 2.5, 1e-05, -0.50], "b/c": 1E+2}',
      { a: [1, 2.5, 0.00001, -0.5], 'b/c': 100 },
      {
        style: {
          colon: ': ',
          comma: ', ',
          numbers: { '/a/0': '1.0', '/a/2': '1e-05', '/a/3': '-0.50', '/b~1c': '1E+2' },
        },
      },
    ],
    [
      "Go's json.Marshal",
      '{"html":"\\u003ca href=\\"x\\"\\u003e\\u0026\\u2028 ü \\u0008"}\n',
      { html: '<a href="x">&\u2028 ü \b' },
      { style: { escaped: '\b&<>\u2028' }, newline: true },
    ],
    [
      "Java's Jackson, pretty-printed",
      '{\n  "a" : [ 1, {\n    "b" : { },\n    "c" : [ ]\n  }, 3 ],\n  "d" : "\\u001B"\n}',
      { a: [1, { b: {}, c: [] }, 3], d: '\u001b' },
      {
        indent: 2,
        style: {
          colon: ' : ',
          object: { empty: ' ' },
          array: { open: ' ', comma: ', ', close: ' ', empty: ' ' },
          hex: 'upper',
        },
      },
    ],
    ["Java's Gson", '{"a":"\\u003c\\u003d\\u0027\\u003e"}', { a: "<='>" }, { style: { escaped: "'<=>" } }],
    [
      "PHP's json_encode",
      '{"url":"http:\\/\\/x\\/","a":"\\u00fc"}',
      { url: 'http://x/', a: 'ü' },
      { style: { ascii: true, escaped: '/' } },
    ],
    [
      ".NET's, on Windows",
      '{\r\n  "a": "\\u00FC\\u0022\\\\",\r\n  "b": []\r\n}\r\n',
      { a: 'ü"\\', b: [] },
      { indent: 2, style: { ascii: true, escaped: '"', hex: 'upper', crlf: true }, newline: true },
    ],
    [
      'spaces within brackets',
      '{ "a": [ 1 ] }',
      { a: [1] },
      {
        style: { colon: ': ', object: { open: ' ', close: ' ' }, array: { open: ' ', close: ' ' } },
      },
    ],
    ['a number alone', '1.0', 1, { style: { numbers: { '': '1.0' } } }],
  ])('is kept beside the value: %s', (_, text, json, style) => {
    expect(stored(text)).toEqual({ json, ...style });
  });

  it.each([
    ['two spacings', '{"a": 1, "b":2}'],
    ['two ways of escaping', '["\\u00fc", "ü"]'],
    ['two cases of digits', '["\\u00fc", "\\u00FC"]'],
    ['two ends of lines', '{\r\n  "a": 1,\n  "b": 2\r\n}'],
    ['an integer beyond doubles', '{"a": 9007199254740993}'],
    ['digits that a double does not hold', '[0.1000000000000000055]'],
    ['minus zero', '[-0.0]'],
    ['a member twice', '{"a": 1, "a": 1}'],
    ['names that an object would reorder', '{"2": 1, "1": 2}'],
    ['an indent of more than ten', `{\n${' '.repeat(11)}"a": 1\n}`],
  ])('is none: %s', (_, text) => {
    expect(stored(text)).toEqual({ text });
  });

  it('gives any value back in any style', { tags: 'slow' }, () => {
    const style = fc.record(
      {
        colon: fc.constantFrom(': ', ' : '),
        comma: fc.constantFrom(', ', ' ,', ',\n'),
        object: fc.record(
          { open: fc.constantFrom(' ', '\n'), empty: fc.constant(' ') },
          { requiredKeys: [] },
        ),
        array: fc.record(
          { close: fc.constantFrom(' ', '\n'), comma: fc.constant(',  ') },
          { requiredKeys: [] },
        ),
        ascii: fc.constant(true as const),
        crlf: fc.constant(true as const),
        escaped: fc
          .subarray(['"', '&', '/', '<', '\\', '\b', '\n', '\u007f', '\u2028'])
          .map((all) => all.join('')),
        hex: fc.constant('upper' as const),
      },
      { requiredKeys: [], noNullPrototype: true },
    );
    const indent = fc.constantFrom(undefined, 1, 2, 4, '\t', ' \t');
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), indent, style, (value, by, written) => {
        const text = jsonText({
          json: value as JsonValue,
          ...(by !== undefined && { indent: by }),
          style: written as JsonStyle,
        });
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        stored(text);
      }),
      { numRuns: 500 },
    );
  });

  it('keeps of its numbers those that a changed value still has', () => {
    const style = { comma: ', ', numbers: { '/a': '1.0', '/pin': '1234.0' } };
    const changed = (a: number) => withJson({ json: null, style }, { a, pin: '[redacted]' }).style;
    expect(changed(1)).toEqual({ comma: ', ', numbers: { '/a': '1.0' } });
    expect(changed(2)).toEqual({ comma: ', ' });
  });
});
