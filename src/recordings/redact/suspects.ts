/** A quick look at a text: most hold nothing that could be a secret. */

import { IN_OTHER_LETTERS, ROOTS, type SecretNames } from './names.ts';
import type { Redaction } from './redaction.ts';
import { holdsOpaque, mayHoldSecret } from './shapes.ts';

export const LONGEST_NAME = 100;

/** By their codes: letters, digits and `$ % - . [ ] _ ~`. */
const IS_OF_NAME = Uint8Array.from({ length: 128 }, (_, code) =>
  /[\w$%.[\]~-]/.test(String.fromCharCode(code)) ? 1 : 0,
);

export function isOfName(char: number): boolean {
  return char < 128 ? IS_OF_NAME[char] === 1 : char > 191;
}

/** False: there is nothing to hide in a text. */
export function mayHoldAny(text: string, { detects, members, pointers, patterns, texts }: Redaction): boolean {
  if (pointers !== undefined || patterns.length > 0 || members.hasAdded) return true;
  if (texts.some((secret) => text.includes(secret))) return true;
  return mayHoldName(text, members) || (detects && mayHoldSecret(text));
}

/** By the last five bits of three characters in a row, in which letter case makes no difference. */
const IS_ROOT = new Uint8Array(1 << 15);
for (const root of ROOTS.split(' ')) {
  const [a = 0, b = 0, c] = [...root].map((char) => char.charCodeAt(0) & 31);
  for (let last = 0; last < 32; last++) if (last === (c ?? last)) IS_ROOT[(a << 10) | (b << 5) | last] = 1;
}

const MOST_HITS = 4096;

/** Whether any word may be the name of a secret. */
function mayHoldName(text: string, names: SecretNames): boolean {
  let hits = 0;
  let hasKey = false;
  let isAscii = true;
  let before = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    before = ((before << 5) | (char & 31)) & 0x7fff;
    if (char > 127) isAscii = false;
    // Names may be coded.
    else if (char === 37 || (char === 92 && text.charCodeAt(at + 1) === 117)) return true;
    if (IS_ROOT[before] === 0) continue;
    let from = at - 1;
    let to = at + 1;
    while (from > 0 && isOfName(text.charCodeAt(from - 1))) from--;
    while (to < text.length && isOfName(text.charCodeAt(to))) to++;
    if (to - from > LONGEST_NAME || ++hits > MOST_HITS) return true;
    const name = text.slice(text[from - 1] === '\\' ? from + 1 : from, to);
    at = to - 1;
    before = 0;
    const { kind } = names.meaning(name);
    if (kind === 'plain' ? /^basic$/i.test(name) : kind !== 'open' || !/key$/i.test(name)) return true;
    // Entries of many kinds have a key.
    if (kind === 'open') hasKey = true;
  }
  if (!isAscii && IN_OTHER_LETTERS.test(text.normalize('NFC'))) return true;
  return hasKey && holdsOpaque(text);
}

/** A part of a query or form, percent-decoded; as it stands if it cannot be decoded. */
export function decodePart(part: string): string {
  if (!/[%+]/.test(part)) return part;
  const spaced = part.replaceAll('+', ' ');
  // An exception takes longer than to find that out.
  if (/%(?![\da-f]{2})/i.test(spaced)) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}
