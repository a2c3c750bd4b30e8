import { type JsonValue, parseJson } from '../../json/json.ts';
import { skipValue } from '../../json/json-text.ts';
import { type PatternNode, patternsBelow } from '../../json/pointer-pattern.ts';
import { skipString } from '../../json/scan-json.ts';
import { editsOfNamed, mayHold } from './named.ts';
import { isHarmless, roleOf, SIGN_IN } from './names.ts';
import {
  betweenPlaceholders,
  type Edit,
  edited,
  type Hide,
  hidden,
  isRedacted,
  REDACTED,
} from './redacted.ts';
import type { Redaction } from './redaction.ts';
import { matchAt, SHORTEST_TOKEN, type Span, secretsIn } from './shapes.ts';

export { decodePart } from './named.ts';

/**
 * A text of any kind: JSON by its structure, anything else in one pass for names with a value and for what looks like a
 * secret. The names in code stay.
 *
 * @param hide the placeholder of what looks like a secret
 */
export function redactText(text: string, redaction: Redaction, hide: Hide = hidden): string {
  if (!mayHold(text, redaction)) return text;
  return (
    redactDocument(text, redaction) ??
    redactPlain(edited(text, editsOfNamed(text, redaction)), redaction, hide)
  );
}

/** A JSON value; the very one if nothing is hidden. */
export function redactJson<T extends JsonValue>(value: T, redaction: Redaction): T {
  const text = JSON.stringify(value);
  const clean = redactText(text, redaction);
  return clean === text ? value : (JSON.parse(clean) as T);
}

/** Hides known secrets, and all that looks like one, in text of any kind. */
export function redactPlain(
  text: string,
  { texts, onSecret }: Pick<Redaction, 'texts' | 'onSecret'>,
  hide: Hide = hidden,
): string {
  const edits: Edit[] = [];
  let end = 0;
  for (const span of secretsIn(text).sort((a, b) => a.from - b.from)) {
    const from = Math.max(span.from, end);
    const secret = text.slice(from, span.to);
    if (secret === '' || isRedacted(secret)) continue;
    onSecret?.(secret);
    edits.push([from, span.to, hide(secret)]);
    end = span.to;
  }
  let clean = edited(text, edits);
  for (const secret of texts)
    if (clean.includes(secret))
      clean = betweenPlaceholders(clean, (part) => part.replaceAll(secret, hide(secret)));
  return clean;
}

/** Members that name what `value` beside them is: `{"name": "DB_PASSWORD", "value": …}`; in JSON Patch, `path` does. */
const TELLS = /^(?:name|key|header|field|setting|id|path)$/i;
const ASKS = /^val(?:ues?)?$/i;
const SCALAR = /-?\d[\d.eE+-]*|true|false|null/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/g;
/** Nested deeper, a value is hidden as a whole. */
const MOST_LEVELS = 128;
const NONE: Span[] = [];
const [QUOTE, COMMA, COLON] = [34, 44, 58];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125];

/**
 * The text of a JSON document (an object, a list, or a string that holds one) with its secrets replaced, all else as it
 * was written: numbers, spaces, members that come twice. Undefined: it is none. Not by JSON.parse, which takes long for
 * many names, and for an error.
 */
export function redactDocument(text: string, redaction: Redaction): string | undefined {
  if (!/^\s*(?:[[{]|"\s*(?:[[{]|\\"))/.test(text)) return undefined;
  const { members, pointers, texts, onSecret } = redaction;
  const edits: Edit[] = [];
  // What is hidden for what stands beside it.
  const late: Edit[] = [];
  let signIn: boolean | undefined;
  let at = 0;
  if (!takeValue(0, '', pointers) || !Number.isNaN(next())) return undefined;
  return edited(text, late.length === 0 ? edits : [...late, ...edits].sort((a, b) => a[0] - b[0]));

  /** The next character that is no blank. */
  function next(): number {
    let code = text.charCodeAt(at);
    while (code === 32 || (code >= 9 && code <= 13)) code = text.charCodeAt(++at);
    return code;
  }

  /** Goes over a value. False: this is no JSON. @param name of a member; an item of a list has none */
  function takeValue(level: number, name: string | undefined, place: PatternNode | undefined): boolean {
    const code = next();
    const from = at;
    if (level > MOST_LEVELS || place?.matches) return takeSecret();
    if (code === OPEN_OBJECT) return takeObject(level + 1, place);
    if (code === OPEN_LIST) return takeList(level + 1, place, name === undefined);
    if (code === QUOTE) return takeString(name);
    at += matchAt(SCALAR, text, from).length;
    // There is no placeholder for some digits.
    if (texts.length > 0 && texts.some((secret) => text.slice(from, at).includes(secret))) hide(from, at);
    return at > from;
  }

  function takeSecret(): boolean {
    const from = at;
    at = skipValue(text, from);
    hide(from, at);
    return at > from && at <= text.length;
  }

  function takeObject(level: number, place: PatternNode | undefined): boolean {
    let told: string | undefined;
    // Most objects have none.
    let asked: Span[] = NONE;
    for (at++; next() !== CLOSE_OBJECT; ) {
      const nameFrom = at;
      at = skipString(text, at);
      const name = text.charCodeAt(nameFrom) === QUOTE ? stringAt(nameFrom, at) : undefined;
      if (name === undefined || next() !== COLON) return false;
      // A name can be a secret itself.
      if (texts.length > 0 || name.length >= SHORTEST_TOKEN)
        replace(nameFrom, at, name, redactPlain(name, redaction));
      at++;
      const isString = next() === QUOTE;
      const from = at;
      const isHidden = members.kindOf(name) !== 'plain' && members.isSecret(name, valueAt(from), isSignIn);
      if (!(isHidden ? takeSecret() : takeValue(level, name, place && patternsBelow(place, name))))
        return false;
      if (isString && TELLS.test(name)) told = secretName(stringAt(from, at)) ?? told;
      if (!isHidden && ASKS.test(name)) asked = [...asked, { from, to: at }];
      if (!isAtNext(CLOSE_OBJECT)) return false;
    }
    at++;
    for (const { from, to } of asked)
      if (told !== undefined && !isHarmless(told, valueAt(from))) hide(from, to, late);
    return true;
  }

  /** @param isItem of a list itself: `["password", "x"]` is a pair then */
  function takeList(level: number, place: PatternNode | undefined, isItem: boolean): boolean {
    const strings: (string | undefined)[] = [];
    let from = 0;
    let index = 0;
    for (at++; next() !== CLOSE_LIST; index++) {
      from = at;
      if (!takeValue(level, undefined, place && patternsBelow(place, index))) return false;
      if (isItem && index < 2) strings.push(text.charCodeAt(from) === QUOTE ? stringAt(from, at) : undefined);
      if (!isAtNext(CLOSE_LIST)) return false;
    }
    const [name, value] = strings;
    if (index === 2 && secretName(name) && value !== undefined && !members.has(value))
      hide(from, skipString(text, from), late);
    at++;
    return true;
  }

  /** Goes over a comma. False: neither another one nor the end follows. */
  function isAtNext(end: number): boolean {
    if (next() !== COMMA) return next() === end;
    at++;
    return next() !== end;
  }

  function takeString(name: string | undefined): boolean {
    const from = at;
    at = skipString(text, from);
    const plain = stringAt(from, at);
    if (plain === undefined || at > text.length) return false;
    if (!mayHold(plain, redaction)) return true;
    const role = name === undefined ? undefined : roleOf(name);
    if (role === 'id' && texts.length === 0 && isIdentifier(plain)) return true;
    replace(from, at, plain, (role === 'code' ? redactPlain : redactText)(plain, redaction));
    return true;
  }

  function isSignIn(): boolean {
    signIn ??= SIGN_IN.test(text);
    return signIn;
  }

  /** The last name in a path, or the whole, if it is that of a secret. */
  function secretName(told: string | undefined): string | undefined {
    const last = told?.slice(told.lastIndexOf('/') + 1);
    return last !== undefined && members.has(last) ? last : undefined;
  }

  /** The string between two quotes; undefined: it is none. */
  function stringAt(from: number, to: number): string | undefined {
    const written = text.slice(from + 1, to - 1);
    if (!written.includes('\\')) return written;
    // An exception takes longer than to find that out.
    return /[^ -\uffff]|[\\"]/.test(written.replace(ESCAPE, ''))
      ? undefined
      : (JSON.parse(`"${written}"`) as string);
  }

  /** The value at an offset; a list or object counts as an empty one. */
  function valueAt(from: number): JsonValue {
    const code = text.charCodeAt(from);
    if (code === QUOTE) return stringAt(from, skipString(text, from)) ?? '';
    if (code === OPEN_LIST || code === OPEN_OBJECT) return {};
    const written = text.slice(from, skipValue(text, from));
    return /^-?\d/.test(written) ? Number(written) : written;
  }

  function replace(from: number, to: number, before: string, after: string): void {
    if (after !== before) edits.push([from, to, JSON.stringify(after)]);
  }

  function hide(from: number, to: number, into = edits): void {
    const written = text.slice(from, to);
    if (isRedacted(written.slice(1, -1))) return;
    onSecret?.(parseJson(written) ?? written);
    into.push([from, to, `"${REDACTED}"`]);
  }
}

/** An id has the shape of a token. */
function isIdentifier(plain: string): boolean {
  return /^[\w.:=/+-]+$/.test(plain) && !/^(?:eyJ|A[KSI][A-Zz]a?|gh[pousr]_|sk[_-])/.test(plain);
}
