import { isExact } from './exact-number.ts';
import { Char, isAt, numberEnd, skipSpace, stringEnd } from './json-lexer.ts';

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
  /** The objects and lists that it stands in, from the outermost: their tokens are its JSON Pointer. To be read at once,
   *  since the scan goes on with them. */
  open: readonly Container[];
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

/** For a text that was not sent by a client. */
export const UNLIMITED: ScanLimits = {
  depth: Number.POSITIVE_INFINITY,
  values: Number.POSITIVE_INFINITY,
};

/** Up to here a list of names is searched one by one; past it a Set pays. */
const FEW_NAMES = 12;

/** An object or list that is open while a JSON text is read from its start to its end. */
export class Container {
  /** The character that ends it. */
  readonly closer: number;
  readonly isObject: boolean;
  /** Of an object: the current member's name, and the offset where it stands. */
  name = '';
  nameOffset = 0;
  /** Of a list: the current item's index. */
  index = 0;
  #names: string[] | undefined;
  #manyNames: Set<string> | undefined;

  /** @param opener `{` or `[` */
  constructor(opener: number) {
    this.isObject = opener === Char.OpenBrace;
    this.closer = this.isObject ? Char.CloseBrace : Char.CloseBracket;
  }

  /** Goes on to the next member. Whether a member of that name was there before. */
  enterMember(name: string, offset: number): boolean {
    this.name = name;
    this.nameOffset = offset;
    if (this.#manyNames) {
      const size = this.#manyNames.size;
      return this.#manyNames.add(name).size === size;
    }
    this.#names ??= [];
    if (this.#names.includes(name)) return true;
    if (this.#names.push(name) > FEW_NAMES) this.#manyNames = new Set(this.#names);
    return false;
  }

  /** The current member's name or item's index: a token of a JSON Pointer. */
  get token(): string | number {
    return this.isObject ? this.name : this.index;
  }
}

/** Told of each hazard, in the order of the text; there can be as many as values. */
type OnHazard = (hazard: Hazard) => void;

export function scanJson(text: string, limits: ScanLimits, onHazard?: OnHazard): Scan {
  return new Scanner(text, limits, onHazard).run();
}

/** What a method gives instead of an offset where the text is broken or has ended: `#scan` says which. */
const NOWHERE = -1;

class Scanner {
  readonly #text: string;
  readonly #limits: ScanLimits;
  readonly #onHazard: OnHazard | undefined;
  readonly #hasEscapes: boolean;
  readonly #open: Container[] = [];
  readonly #scan: Scan = { hazardCount: 0 };

  constructor(text: string, limits: ScanLimits, onHazard: OnHazard | undefined) {
    this.#text = text;
    this.#hasEscapes = text.includes('\\');
    this.#limits = limits;
    this.#onHazard = onHazard;
  }

  run(): Scan {
    const text = this.#text;
    const open = this.#open;
    let values = 0;
    // Each turn starts where a value is expected.
    for (let at = 0; at !== NOWHERE; ) {
      at = skipSpace(text, at);
      if (++values > this.#limits.values) return this.#exceed('values', at);
      const char = text.charCodeAt(at);
      if (char === Char.OpenBrace || char === Char.OpenBracket) {
        if (open.length >= this.#limits.depth) return this.#exceed('depth', at);
        const container = new Container(char);
        open.push(container);
        at = skipSpace(text, at + 1);
        // An empty container has ended already: its closer is read below.
        if (text.charCodeAt(at) !== container.closer) {
          if (container.isObject) at = this.#readName(container, at);
          continue;
        }
      } else at = this.#readScalar(char, at);
      if (at !== NOWHERE) at = this.#leadToNextValue(at);
    }
    return this.#scan;
  }

  /** A value has ended. Closes what closes, and goes to where the next one is expected. */
  #leadToNextValue(from: number): number {
    const text = this.#text;
    const open = this.#open;
    for (let at = from; ; ) {
      at = skipSpace(text, at);
      const container = open[open.length - 1];
      if (!container) return at < text.length ? this.#break(at, 'the end of the document') : NOWHERE;
      const char = text.charCodeAt(at);
      if (char === container.closer) {
        open.pop();
        at++;
      } else if (char === Char.Comma) {
        if (container.isObject) return this.#readName(container, skipSpace(text, at + 1));
        container.index++;
        return at + 1;
      } else return this.#break(at, container.isObject ? '"," or "}"' : '"," or "]"');
    }
  }

  #readScalar(char: number, at: number): number {
    if (char === Char.Quote) return this.#readString(at);
    if (char === Char.Minus || (char >= Char.Zero && char <= Char.Nine)) return this.#readNumber(at);
    const word = char === Char.t ? 'true' : char === Char.f ? 'false' : 'null';
    return isAt(this.#text, at, word) ? at + word.length : this.#break(at, 'a value');
  }

  /** Reads a member's name and the colon; what it finds out about the name is a hazard. */
  #readName(object: Container, start: number): number {
    const text = this.#text;
    if (text.charCodeAt(start) !== Char.Quote) return this.#break(start, 'a member name in double quotes');
    const end = this.#readString(start);
    if (end === NOWHERE) return NOWHERE;
    let name = text.slice(start + 1, end - 1);
    if (this.#hasEscapes && name.includes('\\')) name = JSON.parse(text.slice(start, end)) as string;
    if (object.enterMember(name, start)) this.#hazard('duplicate-key', start, name);
    if (name === '__proto__') this.#hazard('unsafe-key', start, name);
    else if (name === 'prototype') this.#checkConstructor();
    const colon = skipSpace(text, end);
    return text.charCodeAt(colon) === Char.Colon ? colon + 1 : this.#break(colon, '":"');
  }

  /** `constructor` holding `prototype`: the finding is the former's. */
  #checkConstructor(): void {
    const holder = this.#open.at(-2);
    if (holder?.isObject && holder.name === 'constructor')
      this.#hazard('unsafe-key', holder.nameOffset, 'constructor', this.#open.slice(0, -1));
  }

  #readString(start: number): number {
    const end = stringEnd(this.#text, start);
    if (end >= 0) return end;
    const at = ~end;
    const char = this.#text.charCodeAt(at);
    if (char === Char.Backslash) return this.#break(at, 'an escape that JSON knows (\\n, \\u00e9, …)');
    if (at >= this.#text.length) return this.#break(at, 'the closing quote of a string');
    return this.#break(at, 'a string without raw control characters');
  }

  #readNumber(start: number): number {
    const end = numberEnd(this.#text, start);
    if (end < 0) return this.#break(~end, 'a digit');
    // Every number of so few characters is held exactly, but for one with an exponent.
    const number = end - start > 3 ? this.#text.slice(start, end) : '';
    if ((number.length > 15 || /e/i.test(number)) && !isExact(number))
      this.#hazard('unsafe-number', start, number.length > 40 ? `${number.slice(0, 40)}…` : number);
    return end;
  }

  #hazard(kind: Hazard['kind'], offset: number, what: string, open = this.#open): void {
    this.#scan.hazardCount++;
    this.#onHazard?.({ kind, open, offset, what });
  }

  #exceed(limit: keyof ScanLimits, offset: number): Scan {
    this.#scan.excess = { limit, offset };
    return this.#scan;
  }

  #break(offset: number, expected: string): typeof NOWHERE {
    const found = this.#text.codePointAt(offset);
    const message =
      found === undefined
        ? `the document ends where ${expected} should be`
        : `expected ${expected}, found ${JSON.stringify(String.fromCodePoint(found))}`;
    this.#scan.error = { message, offset };
    return NOWHERE;
  }
}
