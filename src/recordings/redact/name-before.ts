import type { SecretNames } from './names.ts';
import type { Redaction } from './redaction.ts';
import { holdsOpaque, mayHoldSecret } from './shapes.ts';

export const LONGEST_NAME = 100;
export const MOST_BLANKS = 8;

/** By their codes: letters, digits and `$ % - . [ ] _ ~`. */
const IS_OF_NAME = Uint8Array.from({ length: 128 }, (_, code) =>
  /[\w$%.[\]~-]/.test(String.fromCharCode(code)) ? 1 : 0,
);

function isOfName(char: number): boolean {
  return char < 128 ? IS_OF_NAME[char] === 1 : char > 191;
}

export interface NameBefore {
  name: string;
  isQuoted: boolean;
  /** It is the value of another name: `a=b=c`. */
  isWithin: boolean;
}

/** The name that ends before a sign: letters of any script, digits and `_ - . $ % ~ [ ]`, in quotes or not. */
export function nameBefore(text: string, sign: number, floor: number): NameBefore | undefined {
  let end = sign;
  while (end > floor && sign - end < MOST_BLANKS && isBlank(text.charCodeAt(end - 1))) end--;
  const isQuoted = end > floor && (text[end - 1] === '"' || text[end - 1] === "'");
  if (isQuoted) end--;
  while (isQuoted && end > floor && text[end - 1] === '\\') end--;
  let from = end;
  const least = Math.max(floor, end - LONGEST_NAME);
  while (from > least && isOfName(text.charCodeAt(from - 1))) from--;
  if (from === end) return undefined;
  const written = text.slice(from, end);
  // The end of an escape, or of a name that is a value itself, is no part of it.
  const plain = text[from - 1] === '\\' ? written.slice(1) : written;
  const name = plain.includes('%') ? decodePart(plain.replace(/^.*%(?:25)*(?:3F|26|3B|23|3D)/i, '')) : plain;
  return { name, isQuoted, isWithin: text[from - 1] === '=' };
}

export function isBlank(char: number): boolean {
  return char === 32 || char === 9;
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

/** Each name of a secret has one of these. Several small patterns, since one of all takes longer. */
const ROOTS = [
  /pass|psk|pw/gi,
  /secre|creden|sess|contras/gi,
  /token|senha|sandi|haslo/gi,
  /key|code|losen|parola/gi,
  /auth|otp|srf|jwt/gi,
  /sig|sid|saml|assert/gi,
  /bearer|mnem|verif|cookie/gi,
  /adgang|woord|wort|phrase|x-(?:amz|goog)/gi,
];
const MOST_HITS = 4096;

/**
 * False: there is nothing to hide in a text of ASCII, which most bodies show at a third of the time of parsing them: no secret's shape,
 * and no word that may be the name of one.
 */
export function mayHoldAny(text: string, redaction: Redaction): boolean {
  const { detects, members, pointers, patterns, texts } = redaction;
  if (pointers !== undefined || patterns.length > 0 || members.hasAdded) return true;
  if (text.includes('\\u') || text.includes('%') || texts.some((secret) => text.includes(secret)))
    return true;
  return mayHoldName(text, members) || (detects && mayHoldSecret(text));
}

function mayHoldName(text: string, members: SecretNames): boolean {
  let hits = 0;
  let hasKey = false;
  for (const root of ROOTS) {
    root.lastIndex = 0;
    for (let hit = root.exec(text); hit; hit = root.exec(text)) {
      if (++hits > MOST_HITS) return true;
      let from = hit.index;
      let to = root.lastIndex;
      while (from > 0 && isOfName(text.charCodeAt(from - 1))) from--;
      while (to < text.length && isOfName(text.charCodeAt(to))) to++;
      if (to - from > LONGEST_NAME) return true;
      root.lastIndex = to;
      const name = text.slice(text[from - 1] === '\\' ? from + 1 : from, to);
      if (members.has(name)) return true;
      if (!members.mayHave(name)) continue;
      if (!/key$/i.test(name)) return true;
      // Entries of many kinds have one.
      hasKey = true;
    }
  }
  return hasKey && holdsOpaque(text);
}
