import { expect, it } from 'vitest';
import { printable } from '../../src/server/printable.ts';

it('leaves what people can read', () => {
  expect(printable('/a b?x=é☃😀~')).toBe('/a b?x=é☃😀~');
});

it.each([
  ['\u001b[31mred', '\\u001b[31mred'],
  ['a\r\nb\u0000\t\u007f', 'a\\u000d\\u000ab\\u0000\\u0009\\u007f'],
  ['\u009b31m', '\\u009b31m'],
  ['\u202egnp.exe\u2066', '\\u202egnp.exe\\u2066'],
  ['a\u2028b\u2029\ufeff\u200b', 'a\\u2028b\\u2029\\ufeff\\u200b'],
  ['\ud800x', '\\ud800x'],
  ['\u{e0041}', '\\udb40\\udc41'],
])('escapes %j', (text, expected) => {
  expect(printable(text)).toBe(expected);
});

it('leaves a JSON text the same JSON', () => {
  const value = { url: 'é\u007f\u009b\u202e\u2028\u{e0041}\n' };
  const text = printable(JSON.stringify(value));
  expect(text).toMatch(/^[\x20-\x7eé]+$/);
  expect(JSON.parse(text)).toEqual(value);
});
