import { UNPRINTABLE } from '../reporters/wording.ts';

const PLAIN = /^[\x20-\x7e]*$/;

/** Escapes all that a terminal could obey, or that would hide another character. A JSON text stays the same JSON. */
export function printable(text: string): string {
  return PLAIN.test(text) ? text : text.replace(UNPRINTABLE, escaped);
}

/** Each code unit as `\uXXXX`. */
export function escaped(text: string): string {
  return text.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
