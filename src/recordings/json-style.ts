/** How a JSON text is written, beside the value that it is: so that a recording can hold the value and give the text back. */

import { childOf, type JsonValue } from '../json/json.ts';
import { skipSpace } from '../json/json-lexer.ts';
import { skipValue } from '../json/json-text.ts';
import { pointerOf, tokensOf } from '../json/pointer.ts';
import type { JsonBody, JsonSpacing, JsonStyle } from '../model/exchange.ts';

/** What JSON.stringify would write in these places. A line feed stands for one with the indent of its level. */
const COMPACT = { colon: ':', open: '', comma: ',', close: '', empty: '' };
const INDENTED = { colon: ': ', open: '\n', comma: ',\n', close: '\n', empty: '' };

/** The text of a JSON body. */
export function jsonText({ json, indent, newline, style }: JsonBody): string {
  const text = style ? styled(json, indent, style) : JSON.stringify(json, null, indent);
  const whole = newline ? `${text}\n` : text;
  return style?.crlf ? whole.replaceAll('\n', '\r\n') : whole;
}

/** How a valid JSON text seems to be written: it is, where `jsonText` gives it back. */
export function writingOf(text: string): Omit<JsonBody, 'json'> {
  const crlf = text.includes('\r\n');
  const lines = crlf ? text.replaceAll('\r\n', '\n') : text;
  const { style, ...indented } = readStyle(lines);
  return {
    ...indented,
    ...(lines.endsWith('\n') && { newline: true }),
    style: crlf ? { ...style, crlf } : (style as JsonStyle),
  };
}

/** A body whose value has changed: some of its numbers may be gone, or be secrets. */
export function withJson(body: JsonBody, json: JsonValue): JsonBody {
  const { numbers, ...style } = body.style ?? {};
  if (!numbers) return { ...body, json };
  const kept = Object.entries(numbers).filter(([pointer, literal]) => {
    const value = tokensOf(pointer).reduce<unknown>(childOf, json);
    return typeof value === 'number' && sameNumber(literal, value);
  });
  return { ...body, json, style: kept.length > 0 ? { ...style, numbers: Object.fromEntries(kept) } : style };
}

const NUMBER = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Whether a number's text is that very number: no other digits, as those that a double does not hold. */
function sameNumber(literal: string, value: number): boolean {
  return decimalOf(literal) === decimalOf(String(value));
}

function decimalOf(literal: string): string | undefined {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = NUMBER.exec(literal) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  let end = digits.length;
  while (end > 0 && digits[end - 1] === '0') end--;
  return `${sign}${digits.slice(0, end)}e${end === 0 ? 0 : Number(exponent) - fraction.length + digits.length - end}`;
}

function styled(json: JsonValue, indent: JsonBody['indent'], style: JsonStyle): string {
  const usual = indent === undefined ? COMPACT : INDENTED;
  const unit = typeof indent === 'number' ? ' '.repeat(indent) : (indent ?? '');
  const { colon = usual.colon, comma = usual.comma, numbers } = style;
  const ofObject = { ...usual, comma, ...style.object };
  const ofArray = { ...usual, comma, ...style.array };
  const quote = quoting(style);
  /** Of the value that is written, where numbers are looked up. */
  const path: (string | number)[] = [];
  return write(json, '');

  /** @param margin the indent of the line that it begins in */
  function write(value: JsonValue, margin: string): string {
    if (typeof value === 'string') return quote(value);
    if (typeof value === 'number') return numberText(value);
    if (typeof value !== 'object' || value === null) return JSON.stringify(value);
    const isArray = Array.isArray(value);
    const [begin, end] = isArray ? '[]' : '{}';
    const { open, comma, close, empty } = isArray ? ofArray : ofObject;
    const below = open.includes('\n') ? margin + unit : margin;
    const names = isArray ? undefined : Object.keys(value);
    const count = names?.length ?? (value as JsonValue[]).length;
    if (count === 0) return begin + gap(empty, margin) + end;
    const between = gap(comma, below);
    let text = begin + gap(open, below);
    for (let index = 0; index < count; index++) {
      const key = names ? (names[index] as string) : index;
      path.push(key);
      if (index > 0) text += between;
      if (names) text += quote(key as string) + colon;
      text += write((value as Record<string | number, JsonValue>)[key] as JsonValue, below);
      path.pop();
    }
    return text + gap(close, margin) + end;
  }

  function gap(text: string, margin: string): string {
    return text.includes('\n') ? text.replace('\n', `\n${margin}`) : text;
  }

  /** A literal that stands for another number, since somebody has edited the file, does not count. */
  function numberText(value: number): string {
    const literal = numbers?.[pointerOf(path)];
    return literal !== undefined && sameNumber(literal, value) ? literal : JSON.stringify(value);
  }
}

/** Control characters that JSON.stringify writes in short. */
const SHORT: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

function quoting({ ascii, escaped = '', hex }: JsonStyle): (text: string) => string {
  if (!ascii && escaped === '' && hex === undefined) return JSON.stringify;
  const slash = escaped.includes('/');
  const others = [...escaped].filter((char) => char !== '/');
  const codes = others.map((char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
  // What JSON.stringify has escaped is taken as one: it may be among those that are written otherwise.
  const pattern = new RegExp(`\\\\u[0-9a-f]{4}|\\\\.|[/${codes}${ascii ? '\\u0080-\\uffff' : ''}]`, 'g');
  const isUpper = hex === 'upper';
  const written = (char: string) => {
    const code = char.charCodeAt(0).toString(16).padStart(4, '0');
    return `\\u${isUpper ? code.toUpperCase() : code}`;
  };
  const rewrite = (found: string) => {
    if (found === '/') return slash ? '\\/' : found;
    if (found.length === 1) return written(found);
    if (found[1] === 'u') return isUpper ? `\\u${found.slice(2).toUpperCase()}` : found;
    const char = SHORT[found[1] as string] ?? (found[1] as string);
    return others.includes(char) ? written(char) : found;
  };
  // Most have nothing to rewrite, which one look shows.
  const some = new RegExp(`[\\\\${slash ? '/' : ''}${codes}${ascii ? '\\u0080-\\uffff' : ''}]`);
  return (text) => {
    const quoted = JSON.stringify(text);
    if (!some.test(quoted)) return quoted;
    return `"${quoted.slice(1, -1).replace(pattern, rewrite)}"`;
  };
}

/** Looks through a valid text for what stands between its values, each where it comes first, and for what is escaped. */
function readStyle(text: string): Omit<JsonBody, 'json' | 'newline'> {
  let at = 0;
  let margin: string | undefined;
  let colon: string | undefined;
  const object: JsonSpacing = {};
  const array: JsonSpacing = {};
  const escaped = new Set<string>();
  let ascii = false as boolean;
  let isUpper = false as boolean;
  const numbers: Record<string, string> = {};
  /** Names as they are written. */
  const path: (string | number)[] = [];
  readValue();
  // More than the format takes is no indent: the text is then not given back.
  const indent = /^[ \t]{1,10}$/.exec(margin ?? '')?.[0];
  const usual: Required<JsonSpacing> & { colon: string } = indent === undefined ? COMPACT : INDENTED;
  const commas = new Set([object.comma, array.comma].filter((comma) => comma !== undefined));
  const [comma] = commas.size === 1 ? commas : [];
  const unusual = (gaps: JsonSpacing) =>
    Object.fromEntries(
      Object.entries(gaps).filter(
        ([name, gap]) =>
          gap !== usual[name as keyof JsonSpacing] && !(name === 'comma' && comma !== undefined),
      ),
    );
  const [ofObject, ofArray] = [unusual(object), unusual(array)];
  const others = [...escaped].filter((char) => !ascii || char < '\u0080').sort();
  return {
    ...(indent !== undefined && { indent: indent.includes('\t') ? indent : indent.length }),
    style: {
      ...(colon !== undefined && colon !== usual.colon && { colon }),
      ...(comma !== undefined && comma !== usual.comma && { comma }),
      ...(Object.keys(ofObject).length > 0 && { object: ofObject }),
      ...(Object.keys(ofArray).length > 0 && { array: ofArray }),
      ...(ascii && { ascii: true }),
      ...(others.length > 0 && { escaped: others.join('') }),
      ...(isUpper && { hex: 'upper' }),
      ...(Object.keys(numbers).length > 0 && { numbers }),
    },
  };

  function readValue(): void {
    const first = text[at];
    if (first === '{') readContainer('}', object);
    else if (first === '[') readContainer(']', array);
    else if (first === '"') readString();
    else readLiteral();
  }

  function readContainer(end: string, gaps: JsonSpacing): void {
    at++;
    const open = readGap();
    if (text[at] === end) gaps.empty ??= open;
    else {
      if (open.includes('\n')) margin ??= text.slice(text.lastIndexOf('\n', at) + 1, at);
      gaps.open ??= open;
      for (let index = 0; ; index++) {
        path.push(end === '}' ? readName() : index);
        readValue();
        path.pop();
        const close = readGap();
        if (text[at] !== ',') {
          gaps.close ??= close;
          break;
        }
        at++;
        const comma = `${close},${readGap()}`;
        gaps.comma ??= comma;
      }
    }
    at++;
  }

  /** With the colon behind it. */
  function readName(): string {
    const name = readString();
    const before = readGap();
    at++;
    const between = `${before}:${readGap()}`;
    colon ??= between;
    return name;
  }

  /** White space, without the indent behind a line feed. */
  function readGap(): string {
    const start = at;
    at = skipSpace(text, start);
    return at === start ? '' : text.slice(start, at).replace(/\n[ \t]*/g, '\n');
  }

  function readString(): string {
    const start = at;
    at = skipValue(text, start);
    const string = text.slice(start, at);
    if (string.includes('\\')) for (const [written] of string.matchAll(ESCAPE)) readEscape(written);
    return string;
  }

  function readEscape(written: string): void {
    if (written === '\\/') escaped.add('/');
    if (written[1] !== 'u') return;
    if (/[A-F]/.test(written)) isUpper = true;
    const char = JSON.parse(`"${written}"`) as string;
    if (char > '\u007f' && char !== '\u2028' && char !== '\u2029') ascii ||= char.isWellFormed();
    else if (JSON.stringify(char) !== `"${written.toLowerCase()}"`) escaped.add(char);
  }

  function readLiteral(): void {
    const start = at;
    at = skipValue(text, start);
    const literal = text.slice(start, at);
    const value = Number(literal);
    if (Number.isNaN(value) || String(value) === literal || !sameNumber(literal, value)) return;
    const tokens = path.map((one) => (typeof one === 'number' ? one : (JSON.parse(one) as string)));
    numbers[pointerOf(tokens)] = literal;
  }
}

/** Surrogates come in pairs. */
const ESCAPE = /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\./g;
