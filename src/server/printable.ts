import { UNPRINTABLE } from '../reporters/wording.ts';

const PLAIN = /^[\x20-\x7e]*$/;

/**
 * The text with every character that a terminal could obey, or that would hide another one, as `\uXXXX`. What came
 * from a client can then be written to a log; a JSON text stays the same JSON.
 */
export function printable(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replace(UNPRINTABLE, (character) => {
    let escaped = '';
    for (let i = 0; i < character.length; i++)
      escaped += `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`;
    return escaped;
  });
}
