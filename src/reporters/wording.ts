/** Control and format characters (escape sequences, bidirectional overrides), line separators, halves of pairs. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;

/** What comes from a file must not steer the terminal. One character for one, so that the caret stays in its place. */
export function visible(text: string): string {
  return text.replaceAll('\t', ' ').replace(UNPRINTABLE, '\ufffd');
}

/** `1 error`, `2 errors`, `1,234 errors` */
export function amount(number: number, noun: string): string {
  return `${grouped(number)} ${noun}${number === 1 ? '' : 's'}`;
}

/** `1,234` */
export function grouped(number: number): string {
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ',');
}
