import { Char } from '../../model/json-lexer.ts';
import { decodePart } from './decode-part.ts';
import { nextMemberName } from './member-names.ts';
import type { SecretNames } from './secret-names.ts';

/** Stands in every recording, log and message where a secret was. In matching it equals any value at its place. */
export const REDACTED = '[redacted]';

/** `token=abc&limit=1` -> `token=[redacted]&limit=1`: a query without its `?`, or a form. */
export function redactPairs(pairs: string, secrets: SecretNames): string {
  let changed = false;
  const clean = pairs.split('&').map((pair) => {
    const equals = pair.indexOf('=');
    if (equals < 0 || !isSecretParameter(pair.slice(0, equals), secrets)) return pair;
    changed = true;
    return `${pair.slice(0, equals)}=${REDACTED}`;
  });
  return changed ? clean.join('&') : pairs;
}

/** Forms also nest: `user[password]`, `user.password`. */
function isSecretParameter(name: string, secrets: SecretNames): boolean {
  const plain = decodePart(name);
  return (
    secrets.has(plain) || (/[[.]/.test(plain) && plain.split(/[[\].]+/).some((part) => secrets.has(part)))
  );
}

/**
 * Replaces the values of secret members in whatever holds JSON: a body that is cut short, has members twice, is broken,
 * or is one of many documents (server-sent events, lines of JSON). Everything else stays as it was written.
 */
export function redactJsonText(text: string, secrets: SecretNames): string {
  let clean = '';
  let kept = 0;
  let at = 0;
  for (let found = nextMemberName(text, at); found !== undefined; found = nextMemberName(text, at)) {
    at = found.value;
    if (!secrets.has(plainName(found.name))) continue;
    clean += `${text.slice(kept, at)}"${REDACTED}"`;
    at = endOfValue(text, at);
    kept = at;
  }
  return kept === 0 ? text : clean + text.slice(kept);
}

/** Found out before the parsing: an exception takes longer than all the rest. */
const PARSES = /^(?:[^\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*$/u;

function plainName(name: string): string {
  return name.includes('\\') && PARSES.test(name) ? (JSON.parse(`"${name}"`) as string) : name;
}

/** Ends a number or literal. */
const BARE_END = /[,\]}\r\n]/g;

/** The offset behind the value that starts here; the text's end where it is cut. */
function endOfValue(text: string, from: number): number {
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

function endOfString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === Char.Backslash) at++;
    else if (char === Char.Quote) return at + 1;
  }
  return text.length;
}
