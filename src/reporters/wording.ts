/** Control and format characters (escape sequences, bidirectional overrides), line separators, halves of pairs. */
export const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;

/** What GitHub's runner takes for a command in any line of a log: `::error::` at its beginning, `##[error]` anywhere in it. */
const COMMAND = /^(\s*):(?=:)|#(?=#\[)/g;

/**
 * What comes from a file must steer neither the terminal nor what reads the log. One character for one, so that the caret stays in
 * its place.
 */
export function visible(text: string): string {
  return sanitize(text).replace(COMMAND, '$1\ufffd');
}

/** The same if commands are escaped, or there are none. */
export function sanitize(text: string): string {
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

/** ` (3 times)`; nothing for once. */
export function countText(count: number, times: string): string {
  return count === 1 ? '' : ` (${grouped(count)} ${times})`;
}

/** `recorded 27 exchanges in recordings/checkout` @param folder the recording's */
export function recordedText(count: number, folder: string): string {
  return `recorded ${amount(count, 'exchange')} in ${folder}`;
}

/** What the program tells people beside its reports, each line of it harmless. Ends with a line feed. */
export function noticeText(text: string): string {
  return `${`patchgate: ${text}`.split('\n').map(visible).join('\n')}\n`;
}
