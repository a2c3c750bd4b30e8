import { isUtf8 } from 'node:buffer';
import { type JsonValue, parseJson } from '../../json/json.ts';
import { skipValue } from '../../json/json-text.ts';
import { type PatternNode, patternsBelow } from '../../json/pointer-pattern.ts';
import { skipString } from '../../json/scan-json.ts';
import { isHarmless, roleOf, type SecretNames, SHORTEST_CODE, SIGN_IN } from './names.ts';
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
import { mayHoldAny, startOfName, twoWords } from './suspects.ts';

/** Characters of the shortest text that holds a secret, however it is written, and of one without a mark. */
export const SHORTEST = 7;
const SHORTEST_BARE = 14;
const MARK = /[:=%<,;\t-]/;

/**
 * A text of any kind: JSON by its structure, anything else in one pass for names with a value and for what looks like a
 * secret. The names in code stay.
 *
 * @param hide the placeholder of what looks like a secret
 */
export function redactText(text: string, redaction: Redaction, hide: Hide = hidden): string {
  return mayHold(text, redaction) ? redactSuspect(text, redaction, hide) : text;
}

function mayHold(text: string, redaction: Redaction): boolean {
  if (text.length < SHORTEST) return false;
  if (text.length < SHORTEST_BARE && redaction.texts.length === 0 && !MARK.test(text)) return false;
  return mayHoldAny(text, redaction);
}

/** The same for a text that may hold a secret. */
export function redactSuspect(text: string, redaction: Redaction, hide: Hide = hidden): string {
  return redactDocument(text, redaction) ?? redactPlain(redactNamed(text, redaction), redaction, hide);
}

/** A JSON value; the very one if nothing is hidden. */
export function redactJson<T extends JsonValue>(value: T, redaction: Redaction): T {
  const text = JSON.stringify(value);
  const clean = mayHoldAny(text, redaction) ? redactSuspect(text, redaction) : text;
  return clean === text ? value : (JSON.parse(clean) as T);
}

/** Members that say what the ones beside them are, and members that these say it of: `ParameterKey` is the name of `ParameterValue`. */
const TELLS = /^(.*?)(?:name|key|header|field|setting|id)$|^(?:op|path|kind|grant_type|redirect_ur[il])$/i;
const ASKS = /^(.*?)val(?:ues?)?$|^(?:code|data|stringData)$/i;
const SCALAR = /-?\d[\d.eE+-]*|true|false|null/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/g;
/** Nested deeper, a value is hidden as a whole. */
const MOST_LEVELS = 128;
const [QUOTE, PERCENT, COMMA, COLON, EQUALS] = [34, 37, 44, 58, 61];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125];

interface Member extends Span {
  name: string;
}

const NONE: Member[] = [];

/**
 * The text of a JSON document (an object, a list, or a string that holds one) with its secrets replaced, all else as it was written: numbers,
 * spaces, members that come twice. Undefined: it is none. Not by JSON.parse, which takes long for many names, and for an error.
 */
export function redactDocument(text: string, redaction: Redaction): string | undefined {
  return /^\s*(?:[[{]|"\s*(?:[[{]|\\"))/.test(text) ? redactValues(text, redaction) : undefined;
}

function redactValues(text: string, redaction: Redaction): string | undefined {
  const { members, headers, pointers, texts, onSecret } = redaction;
  const edits: Edit[] = [];
  let at = 0;
  // What is hidden for what stands behind it.
  const late: Edit[] = [];
  if (!takeValue(0, '', pointers, false) || !Number.isNaN(skipSpace())) return undefined;
  if (late.length === 0) return edited(text, edits);
  return edited(
    text,
    [...late, ...edits].sort((a, b) => a[0] - b[0] || b[1] - a[1]),
  );

  /** The next character that is no blank. */
  function skipSpace(): number {
    let code = text.charCodeAt(at);
    while (code === 32 || (code >= 9 && code <= 13)) code = text.charCodeAt(++at);
    return code;
  }

  /** Goes over a value. False: this is no JSON. */
  function takeValue(level: number, name: string, place: PatternNode | undefined, isItem: boolean): boolean {
    const code = skipSpace();
    const from = at;
    if (level > MOST_LEVELS || place?.matches) return takeSecret();
    if (code === OPEN_OBJECT) return takeObject(level + 1, name, place);
    if (code === OPEN_LIST) return takeList(level + 1, name, place, isItem);
    if (code === QUOTE) {
      at = skipString(text, from);
      return redactString(from, name);
    }
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

  function takeObject(level: number, holder: string, place: PatternNode | undefined): boolean {
    // Most objects have none.
    let told: Member[] = NONE;
    let asks = false;
    at++;
    for (let next = skipSpace(); next !== CLOSE_OBJECT; next = skipSpace()) {
      if (next !== QUOTE) return false;
      const nameFrom = at;
      at = skipString(text, at);
      const name = stringAt(nameFrom, at);
      if (name === undefined || skipSpace() !== COLON) return false;
      // A name can be a secret itself.
      if (texts.length > 0 || name.length >= SHORTEST_TOKEN)
        replace(nameFrom, at, name, redactPlain(name, redaction));
      at++;
      skipSpace();
      const from = at;
      const isHidden = isSecretMember(name, from, holder);
      if (!(isHidden ? takeSecret() : takeValue(level, name, place && patternsBelow(place, name), false)))
        return false;
      const isAsking = !isHidden && ASKS.test(name);
      asks ||= isAsking;
      if (isAsking || TELLS.test(name)) {
        if (told === NONE) told = [];
        told.push({ name, from, to: at });
      }
      const end = skipSpace();
      if (end !== COMMA && end !== CLOSE_OBJECT) return false;
      if (end === COMMA) at++;
      if (end === COMMA && skipSpace() === CLOSE_OBJECT) return false;
    }
    at++;
    if (asks) hideTold(told);
    return true;
  }

  function isSecretMember(name: string, from: number, holder: string): boolean {
    const kind = members.kindOf(name);
    if (kind === 'plain') return false;
    if (members.isSecret(name, valueAt(from), false)) return true;
    return kind === 'open' && /^cookie$/i.test(name) && /headers$/i.test(holder);
  }

  /** Hides the values of an object that others of its members name. */
  function hideTold(told: readonly Member[]): void {
    const called = new Map<string, string>();
    const beside = new Map<string, JsonValue>();
    for (const { name, from } of told) {
      const prefix = TELLS.exec(name)?.[1];
      const value = TELLS.test(name) ? valueAt(from) : '';
      beside.set(name, value);
      if (typeof value !== 'string' || (prefix === undefined && name !== 'path')) continue;
      const last = value.replace(/^.*\//s, '');
      if (members.has(last)) called.set(prefix?.toLowerCase() ?? name, last);
    }
    for (const { name, from, to } of told) {
      const prefix = ASKS.exec(name)?.[1]?.toLowerCase();
      const secret = called.get(prefix === '' && beside.has('op') ? 'path' : (prefix ?? '/'));
      const isNamed = secret !== undefined && !isHarmless(secret, valueAt(from));
      const isCode = beside.has('grant_type') || beside.has('redirect_uri');
      const isOfSecret = beside.get('kind') === 'Secret' && /^(?:stringD|d)ata$/.test(name);
      if (isNamed || isOfSecret || (/^code$/i.test(name) && members.isSecret(name, valueAt(from), isCode)))
        hide(from, to, late);
    }
  }

  function takeList(level: number, holder: string, place: PatternNode | undefined, isItem: boolean): boolean {
    const isHeaders = /headers$/i.test(holder);
    let index = 0;
    let from = 0;
    let before: string | undefined;
    let isPair = false;
    at++;
    for (let next = skipSpace(); next !== CLOSE_LIST; next = skipSpace()) {
      from = at;
      // `["--token", "x"]`, as arguments of a program are written, and `["X-Api-Key", "x"]`
      const isArgument = before?.startsWith('--') && members.has(before.slice(2));
      const isHeader = isHeaders && index % 2 === 1 && before !== undefined && headers.has(before);
      const isTaken =
        isArgument || isHeader
          ? takeSecret()
          : takeValue(level, '', place && patternsBelow(place, index), true);
      if (!isTaken) return false;
      const item = next === QUOTE ? stringAt(from, at) : undefined;
      isPair =
        index === 1 &&
        before !== undefined &&
        next === QUOTE &&
        members.has(before) &&
        !members.has(item ?? '');
      before = item;
      index++;
      const end = skipSpace();
      if (end !== COMMA && end !== CLOSE_LIST) return false;
      if (end === COMMA) at++;
      if (end === COMMA && skipSpace() === CLOSE_LIST) return false;
    }
    // In a list, the pair `["password", "x"]`.
    if (isPair && isItem) hide(from, skipString(text, from), late);
    at++;
    return true;
  }

  function redactString(from: number, name: string): boolean {
    const plain = stringAt(from, at);
    if (plain === undefined || at > text.length) return false;
    if (!mayHold(plain, redaction)) return true;
    const role = name === '' ? undefined : roleOf(name);
    if (role === 'id' && texts.length === 0 && isIdentifier(plain)) return true;
    replace(from, at, plain, (role === 'code' ? redactPlain : redactSuspect)(plain, redaction));
    return true;
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

/** A sign or a separator that is percent-encoded, once or more often: `: = & # ? ;` */
const CODED = /%(?:25)*(?:3[ABDF]|2[36])/iy;
const SEPARATOR = /[BF36]$/i;
/** Blanks, and the quote that a value begins with, with the backslashes of the text that it stands in. */
const BEGIN = /[ \t]{0,8}(?:\\{0,8}(?:"{3}|'{3}|["']))?/y;
const IS_BEGIN = Uint8Array.from({ length: 128 }, (_, code) =>
  ' \t\\"\''.includes(String.fromCharCode(code)) ? 1 : 0,
);
const BLOCK = /[|>][+-]?(?=[ \t]{0,8}\r?\n)/y;
const BARE_END = /(?=[&;#\s"'<>\\,{}()]|%(?:25)*(?:26|3B|23)|$)/gi;
/** A scheme stands before it, as in `Authorization: Token x`, or the names of cookies. */
const LINE_END = /(?=["'\r\n,}]|$)/g;
/** Of an open name. Nothing else could be random, and this ends soon. */
const OPEN_VALUE =
  /[ \t]{0,8}(?:\\{0,8}["'])?(?:[\w~./-]|%(?!3D|25)[\da-f]{2}){14,}(?:=|%3D){0,2}(?:[^\w~./=-]|$)/iy;
/** Of the code of a sign-in. */
const CODE_VALUE = /[ \t]{0,8}(?:[^ \t{[]|\[redacted)/y;
const COOKIE_VALUE = /[ \t]{0,8}[\w.$-]{1,64}=[^\s;]/y;
const BLANK = /[ \t-]*/y;

/** Hides the values of secret names: `name: value`, `name=value`, and what other forms make of them. */
function redactNamed(text: string, { membersInText: names, onSecret }: Redaction): string {
  const edits: Edit[] = [];
  let [isProgram, isSignIn]: (boolean | undefined)[] = [];
  // No name begins before.
  let floor = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code !== COLON && code !== EQUALS && code !== PERCENT) continue;
    const sign = signAt(text, at, code);
    if (sign === '') continue;
    const name = nameBefore(text, at, floor, names);
    const isQuoted = text[at - 1] === '"';
    const start = at + sign.length;
    floor = start;
    at = start - 1;
    const kind = names.kindOf(name);
    if (kind === 'plain' || SEPARATOR.test(sign)) continue;
    // Names in double quotes are those of JSON.
    if (!isQuoted) isProgram ??= CODE.test(text);
    if (!isQuoted && isProgram) continue;
    const isOpenCode = kind === 'open' && /^code$/i.test(name);
    if (isOpenCode) isSignIn ??= SIGN_IN.test(text);
    const isCode = isOpenCode && isSignIn === true;
    const isCookie = kind === 'open' && sign === ':' && isCookies(name, text, start);
    if (kind === 'open' && !isCookie && matchAt(isCode ? CODE_VALUE : OPEN_VALUE, text, start) === '')
      continue;
    const isLine = isCookie || (sign === ':' && /authori[sz]ation$/i.test(name));
    const { from, to, form } = valueAt(text, start, isLine ? LINE_END : BARE_END);
    const secret = text.slice(from, to);
    if (secret === '' || isRedacted(secret)) continue;
    // Words stand behind "token:" too, and `"tokens": 15` is a number of them.
    const mayBeWord = form === 'bare' && (from > start || sign === ':');
    if (mayBeWord && secret.length < 16 && !/\d/.test(secret)) continue;
    const plain = form === 'list' ? {} : plainValue(secret);
    if (!isCookie && !names.isSecret(name, plain, isCode && secret.length >= SHORTEST_CODE)) continue;
    onSecret?.(secret);
    floor = to;
    at = to - 1;
    const isValue = form === 'list' || (form === 'bare' && isQuoted && sign === ':');
    edits.push([from, to, isValue ? `"${REDACTED}"` : REDACTED]);
  }
  return redactForms(edited(text, edits), () => isProgram ?? CODE.test(text), names, onSecret);
}

function signAt(text: string, at: number, code: number): string {
  if (code === PERCENT) return matchAt(CODED, text, at);
  const isLong = text[at + 1] === (code === COLON ? '=' : '>');
  return text.slice(at, at + (isLong ? 2 : 1));
}

/** The name that stands before a sign, in quotes or not: letters of any script, digits and `_ - . $ % ~ [ ]`. */
function nameBefore(text: string, sign: number, floor: number, names: SecretNames): string {
  let to = sign;
  while (to > floor && sign - to < 8 && ' \t"\'\\'.includes(text[to - 1] as string)) to--;
  const from = startOfName(text, to, floor);
  // The end of an escape is no part of it.
  const name = text.slice(from > floor && text[from - 1] === '\\' ? from + 1 : from, to);
  if (name.includes('%')) return decodePart(name);
  const both = text[from - 1] === ' ' && names.kindOf(name) === 'open' ? twoWords(text, from, to, floor) : '';
  return names.has(both) ? both : name;
}

function isCookies(name: string, text: string, at: number): boolean {
  return /^cookie$/i.test(name) && matchAt(COOKIE_VALUE, text, at) !== '';
}

interface Value extends Span {
  form: 'quoted' | 'list' | 'bare';
}

/** The value behind a sign. @param bareEnd its end without quotes */
function valueAt(text: string, start: number, bareEnd: RegExp): Value {
  const begin = IS_BEGIN[text.charCodeAt(start)] === 1 ? matchAt(BEGIN, text, start) : '';
  const from = start + begin.length;
  const quote = begin.trimStart();
  if (quote !== '') return { from, to: endOfQuoted(text, from, quote), form: 'quoted' };
  const char = text[from];
  if (char === '{' || (char === '[' && !text.startsWith(REDACTED.slice(0, -1), from)))
    return { from, to: Math.min(skipValue(text, from), text.length), form: 'list' };
  if ((char === '|' || char === '>') && matchAt(BLOCK, text, from) !== '') return blockBehind(text, from);
  bareEnd.lastIndex = from;
  bareEnd.test(text);
  return { from, to: bareEnd.lastIndex, form: 'bare' };
}

/** A YAML block: the lines that stand deeper than the one of their name. */
function blockBehind(text: string, from: number): Value {
  const depthOf = (line: number) => matchAt(BLANK, text, line).length;
  const own = depthOf(text.lastIndexOf('\n', from) + 1);
  const endOf = (line: number) => (text.indexOf('\n', line) + 1 || text.length + 1) - 1;
  const first = endOf(from) + 1;
  let to = first;
  for (let line = first; line < text.length && depthOf(line) > own; line = to + 1) to = endOf(line);
  return { from: Math.min(first + depthOf(first), to), to, form: 'quoted' };
}

/** Before the quote that closes it, or before the line's end. */
function endOfQuoted(text: string, from: number, opening: string): number {
  let at = opening.length > 1 ? text.indexOf(opening, from) : from;
  if (at < 0) return text.length;
  while (at < text.length && !text.startsWith(opening, at) && text[at] !== '\n' && text[at] !== '\r')
    at += text[at] === '\\' ? 2 : 1;
  return Math.min(at, text.length);
}

/** A number as one: `tokens=15` is an amount. */
function plainValue(written: string): JsonValue {
  return /^\d{1,15}$/.test(written) ? Number(written) : decodePart(written);
}

const LIKE_SECRET = '(?=[^\\s"\']*\\d|[^\\s"\']{16})[^\\s"\']+';
/** A part of a form (RFC 7578), from its name to the first line of its value. */
const PART = /\bname="?([^"\r\n;]{1,64})"?[^\r\n]{0,200}\r?\n(?:[^\r\n]{1,200}\r?\n){0,4}\r?\n([^\r\n]+)/gi;
/** `--password x`, `login me password x`, `ENV TOKEN x`; a word may follow the name of an option in a sentence. */
const OPTION = new RegExp(
  `(?:(?<![\\w-])--|(?:\\bmachine\\s{1,8}\\S{1,64}|^)\\s{0,8}login\\s{1,8}\\S{1,64}\\s{1,8}|\\b(?:ENV|setx)\\s)([\\w-]{2,64})\\s{1,8}["']?(${LIKE_SECRET})`,
  'gm',
);
/** `curl -u me:x` */
const LOGIN = new RegExp(
  `\\b(curl|sshpass|mysql)\\b[^\\n]{0,80}?\\s(?:-p\\s?|(?:-u|--user)[ =]?["']?[\\w.@+-]{1,64}:)["']?(?!\\$)(${LIKE_SECRET})`,
  'g',
);
/** `<password>x</password>` */
const ELEMENT =
  /<((?:[\w.-]{1,64}:)?[\w.-]{1,64})(?:\s[^<>]{0,2000})?>(?:<!\[CDATA\[)?([^<]+?)(?=(?:\]\]>)?<\/)/g;
/** `<add key="password" value="x"/>`, `<name>password</name><value>x`, `name: password` with `value: x` in the next line. */
const ATTRIBUTE = new RegExp(
  `\\b(?:name|key|id)["']?(?:=|: ?|>)["']?(?=([^"'<>\\s]{1,64}))\\1(?:["']|</\\w{1,16}>)?,?(?:\\s{1,8}type=["']\\w{1,16}["'])?\\s{0,40}` +
    `(?:<?["']?(?:value|content|string)["']?(?:=|: ?|>)(?:<string>)?["']?([^"'<>\\s][^"'<>\\r\\n]{0,4095})|>(${LIKE_SECRET}(?=<)))`,
  'gi',
);

/** Hides the values of secret names that other marks than signs part from them. */
function redactForms(
  text: string,
  isProgram: () => boolean,
  names: SecretNames,
  onSecret: Redaction['onSecret'],
): string {
  const hideLast = (whole: string, name: string, value: string) => {
    if (!names.has(name) || isRedacted(value) || isHarmless(name, plainValue(value))) return whole;
    onSecret?.(value);
    return whole.slice(0, -value.length) + REDACTED;
  };
  let clean = text;
  if (/\n\r?\n/.test(clean)) clean = clean.replace(PART, hideLast);
  if (/--|login|ENV|setx/.test(clean)) clean = clean.replace(OPTION, hideLast);
  if (/curl|sshpass|mysql/.test(clean))
    clean = clean.replace(LOGIN, (whole, _, value) => hideLast(whole, 'password', value));
  if (/\n/.test(clean)) clean = redactTable(clean, names, hideLast);
  if (!/<|value|content|string/i.test(clean) || isProgram()) return clean;
  const hideEither = (whole: string, name: string, one?: string, other?: string) =>
    hideLast(whole, name, (one ?? other) as string);
  return clean.replace(ATTRIBUTE, hideEither).replace(ELEMENT, hideLast);
}

/** Hides the columns of a table (CSV) that its first line names as secrets. */
function redactTable(
  text: string,
  names: SecretNames,
  hideLast: (whole: string, name: string, value: string) => string,
): string {
  const end = text.indexOf('\n');
  const head = text.slice(0, end).trimEnd();
  const mark = /[,;\t]/.exec(head)?.[0];
  if (mark === undefined || head.length > 2000) return text;
  const columns = head.split(mark).map((name) => name.replace(/^"([\w.-]*)"$/, '$1'));
  if (!columns.every((name) => /^[\w.-]{1,64}$/.test(name)) || !columns.some((name) => names.has(name)))
    return text;
  const second = text.slice(end + 1, end + 8000).split('\n')[0] as string;
  if (second.split(mark).length !== columns.length) return text;
  let column = 0;
  const cell = new RegExp(`((?:"[^"]*"){1,8}|[^"${mark}\\r\\n]*)(${mark}|[\\r\\n]+|$)`, 'g');
  const rows = text.slice(end + 1).replace(cell, (whole, value: string, sign: string) => {
    const name = columns[column] ?? '';
    column = sign === mark ? column + 1 : 0;
    return value === '' ? whole : hideLast(value, name, value) + sign;
  });
  return text.slice(0, end + 1) + rows;
}

/** A part of a query or form, percent-decoded; as it stands if it cannot be decoded. */
export function decodePart(part: string): string {
  const spaced = part.includes('+') ? part.replaceAll('+', ' ') : part;
  if (!spaced.includes('%')) return spaced;
  // An exception takes longer than to find that out.
  const isBroken = /%(?![\da-f]{2})/i.test(spaced) || (/%[89a-f]/i.test(spaced) && !isCodedUtf8(spaced));
  return isBroken ? spaced : decodeURIComponent(spaced);
}

function isCodedUtf8(text: string): boolean {
  const runs = text.match(/(?:%[\da-f]{2})+/gi) ?? [];
  return runs.every((run) => isUtf8(Buffer.from(run.replaceAll('%', ''), 'hex')));
}

/** Signs of a program or a page: in `const token = get()`, no secret stands behind the name. */
const CODE = new RegExp(
  [
    '\\b(?:function\\b[^(){}]{0,64}\\(|(?:const|let|var)\\s{1,8}(?:[\\w$]{1,64}\\s?[=;,]|[{[])',
    '(?:if|while|switch|catch)\\s?\\(|for\\s?\\((?:const|let|var|\\w{1,64}\\s?=)|class\\s{1,8}\\w{1,64}\\s?(?:extends\\s|\\{)',
    'return\\b[^\\n;]{0,200};\\s{0,8}(?:\\}|$)|(?:new|typeof)\\s{1,8}\\w{1,64}\\(|await\\s{1,8}\\w{1,64}[.(]',
    '(?:document|window|console|(?:local|session)Storage|JSON|Math|process|jQuery)\\.\\w',
    'import\\s[^\\n]{1,200}\\sfrom\\s|def\\s{1,8}\\w{1,64}\\()',
    '[\\w)]\\s?=>\\s?[^\\s"\']|[!=]==|\\$\\(|\\w\\([^()\\n]{0,200}\\)\\s?;',
    '</?(?:script|style|html|div|span|img|button|svg|iframe|ul|br|h[1-6])\\b',
  ].join('|'),
  'i',
);
