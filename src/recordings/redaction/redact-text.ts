import { isCode, isCodeName } from './code.ts';
import { decodePart } from './decode-part.ts';
import { encodePart } from './encode-part.ts';
import { foundByName, type OnFound } from './found-secret.ts';
import {
  endOfString,
  endOfValue,
  isHarmlessText,
  PLACEHOLDER,
  redactNamed,
  unescaped,
  unquoted,
} from './redact-named.ts';
import { redactPlaces } from './redact-places.ts';
import { redactPlain } from './redact-plain.ts';
import { redactWritten } from './redact-written.ts';
import { REDACTED } from './redacted.ts';
import type { Redaction } from './redaction.ts';
import { isSecretParameter } from './secret-parameter.ts';
import { SplicedText } from './spliced-text.ts';

/** Texts within texts that are looked into: JSON in a string of JSON in a form. */
const DEEPEST = 4;

/** Characters of the shortest text that holds a secret, unless a pattern says otherwise. */
export const SHORTEST = 7;

/**
 * A text of any kind: JSON whole, cut, broken or many documents (events, lines), with whatever its strings hold; names
 * before a `=`; what looks like a secret. All else stays as it was written, and so do the names in code.
 *
 * @param place for `onFound`
 */
export function redactText(
  text: string,
  redaction: Redaction,
  place = 'body',
  onFound?: OnFound,
  depth = 0,
): string {
  if (!redaction.mayBeIn(text)) return text;
  const isJson = depth < DEEPEST && isJsonText(text);
  if (!isJson && isCode(text)) return redactPlain(text, redaction, place, onFound);
  let clean = isJson ? text : redactNamed(text, redaction, place, onFound);
  if (redaction.pointers) clean = redactPlaces(clean, redaction.pointers, onFound);
  if (isJson || (depth < DEEPEST && clean.includes('\\')))
    clean = redactStrings(clean, isJson, redaction, place, onFound, depth);
  if (!isJson && redaction.members.mayBeIn(clean)) {
    clean = redactAssigned(clean, redaction, place, onFound);
    clean = redactWritten(clean, redaction, place, onFound);
  }
  return redactPlain(clean, redaction, place, onFound);
}

const JSON_BEGIN = /^\s*(?:\{\s*["}]|\[\s*[[{"\d-]|data:|event:|id:|retry:)/;
const BETWEEN_STRINGS =
  /^(?:[\s{}[\],:\d.eE+-]|true|false|null|data:|\[DONE\]|(?:event|id|retry):[ \t]*[\w.-]*(?=\s|$))*$/;

/** Whether it is JSON, perhaps cut, one document or many (lines, events): then each string is one, and a name is a name. */
function isJsonText(text: string): boolean {
  if (!JSON_BEGIN.test(text)) return false;
  let from = 0;
  for (let quote = text.indexOf('"'); quote >= 0; quote = text.indexOf('"', from)) {
    if (!BETWEEN_STRINGS.test(text.slice(from, quote))) return false;
    from = endOfString(text, quote);
  }
  // What is cut may be a word.
  return BETWEEN_STRINGS.test(text.slice(from).replace(/[a-z]*$/, ''));
}

/** `token=abc&limit=1` -> `token=[redacted]&limit=1`: a query without its `?`, or a form; `;` may part it, too. */
export function redactPairs(
  pairs: string,
  redaction: Redaction,
  place = 'query',
  onFound?: OnFound,
  depth = 0,
): string {
  let changed = false;
  const clean = pairs.split('&').map((pair) => {
    const result = redactPair(pair, pairs, redaction, place, onFound, depth);
    if (result !== pair) changed = true;
    return result;
  });
  return changed ? clean.join('&') : pairs;
}

/** What follows a secret name is hidden to the end: a `;` may be part of it, or not. */
function redactPair(
  pair: string,
  pairs: string,
  redaction: Redaction,
  place: string,
  onFound: OnFound | undefined,
  depth: number,
): string {
  if (pair === '') return pair;
  let start = 0;
  for (let equals = pair.indexOf('='); equals >= 0; equals = pair.indexOf('=', equals + 1)) {
    const name = decodePart(pair.slice(start, equals));
    const value = pair.slice(equals + 1);
    if (isSecretParameter(name, decodePart(value), pairs, redaction.members)) {
      if (value === REDACTED) return pair;
      onFound?.(foundByName(name, `${place}/${name}`, decodePart(value)));
      return pair.slice(0, equals + 1) + REDACTED;
    }
    const next = pair.indexOf(';', equals);
    if (next < 0) break;
    start = next + 1;
    equals = Math.max(equals, next);
  }
  const equals = pair.indexOf('=');
  const name = decodePart(pair.slice(0, Math.max(equals, 0)));
  const written = pair.slice(equals + 1);
  const cleanName = equals < 0 ? '' : within(pair.slice(0, equals), place);
  return (equals < 0 ? '' : `${cleanName}=`) + within(written, equals < 0 ? place : `${place}/${name}`);

  function within(part: string, where: string): string {
    const plain = decodePart(part);
    const isShort = plain.length < SHORTEST && redaction.patterns.length === 0;
    const clean =
      depth < DEEPEST && !isShort ? redactText(plain, redaction, where, onFound, depth + 1) : plain;
    // What is encoded twice may hold one that no look at it encoded once shows.
    if (clean === plain && plain !== part && plain.includes('%') && ++depth < DEEPEST) {
      const deeper = within(plain, where);
      return deeper === plain ? part : encodePart(deeper);
    }
    if (clean === plain) return part;
    return clean === REDACTED || plain === part ? clean : encodePart(clean);
  }
}

/** A name of a URL or form that stands in a text, or of a URL that is encoded in another one, however often. */
const ASSIGNED = /(?<=^|[?&;#\s"'({<,|]|%(?:25)*(?:3F|26|3B|23))([\w.~%[\]-]{1,100}?)(?:=|%(?:25)*3D)/gi;
const ASSIGNED_END = /[&;#\s"'<>\\]|%(?:25)*(?:26|3B|23)/gi;

function redactAssigned(
  text: string,
  redaction: Redaction,
  place: string,
  onFound: OnFound | undefined,
): string {
  const clean = new SplicedText(text);
  ASSIGNED.lastIndex = 0;
  for (let match = ASSIGNED.exec(text); match !== null; match = ASSIGNED.exec(text)) {
    const name = decodePart(match[1] as string);
    const start = ASSIGNED.lastIndex;
    ASSIGNED_END.lastIndex = start;
    const end = ASSIGNED_END.exec(text)?.index ?? text.length;
    const value = text.slice(start, end);
    if (value === REDACTED || !isSecretParameter(name, decodePart(value), text, redaction.members)) continue;
    ASSIGNED.lastIndex = end;
    onFound?.(foundByName(name, place, decodePart(value)));
    clean.replace(start, end, REDACTED);
  }
  return clean.toString();
}

/**
 * Strings may hold JSON of their own, code, a query, or a secret that is not to be seen from outside.
 *
 * @param isJson otherwise only those with escapes are strings for sure
 */
function redactStrings(
  text: string,
  isJson: boolean,
  redaction: Redaction,
  place: string,
  onFound: OnFound | undefined,
  depth: number,
): string {
  const clean = new SplicedText(text);
  let name = '';
  for (let quote = text.indexOf('"'); quote >= 0; ) {
    const end = endOfString(text, quote);
    const inside = text.slice(quote + 1, end - 1);
    const plain = inside.includes('\\') ? unescaped(inside) : inside;
    if (isJson || plain !== inside) {
      const result = isCodeName(name)
        ? redactPlain(plain, redaction, place, onFound)
        : redactText(plain, redaction, place, onFound, depth + 1);
      if (result !== plain) clean.replace(quote, end, JSON.stringify(result));
    }
    quote = text.indexOf('"', end);
    const value = isJson ? (/^\s{0,80}:\s*/.exec(text.slice(end, end + 100))?.[0].length ?? 0) : 0;
    name = value > 0 ? plain : '';
    if (name === '' || !redaction.members.has(name)) continue;
    const start = end + value;
    const last = endOfValue(text, start);
    const written = text.slice(start, last);
    if (written === PLACEHOLDER || isHarmlessText(name, written)) continue;
    onFound?.(foundByName(name, place, unquoted(written)));
    clean.replace(start, last, PLACEHOLDER);
    quote = text.indexOf('"', last);
  }
  return clean.toString();
}
