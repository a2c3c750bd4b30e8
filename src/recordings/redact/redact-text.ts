import { childOf, isObject, type JsonObject, type JsonValue } from '../../json/json.ts';
import { skipValue } from '../../json/json-text.ts';
import { patternsBelow } from '../../json/pointer-pattern.ts';
import { type Container, scanJson, skipString, UNLIMITED } from '../../json/scan-json.ts';
import { isHarmless, SHORTEST_CODE, SIGN_IN } from './names.ts';
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
import { matchAt, SHORTEST_TOKEN, secretsIn } from './shapes.ts';
import { LONGEST_NAME, mayHoldAny } from './suspects.ts';

/** Characters of the shortest text that holds a secret, and of one without a mark. */
const SHORTEST = 7;
const SHORTEST_BARE = 14;
const MARK = /[:=%<[-]/;

/**
 * A text of any kind: JSON by its structure, anything else in one pass for names with a value and for what looks like a
 * secret. The names in code stay.
 *
 * @param hide the placeholder of what looks like a secret
 */
export function redactText(text: string, redaction: Redaction, hide: Hide = hidden): string {
  const isBare = text.length < SHORTEST_BARE && redaction.texts.length === 0 && !MARK.test(text);
  if (text.length < SHORTEST || isBare || !mayHoldAny(Buffer.from(text), redaction)) return text;
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
  const { members, texts, onSecret } = redaction;
  const edits: Edit[] = [];
  // By level. Of a member that comes twice, the value is the last one.
  const values: unknown[] = [parsed];
  const places = [redaction.pointers];
  let hiddenTo = 0;
  scanJson(text, UNLIMITED, undefined, (open, at) => {
    if (at < hiddenTo) return;
    const level = open.length;
    const holder = open[level - 1];
    const isList = text[at] === '{' || text[at] === '[';
    if (holder) {
      const place = places[level - 1];
      places[level] = place && patternsBelow(place, holder.token);
      if (isList) values[level] = childOf(values[level - 1], holder.token);
    }
    // A name can be a secret itself.
    if (holder?.isObject && (texts.length > 0 || holder.name.length >= SHORTEST_TOKEN))
      replace(holder.nameOffset, holder.name, redactPlain(holder.name, redaction));
    if (level > MOST_LEVELS || places[level]?.matches || isSecret(open, at)) hide(at);
    else if (text[at] === '"') redactString(at, holder?.name);
    // There is no placeholder for some digits.
    else if (!isList && texts.length > 0) hideKnown(at);
  });
  return edited(text, edits);

  function isSecret(open: readonly Container[], at: number): boolean {
    const holder = open[open.length - 1];
    const beside = values[open.length - 1];
    if (!holder) return false;
    if (holder.isObject) return isSecretMember(holder.name, at, isObject(beside) ? beside : {});
    return (
      Array.isArray(beside) && isSecretItem(beside, holder.index, open[open.length - 2]?.isObject === false)
    );
  }

  function isSecretMember(name: string, at: number, beside: JsonObject): boolean {
    if (members.meaning(name).kind !== 'plain') {
      const isSignIn = (beside.grant_type ?? beside.redirect_uri) !== undefined;
      return members.isSecret(name, valueAt(at), isSignIn);
    }
    if (name !== 'value' && name !== 'Value') return false;
    // The last name in the path of a JSON Patch.
    const naming = beside.op === undefined ? NAMING.find((one) => typeof beside[one] === 'string') : 'path';
    const called = naming === undefined ? '' : String(beside[naming]).replace(/^.*\//s, '');
    return members.has(called) && !isHarmless(called, valueAt(at));
  }

  /** `["--token", "x"]`, as arguments of a program are written, and in a list the pair `["password", "x"]`. */
  function isSecretItem(list: readonly JsonValue[], index: number, isInList: boolean): boolean {
    const [before, item] = [list[index - 1], list[index]];
    if (typeof before !== 'string') return false;
    if (before.startsWith('--') && members.has(before.slice(2))) return true;
    const isPair = isInList && list.length === 2 && typeof item === 'string';
    return isPair && members.has(before) && !members.has(item);
  }

  function redactString(at: number, name = ''): void {
    const plain = stringAt(at);
    const { isId, isCode } = members.meaning(name);
    if (plain.length < SHORTEST || (isId && texts.length === 0 && isIdentifier(plain))) return;
    replace(at, plain, (isCode ? redactPlain : redactText)(plain, redaction));
  }

  function stringAt(at: number): string {
    const written = text.slice(at + 1, skipString(text, at) - 1);
    return written.includes('\\') ? (JSON.parse(`"${written}"`) as string) : written;
  }

  /** A list or object counts as an empty one. */
  function valueAt(at: number): JsonValue {
    if (text[at] === '"') return stringAt(at);
    return /[{[]/.test(text[at] as string)
      ? {}
      : (JSON.parse(text.slice(at, skipValue(text, at))) as JsonValue);
  }

  function replace(at: number, before: string, after: string): void {
    if (after !== before) edits.push([at, skipString(text, at), JSON.stringify(after)]);
  }

  function hideKnown(at: number): void {
    const written = text.slice(at, skipValue(text, at));
    if (texts.some((secret) => written.includes(secret))) hide(at);
  }

  function hide(at: number): void {
    hiddenTo = skipValue(text, at);
    const written = text.slice(at, hiddenTo);
    if (isRedacted(written.slice(1, -1))) return;
    onSecret?.(JSON.parse(written) as JsonValue);
    edits.push([at, hiddenTo, `"${REDACTED}"`]);
  }
}

/** An id has the shape of a token. */
function isIdentifier(plain: string): boolean {
  return /^[\w.:=/+-]+$/.test(plain) && !/^(?:eyJ|A[KSI][A-Zz]a?|gh[pousr]_|sk[_-])/.test(plain);
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

/** A name of letters of any script, digits and `_ - . $ % ~ [ ]`, in quotes or not, and the sign that parts it from its value. */
const NAMED = new RegExp(
  `(?=[:=%])(?<=(\\\\?[\\w$%.[\\]~\\u00c0-\\uffff-]{1,${LONGEST_NAME}})([ \\t"'\\\\]{0,8}))(?:=>|[:=]|%(?:25)*3[ADad])`,
  'g',
);
/** What a coded name stands behind. */
const CODED_BEFORE = /^.*%(?:25)*(?:3F|26|3B|23|3D)/i;
/** Blanks, and the quote that a value begins with, with the backslashes of the text that it stands in. */
const BEGIN = /[ \t]{0,8}(\\{0,8}["'])?/y;
const BARE_END = /[&;#\s"'<>\\,{}()]|%(?:25)*(?:26|3B|23)|$/gi;
/** A scheme stands before it, as in `Authorization: Token x`. */
const LINE_END = /["'\r\n,}]|$/g;
/** Of an open name. Nothing else could be random, and this ends soon. */
const OPEN_VALUE =
  /[ \t]{0,8}(?:\\{0,8}["'])?(?:[\w~./-]|%(?!3D|25)[\da-f]{2}){14,}(?:=|%3D){0,2}(?:[^\w~./=-]|$)/iy;
/** Of the code of a sign-in. */
const CODE_VALUE = /[ \t]{0,8}(?:[^ \t{[]|\[redacted)/y;
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
  const isSignIn = SIGN_IN.test(text);
  const edits: Edit[] = [];
  let end = 0;
  let isProgram: boolean | undefined;
  for (const { 0: sign, 1: written = '', 2: between = '', index } of text.matchAll(NAMED)) {
    const nameEnd = index - between.length;
    if (nameEnd <= end) continue;
    const name = nameOf(text.slice(Math.max(end, nameEnd - written.length), nameEnd));
    const { kind } = names.meaning(name);
    if (kind === 'plain') continue;
    // Names in double quotes are those of JSON.
    const isQuoted = text[index - 1] === '"';
    if (!isQuoted) isProgram ??= CODE.test(text);
    if (!isQuoted && isProgram) continue;
    const start = index + sign.length;
    const isCode = isSignIn && name.toLowerCase() === 'code';
    if (kind === 'open' && matchAt(isCode ? CODE_VALUE : OPEN_VALUE, text, start) === '') continue;
    const isLine = sign === ':' && /authori[sz]ation$/i.test(name);
    const { from, to, form } = valueAt(text, start, isLine ? LINE_END : BARE_END);
    const secret = text.slice(from, to);
    if (secret === '' || isRedacted(secret)) continue;
    // Words stand behind "token:" too, and `"tokens": 15` is a number of them.
    const mayBeWord = form === 'bare' && (from > start || sign === ':');
    if (mayBeWord && secret.length < 16 && !/\d/.test(secret)) continue;
    const plain = /^\d{1,15}$/.test(secret) ? Number(secret) : decodePart(secret);
    if (!names.isSecret(name, form === 'list' ? {} : plain, isCode && String(plain).length >= SHORTEST_CODE))
      continue;
    onSecret?.(secret);
    end = to;
    const isValue = form === 'list' || (form === 'bare' && isQuoted && sign === ':');
    edits.push([from, to, isValue ? `"${REDACTED}"` : REDACTED]);
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

function nameOf(written: string): string {
  // The end of an escape is no part of it.
  const name = written.startsWith('\\') ? written.slice(2) : written;
  return name.includes('%') ? decodePart(name.replace(CODED_BEFORE, '')) : name;
}

interface Value {
  from: number;
  to: number;
  form: 'quoted' | 'list' | 'bare';
}

/** The value behind a sign. @param bareEnd its end without quotes */
function valueAt(text: string, start: number, bareEnd: RegExp): Value {
  BEGIN.lastIndex = start;
  const [before, quote] = BEGIN.exec(text) as RegExpExecArray;
  const from = start + (before as string).length;
  if (quote !== undefined) return { from, to: endOfQuoted(text, from, quote), form: 'quoted' };
  if (/[{[]/.test(text[from] ?? '') && !text.startsWith(REDACTED.slice(0, -1), from))
    return { from, to: Math.min(skipValue(text, from), text.length), form: 'list' };
  bareEnd.lastIndex = from;
  return { from, to: (bareEnd.exec(text) as RegExpExecArray).index, form: 'bare' };
}

/** Before the quote that closes it, or before the line's end. */
function endOfQuoted(text: string, from: number, opening: string): number {
  let at = opening.length > 1 ? text.indexOf(opening, from) : from;
  if (at < 0) return text.length;
  while (at < text.length && !text.startsWith(opening, at) && text[at] !== '\n' && text[at] !== '\r')
    at += text[at] === '\\' ? 2 : 1;
  return Math.min(at, text.length);
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
