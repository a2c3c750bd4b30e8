import { Char } from '../../../json/json-lexer.ts';

/**
 * Finds where a JSON value ends in bytes that come piece by piece: by its brackets and quotes alone, since JSON.parse reads it
 * afterwards.
 */
export class ValueEnd {
  /** Objects and lists that are open. */
  #depth = 0;
  #isInString = false;
  /** The next character is that of an escape. */
  #isEscaped = false;
  /** It is a number or a word, which ends where something else begins. */
  readonly #isPlain: boolean;

  /** @param first the value's first character */
  constructor(first: number) {
    this.#isPlain = first !== Char.Quote && first !== Char.OpenBrace && first !== Char.OpenBracket;
  }

  get depth(): number {
    return this.#depth;
  }

  /** @returns the offset behind it; -1 where it goes on in the next piece */
  find(bytes: Buffer, from: number): number {
    if (this.#isPlain) return plainEnd(bytes, from);
    let at = from;
    while (at < bytes.length) {
      if (this.#isInString) {
        at = this.#findQuote(bytes, at);
        if (this.#isInString) return -1;
      } else {
        const char = bytes[at++];
        if (char === Char.Quote) {
          this.#isInString = true;
          continue;
        }
        if (char === Char.OpenBrace || char === Char.OpenBracket) this.#depth++;
        else if (char === Char.CloseBrace || char === Char.CloseBracket) this.#depth--;
        else continue;
      }
      if (this.#depth === 0) return at;
    }
    return -1;
  }

  /** @returns the offset behind the quote that ends a string, or the end of the piece */
  #findQuote(bytes: Buffer, from: number): number {
    let at = this.#isEscaped ? from + 1 : from;
    this.#isEscaped = false;
    const { length } = bytes;
    while (at < length) {
      const char = bytes[at];
      if (char === Char.Quote) {
        this.#isInString = false;
        return at + 1;
      }
      at += char === Char.Backslash ? 2 : 1;
    }
    this.#isEscaped = at > length;
    return length;
  }
}

/** Levels of objects and lists. */
const MOST_LEVELS = 10_000;
const PIECE = 256 * 1024;

/** Whether a text begins with more levels than anybody means: to read tens of millions of them takes gigabytes. */
export function isTooDeep(bytes: Buffer): boolean {
  const end = new ValueEnd(Char.OpenBrace);
  for (let at = 0; at < bytes.length && bytes.length > PIECE; at += PIECE) {
    if (end.find(bytes.subarray(at, at + PIECE), 0) >= 0) return false;
    if (end.depth > MOST_LEVELS) return true;
  }
  return false;
}

function plainEnd(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at++) {
    const char = bytes[at] as number;
    if (char <= Char.Space || char === Char.Comma || char === Char.CloseBrace || char === Char.CloseBracket)
      return at;
  }
  return -1;
}
