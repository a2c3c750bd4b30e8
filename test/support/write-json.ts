/** JSON as anybody may write it: the same value in another order, spacing and spelling. */
import type { JsonValue } from '../../src/json/json.ts';
import { oneOf, sequence } from './numbers.ts';

/** @param style 0: as JSON.stringify writes it; any other number: another way, always the same one */
export function writeJson(value: JsonValue, style: number): string {
  if (style === 0) return JSON.stringify(value);
  const next = sequence(style);
  const escapes = oneOf(next, [0, 0.05, 0.9]);
  const spaces = oneOf(next, ['', '', ' ', '\n\t', '\r\n  ']);
  const space = () => (next() < 0.5 ? spaces : '');

  const text = (content: string) => `"${Array.from(content, (char) => spell(char)).join('')}"`;
  const spell = (char: string) => {
    const plain = JSON.stringify(char).slice(1, -1);
    if (next() >= escapes) return plain;
    if (char === '/') return '\\/';
    const units = Array.from({ length: char.length }, (_, i) => char.charCodeAt(i).toString(16));
    const coded = units.map((hex) => `\\u${hex.padStart(4, '0')}`).join('');
    return next() < 0.5 ? coded : `\\u${coded.slice(2).toUpperCase().replaceAll('\\U', '\\u')}`;
  };

  const write = (at: JsonValue): string => {
    if (typeof at === 'string') return text(at);
    if (typeof at === 'number') return next() < 0.7 ? plainNumber(at) : spellNumber(at, next);
    if (typeof at !== 'object' || at === null) return JSON.stringify(at);
    const parts = Array.isArray(at)
      ? at.map((item) => `${space()}${write(item)}${space()}`)
      : shuffled(Object.entries(at), next).map(
          ([name, member]) =>
            `${space()}${text(name)}${space()}:${space()}${write(member as JsonValue)}${space()}`,
        );
    const [open, close] = Array.isArray(at) ? '[]' : '{}';
    return `${open}${parts.length > 0 ? parts.join(',') : space()}${close}`;
  };
  return `${space()}${write(value)}${space()}`;
}

function plainNumber(number: number): string {
  return Object.is(number, -0) ? '-0' : JSON.stringify(number);
}

/** The very same decimal number, spelt otherwise: 50 as `5e1`, `50.0`, `500E-1`, `0.50e+02`. */
function spellNumber(number: number, next: () => number): string {
  const sign = number < 0 || Object.is(number, -0) ? '-' : '';
  const [mantissa = '', exponent = ''] = Math.abs(number).toExponential().split('e');
  let digits = mantissa.replace('.', '') + '0'.repeat(Math.floor(next() * 3));
  // Where the decimal point stands, counted in digits from the left.
  let point = 1 + Math.floor(next() * digits.length);
  if (next() < 0.2) {
    digits = `0${digits}`;
    point = 1;
    return sign + withPoint(digits, point) + power(Number(exponent) + 1, next);
  }
  return sign + withPoint(digits, point) + power(Number(exponent) + 1 - point, next);
}

/** No digit before the point is a zero, but for a single one. */
function withPoint(digits: string, point: number): string {
  const whole = digits.slice(0, point);
  const fraction = digits.slice(point);
  const first = whole.replace(/^0+(?=\d)/, '');
  return fraction === '' ? first : `${first}.${fraction}`;
}

function power(exponent: number, next: () => number): string {
  if (exponent === 0 && next() < 0.5) return '';
  const letter = next() < 0.5 ? 'e' : 'E';
  const sign = exponent < 0 ? '-' : next() < 0.3 ? '+' : '';
  return `${letter}${sign}${next() < 0.2 ? '0' : ''}${Math.abs(exponent)}`;
}

function shuffled<T>(items: readonly T[], next: () => number): T[] {
  const left = [...items];
  return items.map(() => left.splice(Math.floor(next() * left.length), 1)[0] as T);
}
