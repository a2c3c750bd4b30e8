import { Char } from '../../json/json-lexer.ts';
import { foundByName, type OnFound } from './found-secret.ts';
import { nextMemberName } from './member-names.ts';
import { REDACTED } from './redacted.ts';
import type { Redaction } from './redaction.ts';
import { isHarmless } from './secret-name.ts';
import { SplicedText } from './spliced-text.ts';

/**
 * Replaces the values of secret members in whatever holds JSON: a body that is cut short, has members twice, is broken,
 * or is one of many documents (server-sent events, lines of JSON). Everything else stays as it was written.
 */
export function redactNamed(
  text: string,
  { members }: Redaction,
  place: string,
  onFound: OnFound | undefined,
): string {
  const clean = new SplicedText(text);
  let at = 0;
  for (let found = nextMemberName(text, at); found !== undefined; found = nextMemberName(text, at)) {
    at = found.value;
    const name = unescaped(found.name);
    if (!members.has(name)) continue;
    const end = endOfValue(text, at);
    const value = text.slice(at, end);
    if (isHarmlessText(name, value)) continue;
    if (value !== PLACEHOLDER) onFound?.(foundByName(name, place, unquoted(value)));
    clean.replace(at, end, PLACEHOLDER);
    at = end;
  }
  return clean.toString();
}

/** The same as `isHarmless`, of a value as it stands in JSON. */
export function isHarmlessText(name: string, value: string): boolean {
  if (/^-?\d/.test(value)) return isHarmless(name, Number.parseFloat(value));
  return isHarmless(name, /^"(?:true|false)?"$/i.test(value) ? value.slice(1, -1) : value.trim());
}

export const PLACEHOLDER = `"${REDACTED}"`;

/** Of short ones found out before the parsing: an exception takes longer than all the rest. */
const PARSES = /^(?:[^\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*$/u;

/** A name or text between its quotes, without escapes. */
export function unescaped(text: string): string {
  if (!text.includes('\\') || (text.length <= SHORT && !PARSES.test(text))) return text;
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    // A control character, or an escape that JSON does not have.
    return text;
  }
}

const SHORT = 200;

/** The value as it stands in JSON, without its quotes where it has some. */
export function unquoted(value: string): string {
  return value.startsWith('"')
    ? unescaped(value.slice(1, value.endsWith('"') && value.length > 1 ? -1 : undefined))
    : value;
}

/** Ends a number or literal. */
const BARE_END = /[,\]}\r\n]/g;

/** The offset behind the value that starts here; the text's end where it is cut. */
export function endOfValue(text: string, from: number): number {
  const first = text.charCodeAt(from);
  if (first === Char.Quote) return endOfString(text, from);
  if (first !== Char.OpenBrace && first !== Char.OpenBracket) {
    BARE_END.lastIndex = from;
    return BARE_END.exec(text)?.index ?? text.length;
  }
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === Char.Quote) at = endOfString(text, at) - 1;
    else if (char === Char.OpenBrace || char === Char.OpenBracket) depth++;
    else if ((char === Char.CloseBrace || char === Char.CloseBracket) && --depth === 0) return at + 1;
  }
  return text.length;
}

/** The offset behind the string whose quote stands here. */
export function endOfString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === Char.Backslash) at++;
    else if (char === Char.Quote) return at + 1;
  }
  return text.length;
}
