import { isExact } from './exact-number.ts';
import { afterDigits, Char, escapeLength, skipSpace } from './json-lexer.ts';
import { Container } from './json-nesting.ts';

/**
 * One linear pass over the text of a JSON document: its grammar (RFC 8259, to the letter), its size, and what two
 * readers could read differently although it is valid JSON. Not a parser: it builds no values. JSON.parse does that
 * afterwards, on a text that is known to be harmless.
 */

export interface ScanLimits {
  /** Levels of objects and lists. */
  depth: number;
  /** Values of any kind, the containers included. */
  values: number;
}

/** Valid JSON that readers disagree on. */
export interface Hazard {
  kind: 'duplicate-key' | 'unsafe-number' | 'unsafe-key';
  /** Of the member or number: the tokens of its JSON Pointer. */
  path: readonly (string | number)[];
  /** Where it stands in the text, in UTF-16 code units from 0. */
  offset: number;
  /** The member's name, or the number as written (shortened). */
  what: string;
}

export interface Scan {
  /** The first break of the grammar. */
  error?: { message: string; offset: number };
  /** The first limit that is passed; the scan ends there. */
  excess?: { limit: keyof ScanLimits; offset: number };
  hazardCount: number;
}

/** @param onHazard called for each hazard, in the order of the text; there can be as many as values */
export function scanJson(text: string, limits: ScanLimits, onHazard?: (hazard: Hazard) => void): Scan {
  return new Scanner(text, limits, onHazard).run();
}

class Scanner {
  readonly #text: string;
  readonly #limits: ScanLimits;
  readonly #onHazard: ((hazard: Hazard) => void) | undefined;
  readonly #open: Container[] = [];
  readonly #scan: Scan = { hazardCount: 0 };
  #at = 0;

  constructor(text: string, limits: ScanLimits, onHazard: ((hazard: Hazard) => void) | undefined) {
    this.#text = text;
    this.#limits = limits;
    this.#onHazard = onHazard;
  }

  run(): Scan {
    let values = 0;
    for (;;) {
      this.#skipSpace();
      if (++values > this.#limits.values) return this.#exceed('values');
      const char = this.#text.charCodeAt(this.#at);
      if (char === Char.OpenBrace || char === Char.OpenBracket) {
        if (this.#open.length >= this.#limits.depth) return this.#exceed('depth');
        const container = new Container(char);
        this.#open.push(container);
        this.#at++;
        this.#skipSpace();
        // An empty container has ended already: its closer is read below.
        if (this.#text.charCodeAt(this.#at) !== container.closer) {
          if (container.isObject && !this.#readName(container)) return this.#scan;
          continue;
        }
      } else if (!this.#readScalar(char)) return this.#scan;
      if (!this.#leadToNextValue()) return this.#scan;
    }
  }

  /** A value has ended. Closes what closes; true: a further value follows, false: the document or its sense ends. */
  #leadToNextValue(): boolean {
    for (;;) {
      this.#skipSpace();
      const container = this.#open.at(-1);
      const char = this.#text.charCodeAt(this.#at);
      if (!container) return this.#at < this.#text.length ? this.#break('the end of the document') : false;
      if (char === container.closer) {
        this.#open.pop();
        this.#at++;
      } else if (char === Char.Comma) {
        this.#at++;
        if (!container.isObject) {
          container.index++;
          return true;
        }
        this.#skipSpace();
        return this.#readName(container);
      } else return this.#break(container.isObject ? '"," or "}"' : '"," or "]"');
    }
  }

  #skipSpace(): void {
    this.#at = skipSpace(this.#text, this.#at);
  }

  #readScalar(char: number): boolean {
    if (char === Char.Quote) return this.#readString() >= 0;
    if (char === Char.Minus || (char >= Char.Zero && char <= Char.Nine)) return this.#readNumber();
    for (const word of ['true', 'false', 'null']) {
      if (this.#text.startsWith(word, this.#at)) {
        this.#at += word.length;
        return true;
      }
    }
    return this.#break('a value');
  }

  /** Reads a member's name and the colon; what it finds out about the name is a hazard. */
  #readName(object: Container): boolean {
    const start = this.#at;
    if (this.#text.charCodeAt(start) !== Char.Quote) return this.#break('a member name in double quotes');
    const escapes = this.#readString();
    if (escapes < 0) return false;
    const name = escapes
      ? (JSON.parse(this.#text.slice(start, this.#at)) as string)
      : this.#text.slice(start + 1, this.#at - 1);
    if (object.enterMember(name, start)) this.#hazard('duplicate-key', start, name);
    if (name === '__proto__') this.#hazard('unsafe-key', start, name);
    else if (name === 'prototype') this.#checkConstructor();
    this.#skipSpace();
    if (this.#text.charCodeAt(this.#at) !== Char.Colon) return this.#break('":"');
    this.#at++;
    return true;
  }

  /** `constructor` holding `prototype`: the finding is the former's. */
  #checkConstructor(): void {
    const holder = this.#open.at(-2);
    if (holder?.isObject && holder.name === 'constructor')
      this.#hazard('unsafe-key', holder.nameOffset, 'constructor', this.#open.length - 1);
  }

  /** Reads a string from its opening quote. How many escapes it holds, or -1 where it is broken. */
  #readString(): number {
    const text = this.#text;
    let at = this.#at + 1;
    let escapes = 0;
    for (;;) {
      const char = text.charCodeAt(at);
      if (char === Char.Quote) break;
      if (char === Char.Backslash) {
        escapes++;
        const length = escapeLength(text, at);
        if (length === 0) return this.#breakString(at, 'an escape that JSON knows (\\n, \\u00e9, …)');
        at += length;
      } else if (char >= Char.Space) at++;
      else if (at >= text.length) return this.#breakString(at, 'the closing quote of a string');
      else return this.#breakString(at, 'a string without raw control characters');
    }
    this.#at = at + 1;
    return escapes;
  }

  #readNumber(): boolean {
    const text = this.#text;
    const start = this.#at;
    let at = start;
    if (text.charCodeAt(at) === Char.Minus) at++;
    const whole = at;
    if (text.charCodeAt(at) === Char.Zero) at++;
    else at = afterDigits(text, at);
    const digits = at - whole;
    if (digits === 0) return this.#breakNumber(at);
    if (text.charCodeAt(at) === Char.Dot) {
      const fraction = at + 1;
      at = afterDigits(text, fraction);
      if (at === fraction) return this.#breakNumber(at);
    }
    let isPlain = true;
    if ((text.charCodeAt(at) | 32) === 101) {
      isPlain = false;
      at++;
      const sign = text.charCodeAt(at);
      if (sign === Char.Plus || sign === Char.Minus) at++;
      const exponent = at;
      at = afterDigits(text, exponent);
      if (at === exponent) return this.#breakNumber(at);
    }
    this.#at = at;
    // Every integer of 15 digits fits a double.
    if (digits > 15 || !isPlain) {
      const number = text.slice(start, at);
      if (!isExact(number))
        this.#hazard('unsafe-number', start, number.length > 40 ? `${number.slice(0, 40)}…` : number);
    }
    return true;
  }

  #hazard(kind: Hazard['kind'], offset: number, what: string, depth = this.#open.length): void {
    this.#scan.hazardCount++;
    this.#onHazard?.({
      kind,
      path: this.#open.slice(0, depth).map((container) => container.token),
      offset,
      what,
    });
  }

  #exceed(limit: keyof ScanLimits): Scan {
    this.#scan.excess = { limit, offset: this.#at };
    return this.#scan;
  }

  #break(expected: string): false {
    const found = this.#text.codePointAt(this.#at);
    const message =
      found === undefined
        ? `the document ends where ${expected} should be`
        : `expected ${expected}, found ${JSON.stringify(String.fromCodePoint(found))}`;
    this.#scan.error = { message, offset: this.#at };
    return false;
  }

  #breakString(at: number, expected: string): -1 {
    this.#at = at;
    this.#break(expected);
    return -1;
  }

  #breakNumber(at: number): false {
    this.#at = at;
    return this.#break('a digit');
  }
}
