import { describe, expect, it } from 'vitest';
import { bodyBytes, jsonOf, storeBody } from '../../src/recordings/body.ts';

const JSON_TYPE = 'application/json';

function kindOf(text: string, type = JSON_TYPE): string {
  const stored = storeBody(Buffer.from(text), type);
  return stored === undefined ? 'none' : Object.keys(stored).join('+');
}

describe('storeBody', () => {
  it.each([
    ['compact', '{"a":1,"b":[true,null,"ü"]}', 'json'],
    ['a trailing line feed', '{"a":1}\n', 'json+newline'],
    ['two spaces', '{\n  "a": 1\n}', 'json+indent'],
    ['four spaces and a line feed', '[\n    1\n]\n', 'json+indent+newline'],
    ['a tab', '{\n\t"a": {\n\t\t"b": 2\n\t}\n}', 'json+indent'],
    ['a scalar', '"x"', 'json'],
    ['a member named __proto__', '{"__proto__":{"a":1}}', 'json'],
    ['an escaped lone surrogate', '"\\ud800"', 'json'],
  ])('keeps JSON as a value: %s', (_, text, kind) => {
    expect(kindOf(text)).toBe(kind);
    expect(bodyBytes(storeBody(Buffer.from(text), JSON_TYPE)).toString()).toBe(text);
  });

  it.each([
    ['minus zero', '{"a":-0}'],
    ['an integer beyond doubles', '{"a":9007199254740993}'],
    ['a member twice', '{"a":1,"a":1}'],
    ['keys that an object would reorder', '{"2":1,"1":2}'],
    ['an escape that was not needed', '{"a":"\\u0041A"}'],
    ['mixed indents', '{\n  "a": {\n   "b": 1\n  }\n}'],
    ['broken JSON', '{"a":'],
    ['two line feeds', '{"a":1}\n\n'],
    ['a byte order mark', '\ufeff{"a":1}'],
  ])('keeps as text what JSON would not give back: %s', (_, text) => {
    expect(kindOf(text)).toBe('text');
    expect(bodyBytes(storeBody(Buffer.from(text), JSON_TYPE))).toEqual(Buffer.from(text));
  });

  it('keeps JSON of another media type as text', () => {
    expect(kindOf('{"a":1}', 'text/plain')).toBe('text');
    expect(kindOf('{"a":1}', 'application/problem+json')).toBe('json');
  });

  it('keeps what is nested too deep for an indented file as text', () => {
    const deep = '['.repeat(50_000) + ']'.repeat(50_000);
    expect(kindOf(deep)).toBe('text');
    expect(kindOf('['.repeat(128) + ']'.repeat(128))).toBe('json');
    expect(kindOf('['.repeat(129) + ']'.repeat(129))).toBe('text');
  });

  it('keeps what is no UTF-8 in base64', () => {
    const bytes = Buffer.from([0x7b, 0xff, 0x00, 0x7d]);
    expect(storeBody(bytes, JSON_TYPE)).toEqual({ base64: bytes.toString('base64') });
    expect(bodyBytes(storeBody(bytes, JSON_TYPE))).toEqual(bytes);
  });
});

describe('jsonOf', () => {
  it('reads JSON that is kept as text', () => {
    expect(jsonOf({ text: ' {"a": 1.0} ' })).toEqual({ a: 1 });
  });

  it.each([
    ['a member twice', '{"a":1,"a":2}'],
    ['an integer beyond doubles', '[9007199254740993]'],
    ['broken', '{"a":'],
    ['no JSON', 'a=1'],
  ])('does not read what readers understand differently: %s', (_, text) => {
    expect(jsonOf({ text })).toBeUndefined();
  });
});
