/** How a JSON text is written, beside the value that it is: so that a recording can hold the value and give the text back. */

import { childOf, type JsonObject, type JsonValue } from '../json/json.ts';
import { skipSpace } from '../json/json-lexer.ts';
import { skipValue } from '../json/json-text.ts';
import { pointerOf, tokensOf } from '../json/pointer.ts';
import type { JsonBody, JsonGaps, JsonStyle } from '../model/exchange.ts';

/** What JSON.stringify would write in these places. A line feed stands for one with the indent of its level. */
const COMPACT = { colon: ':', open: '', comma: ',', close: '', empty: '' };
const INDENTED = { colon: ': ', open: '\n', comma: ',\n', close: '\n', empty: '' };

/** The text of a JSON body. */
export function jsonText({ json, indent, newline, style }: JsonBody): string {
  const text = style ? new Writer(indent, style).write(json, '') : JSON.stringify(json, null, indent);
  const whole = newline ? `${text}\n` : text;
  return style?.crlf ? whole.replaceAll('\n', '\r\n') : whole;
}

/** How a valid JSON text seems to be written: it is, where `jsonText` gives it back. */
export function writingOf(text: string): Omit<JsonBody, 'json'> {
  const crlf = text.includes('\r\n');
  const lines = crlf ? text.replaceAll('\r\n', '\n') : text;
  const { indent, style } = new Reader(lines).read();
  return {
    ...(indent !== undefined && { indent }),
    ...(lines.endsWith('\n') && { newline: true }),
    style: crlf ? { ...style, crlf } : style,
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

interface Gaps {
  open: string;
  comma: string;
  close: string;
  empty: string;
}

class Writer {
  readonly #unit: string;
  readonly #colon: string;
  readonly #object: Gaps;
  readonly #array: Gaps;
  readonly #numbers: Readonly<Record<string, string>> | undefined;
  readonly #quote: (text: string) => string;
  /** Of the value that is written, where numbers are looked up. */
  readonly #path: (string | number)[] = [];

  constructor(indent: number | string | undefined, style: JsonStyle) {
    const usual = indent === undefined ? COMPACT : INDENTED;
    this.#unit = typeof indent === 'number' ? ' '.repeat(indent) : (indent ?? '');
    this.#colon = style.colon ?? usual.colon;
    const gaps = (own: JsonGaps | undefined) => ({
      ...usual,
      ...(style.comma !== undefined && { comma: style.comma }),
      ...own,
    });
    this.#object = gaps(style.object);
    this.#array = gaps(style.array);
    this.#numbers = style.numbers;
    this.#quote = quoting(style);
  }

  /** @param indent of the line that it begins in */
  write(value: JsonValue, indent: string): string {
    if (typeof value === 'string') return this.#quote(value);
    if (typeof value === 'number') return this.#number(value);
    if (typeof value !== 'object' || value === null) return JSON.stringify(value);
    const isArray = Array.isArray(value);
    const [begin, end] = isArray ? '[]' : '{}';
    const { open, comma, close, empty } = isArray ? this.#array : this.#object;
    const below = open.includes('\n') ? indent + this.#unit : indent;
    let text = begin + open.replace('\n', `\n${below}`);
    const between = comma.replace('\n', `\n${below}`);
    let count = 0;
    if (isArray) {
      for (const item of value) {
        this.#path.push(count);
        text += (count++ > 0 ? between : '') + this.write(item, below);
        this.#path.pop();
      }
    } else {
      for (const name of Object.keys(value)) {
        this.#path.push(name);
        const item = this.write((value as JsonObject)[name] as JsonValue, below);
        this.#path.pop();
        text += `${count++ > 0 ? between : ''}${this.#quote(name)}${this.#colon}${item}`;
      }
    }
    if (count === 0) return begin + empty.replace('\n', `\n${indent}`) + end;
    return text + close.replace('\n', `\n${indent}`) + end;
  }

  /** A literal that stands for another number, since somebody has edited the file, does not count. */
  #number(value: number): string {
    const literal = this.#numbers?.[pointerOf(this.#path)];
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
class Reader {
  readonly #text: string;
  #at = 0;
  readonly #path: (string | number)[] = [];
  #indent: string | undefined;
  #colon: string | undefined;
  readonly #object: JsonGaps = {};
  readonly #array: JsonGaps = {};
  readonly #escaped = new Set<string>();
  #ascii = false;
  #isUpper = false;
  readonly #numbers: Record<string, string> = {};

  constructor(text: string) {
    this.#text = text;
  }

  read(): { indent: number | string | undefined; style: JsonStyle } {
    this.#value();
    // More than the format takes is no indent: the text is then not given back.
    const indent = /^[ \t]{1,10}$/.exec(this.#indent ?? '')?.[0];
    const usual = indent === undefined ? COMPACT : INDENTED;
    const commas = [this.#object, this.#array].flatMap(({ comma }) => comma ?? []);
    const isOne = new Set(commas).size === 1;
    const [colon, comma] = [this.#colon ?? usual.colon, (isOne && commas[0]) || usual.comma];
    const own = (gaps: JsonGaps) =>
      Object.fromEntries(
        Object.entries(gaps).filter(
          ([name, gap]) => gap !== usual[name as keyof Gaps] && !(isOne && name === 'comma'),
        ),
      );
    const [object, array] = [own(this.#object), own(this.#array)];
    const escaped = [...this.#escaped].filter((char) => !this.#ascii || char < '\u0080').sort();
    return {
      indent: indent !== undefined && !indent.includes('\t') ? indent.length : indent,
      style: {
        ...(colon !== usual.colon && { colon }),
        ...(comma !== usual.comma && { comma }),
        ...(Object.keys(object).length > 0 && { object }),
        ...(Object.keys(array).length > 0 && { array }),
        ...(this.#ascii && { ascii: true }),
        ...(escaped.length > 0 && { escaped: escaped.join('') }),
        ...(this.#isUpper && { hex: 'upper' }),
        ...(Object.keys(this.#numbers).length > 0 && { numbers: this.#numbers }),
      },
    };
  }

  #value(): void {
    const first = this.#text[this.#at];
    if (first === '"') this.#string();
    else if (first === '{') this.#container('}', this.#object);
    else if (first === '[') this.#container(']', this.#array);
    else this.#literal();
  }

  #container(end: string, gaps: JsonGaps): void {
    this.#at++;
    const open = this.#gap();
    if (this.#text[this.#at] === end) gaps.empty ??= open;
    else {
      if (open.includes('\n'))
        this.#indent ??= this.#text.slice(this.#text.lastIndexOf('\n', this.#at) + 1, this.#at);
      gaps.open ??= open;
      let close = '';
      for (let index = 0; ; index++) {
        if (end === '}') this.#name();
        else this.#path.push(index);
        this.#value();
        this.#path.pop();
        close = this.#gap();
        if (this.#text[this.#at] !== ',') break;
        this.#at++;
        const comma = `${close},${this.#gap()}`;
        gaps.comma ??= comma;
      }
      gaps.close ??= close;
    }
    this.#at++;
  }

  /** With the colon behind it. */
  #name(): void {
    const start = this.#at;
    this.#string();
    this.#path.push(this.#text.slice(start, this.#at));
    const before = this.#gap();
    this.#at++;
    const colon = `${before}:${this.#gap()}`;
    this.#colon ??= colon;
  }

  /** White space, without the indent behind a line feed. */
  #gap(): string {
    const start = this.#at;
    this.#at = skipSpace(this.#text, start);
    return this.#at === start ? '' : this.#text.slice(start, this.#at).replace(/\n[ \t]*/g, '\n');
  }

  #string(): void {
    const start = this.#at;
    this.#at = skipValue(this.#text, start);
    const text = this.#text.slice(start, this.#at);
    if (text.includes('\\')) for (const [written] of text.matchAll(ESCAPE)) this.#escape(written);
  }

  #escape(written: string): void {
    if (written === '\\/') this.#escaped.add('/');
    if (written[1] !== 'u') return;
    if (/[A-F]/.test(written)) this.#isUpper = true;
    const char = JSON.parse(`"${written}"`) as string;
    if (char > '\u007f' && char !== '\u2028' && char !== '\u2029') this.#ascii ||= char.isWellFormed();
    else if (JSON.stringify(char) !== `"${written.toLowerCase()}"`) this.#escaped.add(char);
  }

  #literal(): void {
    const start = this.#at;
    this.#at = skipValue(this.#text, start);
    const literal = this.#text.slice(start, this.#at);
    const value = Number(literal);
    if (Number.isNaN(value) || String(value) === literal || !sameNumber(literal, value)) return;
    const tokens = this.#path.map((one) => (typeof one === 'number' ? one : (JSON.parse(one) as string)));
    this.#numbers[pointerOf(tokens)] = literal;
  }
}

/** Surrogates come in pairs. */
const ESCAPE = /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\./g;
