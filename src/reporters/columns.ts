import { eastAsianWidth } from 'get-east-asian-width';

const ASCII = /^[ -~]*$/;
const COMBINING = /^\p{M}$/u;

/**
 * How many columns a text takes on a terminal: East Asian wide characters and emoji two, combining marks none. Sequences that
 * some terminals draw as one (a letter of Hangul in parts, a face with its skin's colour) count as their parts.
 *
 * @param text as `visible` gives it
 */
export function columnsOf(text: string): number {
  if (ASCII.test(text)) return text.length;
  let columns = 0;
  for (const character of text) {
    if (!COMBINING.test(character)) columns += eastAsianWidth(character.codePointAt(0) as number);
  }
  return columns;
}
