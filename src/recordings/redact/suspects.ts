import { IN_OTHER_LETTERS, nextRoot } from './names.ts';
import type { Redaction } from './redaction.ts';
import { isOpaque, PASSWORD_IN_URL, SHORTEST_TOKEN, tokenAt } from './shapes.ts';

/** A quick look at a text: most hold nothing that could be a secret, and this costs a tenth of taking them apart. */

const LONGEST_NAME = 100;

/** A mark of a secret that is more than a word, or a name that may be coded. */
const MARK = /^(?:basic|curl|sshpass|mysql)$|-{4}(?:BEGIN)?$|hook|%|^\$(?:2[abxy]|argon2)/i;

function tableOf(pattern: RegExp, beyondAscii: number): Uint8Array {
  const table = new Uint8Array(1 << 16).fill(beyondAscii, 192);
  for (let code = 0; code < 128; code++) table[code] = Number(pattern.test(String.fromCharCode(code)));
  return table;
}

/** By UTF-16 code unit: whether a name may have it in JSON, and in any text. */
const IS_OF_NAME = tableOf(/[\w$%.[\]~-]/, 1);
const IS_OF_WORD = tableOf(/[\w.~-]/, 0);

/** False: there is nothing to hide in a text. */
export function mayHoldAny(text: string, redaction: Redaction): boolean {
  const { members, pointers, texts } = redaction;
  if (pointers !== undefined || members.added.size > 0) return true;
  if (texts.some((secret) => text.includes(secret))) return true;
  // Names may be coded.
  if (text.includes('%') || text.includes('\\u')) return true;
  let hasKey = false;
  for (let at = nextRoot(text, 0); at <= text.length; at = nextRoot(text, at)) {
    const from = startOfName(text, at, 0);
    while (at < text.length && IS_OF_NAME[text.charCodeAt(at)] === 1) at++;
    if (at - from > LONGEST_NAME) return true;
    const name = text.slice(text[from - 1] === '\\' ? from + 1 : from, at);
    const kind = members.kindOf(name);
    if (kind === 'secret' || (kind === 'plain' && MARK.test(name))) return true;
    if (kind === 'plain') continue;
    if (!/key$/i.test(name) || (text[from - 1] === ' ' && members.has(twoWords(text, from, at, 0))))
      return true;
    // Entries of many kinds have a key.
    hasKey = true;
  }
  if (text.includes('@') && PASSWORD_IN_URL.test(text)) return true;
  if (/[^\0-\x7f]/.test(text) && IN_OTHER_LETTERS.test(text.normalize('NFC'))) return true;
  return (
    someLongWord(text, (from) => tokenAt(text, from) !== undefined) ||
    (hasKey && someLongWord(text, (from, to) => isOpaque(text.slice(from, to), SHORTEST_TOKEN)))
  );
}

/** The offset of the first character of the name that ends here, or of its last ones. @param floor no name begins before */
export function startOfName(text: string, to: number, floor: number): number {
  const least = Math.max(floor, to - LONGEST_NAME - 1);
  let from = to;
  while (from > least && IS_OF_NAME[text.charCodeAt(from - 1)] === 1) from--;
  return from;
}

/** A name with the word before it and the blank between: `api key`. */
export function twoWords(text: string, from: number, to: number, floor: number): string {
  return text.slice(startOfName(text, from - 1, floor), to);
}

/** Looks at the words that are long enough, until one is taken: each covers one character of 16. */
function someLongWord(text: string, take: (from: number, to: number) => boolean): boolean {
  let end = 0;
  for (let at = SHORTEST_TOKEN - 1; at < text.length; at += SHORTEST_TOKEN) {
    if (at < end || IS_OF_WORD[text.charCodeAt(at)] === 0) continue;
    let start = at;
    while (start > end && IS_OF_WORD[text.charCodeAt(start - 1)] === 1) start--;
    end = at + 1;
    while (end < text.length && IS_OF_WORD[text.charCodeAt(end)] === 1) end++;
    if (end - start >= SHORTEST_TOKEN && take(start, end)) return true;
  }
  return false;
}
