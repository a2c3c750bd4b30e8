import { IN_OTHER_LETTERS, ROOTS } from './names.ts';
import type { Redaction } from './redaction.ts';
import { isOpaque, PASSWORD_IN_URL, SHORTEST_TOKEN, tokenAt } from './shapes.ts';

/** A quick look at the bytes of a text: most hold nothing that could be a secret, and this costs a tenth of taking them apart. */

export const LONGEST_NAME = 100;
const LONGEST_WORD = 4096;

/** A mark of a secret that is more than a word, or a name that may be coded. */
const MARK = /^basic$|-----BEGIN$|(?:slack|discord(?:app)?|office)\.com$|%/i;

function tableOf(pattern: RegExp): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, code) =>
    code > 127 ? 0 : Number(pattern.test(String.fromCharCode(code))),
  );
}

const IS_OF_NAME = tableOf(/[\w$%.[\]~-]/);
const IS_OF_WORD = tableOf(/[\w.~-]/);

/** By the last five bits of three characters in a row, in which letter case makes no difference. */
const IS_ROOT = new Uint8Array(1 << 15);
for (const root of ROOTS) {
  const [a = 0, b = 0, c] = [...root].map((char) => char.charCodeAt(0) & 31);
  for (let last = 0; last < 32; last++) if (last === (c ?? last)) IS_ROOT[(a << 10) | (b << 5) | last] = 1;
}

/** False: there is nothing to hide in a text. @param bytes in UTF-8, or any other code that has ASCII within it */
export function mayHoldAny(bytes: Buffer, redaction: Redaction): boolean {
  const { members, pointers, texts } = redaction;
  if (pointers !== undefined || members.added.size > 0) return true;
  if (texts.some((secret) => bytes.includes(secret))) return true;
  let [hasKey, before, all] = [false, 0, 0];
  for (let at = 0; at < bytes.length; at++) {
    const char = bytes[at] as number;
    all |= char;
    // Names may be coded.
    if (char === 37 || (char === 92 && bytes[at + 1] === 117)) return true;
    before = ((before << 5) | (char & 31)) & 0x7fff;
    if (IS_ROOT[before] === 0) continue;
    let from = at - 1;
    let to = at;
    while (from > 0 && IS_OF_NAME[bytes[from - 1] as number] === 1) from--;
    while (to < bytes.length && IS_OF_NAME[bytes[to] as number] === 1) to++;
    if (to - from > LONGEST_NAME) return true;
    const name = bytes.toString('latin1', bytes[from - 1] === 92 ? from + 1 : from, to);
    at = to - 1;
    before = 0;
    const { kind } = members.meaning(name);
    if (kind === 'secret' || MARK.test(name) || (kind === 'open' && !/key$/i.test(name))) return true;
    // Entries of many kinds have a key.
    hasKey ||= kind === 'open';
  }
  if (bytes.includes('@') && PASSWORD_IN_URL.test(bytes.toString('latin1'))) return true;
  if (all > 127 && IN_OTHER_LETTERS.test(bytes.toString().normalize('NFC'))) return true;
  return someLongWord(
    bytes,
    (text, from) =>
      tokenAt(text, from) !== undefined || (hasKey && isOpaque(text.slice(from), SHORTEST_TOKEN)),
  );
}

/** Looks at the words that are long enough, until one is taken: each covers one byte of 16. @param take gets the word and what stands before it */
function someLongWord(bytes: Buffer, take: (text: string, from: number) => boolean): boolean {
  let end = 0;
  for (let at = SHORTEST_TOKEN - 1; at < bytes.length; at += SHORTEST_TOKEN) {
    if (at < end || IS_OF_WORD[bytes[at] as number] === 0) continue;
    let start = at;
    while (start > end && IS_OF_WORD[bytes[start - 1] as number] === 1) start--;
    end = at + 1;
    while (end < bytes.length && IS_OF_WORD[bytes[end] as number] === 1) end++;
    if (end - start < SHORTEST_TOKEN) continue;
    const before = start === 0 ? 0 : 1;
    if (take(bytes.toString('latin1', start - before, Math.min(end, start + LONGEST_WORD)), before))
      return true;
  }
  return false;
}
