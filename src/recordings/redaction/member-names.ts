import { Char } from '../../json/json-lexer.ts';

/** A member's name in a text. */
export interface MemberName {
  /** Between the quotes, escapes as they are written. */
  name: string;
  /** Offset of its value, behind the colon. */
  value: number;
}

/** Characters that a name has at most, an escape being one. */
const LONGEST = 200;

/**
 * What reads as a member's name from an offset on, in whatever holds JSON, broken or cut: a quote, 1 to 200 characters,
 * the next quote that is not escaped, and a colon. Where a quote is missing or one too many, a name may begin at an
 * escaped one. Looked for backwards from each colon, so that no text costs more than some passes.
 */
export function nextMemberName(text: string, from: number): MemberName | undefined {
  for (let colon = text.indexOf(':', from); colon >= 0; colon = text.indexOf(':', colon + 1)) {
    let quote = colon - 1;
    while (quote > from && isWhite(text, quote)) quote--;
    if (quote <= from || text.charCodeAt(quote) !== Char.Quote || isEscaped(text, quote, from)) continue;
    const start = openingQuote(text, quote, from);
    if (start < 0) continue;
    let value = colon + 1;
    while (isWhite(text, value)) value++;
    return { name: text.slice(start + 1, quote), value };
  }
  return undefined;
}

/** Where the name before a quote begins: at the quote before it that is not escaped, else as early as it may; or -1. */
function openingQuote(text: string, end: number, from: number): number {
  let earliest = -1;
  let at = end - 1;
  for (let length = 0; at >= from && length <= LONGEST; length++) {
    const char = text.charCodeAt(at);
    if (char === Char.Backslash) {
      // Nothing is escaped by it: it is the second one of a pair.
      const run = backslashesBefore(text, at + 1, from);
      length += run / 2 - 1;
      at -= run;
      continue;
    }
    const escaped = isEscaped(text, at, from);
    if (char === Char.Quote) {
      if (length > 0) earliest = at;
      if (!escaped) return earliest;
    }
    if (escaped && isLineEnd(char)) return earliest;
    at -= escaped ? 2 : 1;
  }
  return earliest;
}

function isEscaped(text: string, at: number, from: number): boolean {
  return text.charCodeAt(at - 1) === Char.Backslash && backslashesBefore(text, at, from) % 2 === 1;
}

function backslashesBefore(text: string, end: number, from: number): number {
  let at = end;
  while (at > from && text.charCodeAt(at - 1) === Char.Backslash) at--;
  return end - at;
}

/** More than JSON's white space: readers of other texts are generous. */
function isWhite(text: string, at: number): boolean {
  const char = text.charCodeAt(at);
  if (char <= Char.Space) return char === Char.Space || (char >= Char.Tab && char <= Char.Return);
  return char > 127 && /\s/.test(text[at] as string);
}

function isLineEnd(char: number): boolean {
  return char === Char.LineFeed || char === Char.Return || char === 0x2028 || char === 0x2029;
}
