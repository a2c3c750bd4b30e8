import { isObject, type JsonObject, type JsonValue } from '../../json/json.ts';
import { skipSpace, skipValue } from '../../json/json-text.ts';
import { type PatternNode, patternsBelow } from '../../json/pointer-pattern.ts';
import { skipString } from '../../json/scan-json.ts';
import { isHarmless, isOpenSecret, secretParameters } from './names.ts';
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
import { SHORTEST_TOKEN, secretsIn } from './shapes.ts';
import { isOfName, LONGEST_NAME, mayHoldAny } from './suspects.ts';

/** Characters of the shortest text that holds a secret. */
const SHORTEST = 7;

/**
 * A text of any kind: JSON by its structure, anything else in one pass for names with a value and for what looks like a
 * secret. The names in code stay.
 *
 * @param hide the placeholder of what looks like a secret
 */
export function redactText(text: string, redaction: Redaction, hide: Hide = hidden): string {
  if (text.length < SHORTEST || !mayHoldAny(Buffer.from(text), redaction)) return text;
  return redactSuspect(text, redaction, hide);
}

/** The same for a text that may hold a secret. */
export function redactSuspect(text: string, redaction: Redaction, hide: Hide = hidden): string {
  return redactJsonText(text, redaction) ?? redactPlain(redactNamed(text, redaction), redaction, hide);
}

/** A JSON value; the very one if nothing is hidden. */
export function redactJson<T extends JsonValue>(value: T, redaction: Redaction): T {
  const text = JSON.stringify(value);
  if (!mayHoldAny(Buffer.from(text), redaction)) return value;
  const clean = redactDocument(text, value, redaction);
  return clean === text ? value : (JSON.parse(clean) as T);
}

/** A JSON document: an object, a list, or a string that holds one. Undefined: it is none. */
export function redactJsonText(text: string, redaction: Redaction): string | undefined {
  // An exception takes longer than a look at both ends.
  if (!/^\s*[[{"]/.test(text) || !/[\]}"]\s{0,64}$/.test(text.slice(-65))) return undefined;
  try {
    const value = JSON.parse(text) as JsonValue;
    if (typeof value === 'string' && !/^\s*[[{"]/.test(value)) return undefined;
    return redactDocument(text, value, redaction);
  } catch {
    return undefined;
  }
}

/** Members that say what the `value` beside them is called. */
const NAMING = ['name', 'key', 'Name', 'Key', 'header', 'field'];
/** Nested deeper, a value is hidden as a whole. */
const MOST_LEVELS = 128;

/**
 * The text of a JSON document with its secrets replaced, all else as it was written: numbers, spaces, members that come twice.
 *
 * @param parsed the document as a value
 */
function redactDocument(text: string, parsed: JsonValue, redaction: Redaction): string {
  const { members, texts, pointers } = redaction;
  const edits: Edit[] = [];
  walk(skipSpace(text, 0), parsed, undefined, pointers, 0);
  return edited(text, edits);

  /** @param value unless its member comes twice: then that of the last one @returns the offset behind it */
  function walk(
    at: number,
    value: JsonValue | undefined,
    name: string | undefined,
    node: PatternNode | undefined,
    level: number,
  ): number {
    const char = text[at];
    if (node?.matches || level > MOST_LEVELS) return hide(at);
    if (char === '{') return walkObject(at, isObject(value) ? value : {}, node, level + 1);
    // In a list, headers and fields are written as pairs.
    const isPair = level > 0 && name === undefined;
    if (char === '[') return walkList(at, Array.isArray(value) ? value : [], node, isPair, level + 1);
    const end = skipValue(text, at);
    if (char === '"') redactString(at, end, name);
    // There is no placeholder for some digits.
    else if (texts.some((secret) => text.slice(at, end).includes(secret))) hide(at);
    return end;
  }

  function walkObject(
    start: number,
    object: JsonObject,
    node: PatternNode | undefined,
    level: number,
  ): number {
    let at = skipSpace(text, start + 1);
    while (text[at] === '"') {
      const nameEnd = skipString(text, at);
      const name = stringAt(at, nameEnd);
      // A name can be a secret itself.
      if (texts.length > 0 || name.length >= SHORTEST_TOKEN)
        replace(at, nameEnd, name, redactPlain(name, redaction));
      const from = skipSpace(text, skipSpace(text, nameEnd) + 1);
      const isSecret = isSecretMember(name, from, object);
      const below = node && patternsBelow(node, name);
      at = next(isSecret ? hide(from) : walk(from, object[name], name, below, level));
    }
    return at + 1;
  }

  function isSecretMember(name: string, from: number, beside: JsonObject): boolean {
    const { kind } = members.meaning(name);
    if (kind === 'secret') return !isHarmless(name, valueAt(from));
    if (kind === 'open') {
      const isOAuth = name === 'code' && (beside.grant_type ?? beside.redirect_uri) !== undefined;
      return isOAuth || (text[from] === '"' && isOpenSecret(name, valueAt(from)));
    }
    if (name !== 'value' && name !== 'Value') return false;
    // The last name in the path of a JSON Patch.
    const naming = beside.op === undefined ? NAMING.find((one) => typeof beside[one] === 'string') : 'path';
    const called = naming === undefined ? '' : String(beside[naming]).replace(/^.*\//s, '');
    return members.has(called) && !isHarmless(called, valueAt(from));
  }

  /** @param isPair two items are a name and its value: `["password", "x"]` */
  function walkList(
    start: number,
    list: JsonValue[],
    node: PatternNode | undefined,
    isPair: boolean,
    level: number,
  ): number {
    const [called, named] = isPair && list.length === 2 ? list : [];
    const isNamed = typeof called === 'string' && typeof named === 'string';
    const isSecret = isNamed && members.has(called) && !members.has(named);
    let at = skipSpace(text, start + 1);
    for (let i = 0; text[at] !== ']' && at < text.length; i++) {
      const below = node && patternsBelow(node, i);
      const isHidden = (isSecret && i === 1) || isSecretOption(list[i - 1]);
      at = next(isHidden ? hide(at) : walk(at, list[i], undefined, below, level));
    }
    return at + 1;
  }

  /** `["--token", "x"]`, as arguments of a program are written. */
  function isSecretOption(item: JsonValue | undefined): boolean {
    return typeof item === 'string' && item.startsWith('--') && members.has(item.slice(2));
  }

  /** The offset behind a value and the comma that follows it. */
  function next(at: number): number {
    const end = skipSpace(text, at);
    return text[end] === ',' ? skipSpace(text, end + 1) : end;
  }

  function redactString(at: number, end: number, name = ''): void {
    if (end - at - 2 < SHORTEST) return;
    const plain = stringAt(at, end);
    const { isId, isCode } = members.meaning(name);
    if (isId && isIdentifier(plain)) return;
    replace(at, end, plain, (isCode ? redactPlain : redactText)(plain, redaction));
  }

  /** An id has the shape of a token. */
  function isIdentifier(plain: string): boolean {
    const isVendors = /^(?:eyJ|A[KSI][A-Zz]a?|gh[pousr]_|sk[_-])/.test(plain);
    return texts.length === 0 && !isVendors && /^[\w.:=/+-]+$/.test(plain);
  }

  /** A list or object counts as an empty one. */
  function valueAt(from: number): JsonValue {
    const isList = text[from] === '{' || text[from] === '[';
    return isList ? {} : (JSON.parse(text.slice(from, skipValue(text, from))) as JsonValue);
  }

  function stringAt(from: number, to: number): string {
    const written = text.slice(from + 1, to - 1);
    return written.includes('\\') ? (JSON.parse(text.slice(from, to)) as string) : written;
  }

  function replace(from: number, to: number, before: string, after: string): void {
    if (after !== before) edits.push([from, to, JSON.stringify(after)]);
  }

  function hide(from: number): number {
    const to = skipValue(text, from);
    if (isRedacted(text.slice(from + 1, to - 1))) return to;
    redaction.onSecret?.(JSON.parse(text.slice(from, to)) as JsonValue);
    edits.push([from, to, `"${REDACTED}"`]);
    return to;
  }
}

/** Hides known secrets, and all that looks like one, in text of any kind. */
export function redactPlain(
  text: string,
  { texts, onSecret }: Pick<Redaction, 'texts' | 'onSecret'>,
  hide: Hide = hidden,
): string {
  const edits: Edit[] = [];
  let end = 0;
  for (const span of secretsIn(text)) {
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

/** Parts a name from its value. */
const SIGNS = /=>|[:=]|%(?:25)*3[AD]/gi;
const BARE_END = /[&;#\s"'<>\\,{}()]|%(?:25)*(?:26|3B|23)/i;
const MOST_BLANKS = 8;
/** A value that is larger is none that its own looks make a secret. */
const LONGEST_OPEN = 4096;
/** `<password>x</password>` */
const ELEMENT = /<((?:[\w.-]{1,64}:)?[\w.-]{1,64})(?:\s[^<>]{0,2000})?>([^<]+)(?=<\/)/g;
/** A part of a form (RFC 7578), from its name to the first line of its value. */
const PART = /\bname="([^"\r\n]{1,64})"[^\r\n]{0,200}\r?\n(?:[^\r\n]{1,200}\r?\n){0,4}\r?\n([^\r\n]+)/gi;

/** `--password x`; a word may follow the name of an option in a sentence. */
const OPTION = /(?<![\w-])--([\w-]{2,64}) {1,4}["']?((?=[^\s"']*\d|[^\s"']{16})[^\s"']+)/g;
/** `<add key="password" value="x"/>` */
const ATTRIBUTE = /\b(?:name|key)=["']([^"'<>]{1,64})["']\s{1,8}value=["']([^"'<>]{1,4096})(?=["'])/gi;

/** Hides the values of secret names: `name: value`, `name=value`, `<name>value</name>`. */
function redactNamed(text: string, { membersInText: names, onSecret }: Redaction): string {
  const isSecret = secretParameters(text, names);
  const edits: Edit[] = [];
  let end = 0;
  let isProgram: boolean | undefined;
  SIGNS.lastIndex = 0;
  for (let sign = SIGNS.exec(text); sign; sign = SIGNS.exec(text)) {
    const name = nameBefore(text, sign.index, end);
    const { kind } = names.meaning(name);
    if (kind === 'plain') continue;
    // Names in double quotes are those of JSON.
    const isQuoted = text[sign.index - 1] === '"';
    if (!isQuoted) isProgram ??= CODE.test(text);
    if (!isQuoted && isProgram) continue;
    const start = SIGNS.lastIndex;
    const isLine = sign[0] === ':' && /authori[sz]ation$/i.test(name);
    const isOpen = kind === 'open';
    const value = valueIn(text.slice(start, isOpen ? start + LONGEST_OPEN : undefined), isOpen, isLine);
    const secret = text.slice(start + value.from, start + value.to);
    if (secret === '' || isRedacted(secret)) continue;
    // Words stand behind "token:" too, and `"tokens": 15` is a number of them.
    const mayBeWord = value.isBare && (value.from > 0 || sign[0] === ':');
    if (mayBeWord && secret.length < 16 && !/\d/.test(secret)) continue;
    const plain = /^\d{1,15}$/.test(secret) ? Number(secret) : decodePart(secret);
    if (!isSecret(name, value.isList ? {} : plain)) continue;
    onSecret?.(secret);
    end = start + value.to;
    const isValue = value.isList || (value.isBare && isQuoted && sign[0] === ':');
    edits.push([start + value.from, end, isValue ? `"${REDACTED}"` : REDACTED]);
    SIGNS.lastIndex = end;
  }
  const hideLast = (whole: string, name: string, value: string) => {
    if (!names.has(name) || isRedacted(value) || isHarmless(name, value)) return whole;
    onSecret?.(value);
    return whole.slice(0, -value.length) + REDACTED;
  };
  const clean = edited(text, edits).replace(PART, hideLast).replace(OPTION, hideLast);
  if (!clean.includes('<') || (isProgram ?? CODE.test(text))) return clean;
  return clean.replace(ATTRIBUTE, hideLast).replace(ELEMENT, hideLast);
}

interface ValueSpan {
  from: number;
  to: number;
  isList?: boolean;
  isBare?: boolean;
}

/** The value that a text begins with. @param isLine a scheme stands before it, as in `Authorization: Token x` */
function valueIn(text: string, isOpen: boolean, isLine: boolean): ValueSpan {
  const [before, quote] = /^[ \t]{0,8}(\\{0,8}["'])?/.exec(text) as RegExpExecArray;
  const from = (before as string).length;
  if (quote !== undefined) return { from, to: endOfQuoted(text, from, quote) };
  if (/^(?:\{|\[(?!redacted))/.test(text.slice(from, from + 9)))
    return { from, to: isOpen ? from : Math.min(skipValue(text, from), text.length), isList: true };
  const length = text.slice(from).search(isLine ? /["'\r\n,}]/ : BARE_END);
  return { from, to: length < 0 ? text.length : from + length, isBare: true };
}

/** Before the quote that closes it, or before the line's end. @param opening with the backslashes of the text that it stands in */
function endOfQuoted(text: string, from: number, opening: string): number {
  let at = opening.length > 1 ? text.indexOf(opening, from) : from;
  if (at < 0) return text.length;
  while (at < text.length && !text.startsWith(opening, at) && text[at] !== '\n' && text[at] !== '\r')
    at += text[at] === '\\' ? 2 : 1;
  return Math.min(at, text.length);
}

/** The name that ends before a sign: letters of any script, digits and `_ - . $ % ~ [ ]`, in quotes or not; `""` if there is none. */
function nameBefore(text: string, sign: number, floor: number): string {
  let end = sign;
  while (end > floor && sign - end < MOST_BLANKS && ` \t"'\\`.includes(text[end - 1] as string)) end--;
  let from = end;
  const least = Math.max(floor, end - LONGEST_NAME);
  while (from > least && isOfName(text.charCodeAt(from - 1))) from--;
  // The end of an escape is no part of it.
  const name = text.slice(text[from - 1] === '\\' ? from + 1 : from, end);
  return name.includes('%') ? decodePart(name.replace(/^.*%(?:25)*(?:3F|26|3B|23|3D)/i, '')) : name;
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

/** Signs of a program or a page: in `const token = get()`, no secret stands behind the name. */
const CODE = new RegExp(
  [
    '\\b(?:function\\b[^(){}]{0,64}\\(|(?:const|let|var)\\s{1,8}(?:[\\w$]{1,64}\\s?[=;,]|[{[])',
    '(?:if|while|switch|catch)\\s?\\(|for\\s?\\((?:const|let|var|\\w{1,64}\\s?=)|class\\s{1,8}\\w{1,64}\\s?(?:extends\\s|\\{)',
    'return\\b[^\\n;]{0,200};\\s{0,8}(?:\\}|$)|(?:new|typeof)\\s{1,8}\\w{1,64}\\(|await\\s{1,8}\\w{1,64}[.(]',
    '(?:document|window|console|(?:local|session)Storage|JSON|Math|process|jQuery)\\.\\w',
    'import\\s[^\\n]{1,200}\\sfrom\\s|def\\s{1,8}\\w{1,64}\\()',
    '[\\w)]\\s?=>|[!=]==|\\$\\(|\\w\\([^()\\n]{0,200}\\)\\s?;',
    '</?(?:script|style|html|div|span|img|button|svg|iframe|ul|br|h[1-6])\\b',
  ].join('|'),
  'i',
);
