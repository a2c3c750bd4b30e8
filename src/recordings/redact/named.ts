import { isUtf8 } from 'node:buffer';
import { skipValue } from '../../json/json-text.ts';
import { type SecretNames, SIGN_IN } from './names.ts';
import { type Edit, isRedacted, REDACTED } from './redacted.ts';
import type { Redaction } from './redaction.ts';
import { isOpaque, matchAt, SHORTEST_TOKEN, type Span, someLongWord, tableOf, tokenIn } from './shapes.ts';

/** Names of secrets in a text of any kind, and the values that stand behind them. */

/** Characters of the shortest text that holds a secret, however it is written. */
export const SHORTEST = 7;
const LONGEST_NAME = 128;

/** By UTF-16 code unit: whether a name may have it. */
const IS_OF_NAME = tableOf(/[\w$%.[\]~-]/, 1);

/** A mark of a secret that is more than a word, or a name that may be coded. */
const MARK = /^basic$|-{4}(?:BEGIN)?$|hook|%|\$(?:2[abxy]|argon2|[156y]\$|apr1|scrypt)|pbkdf2_/i;
const PASSWORD_IN_URL = /:\\{0,3}\/\\{0,3}\/[^\s/?#@:"'<>\\[\]]{0,128}:[^\s/]|@(?:tcp|unix)\(/;

/** A quick look at a text; false: there is nothing to hide. Most hold nothing, and this costs a tenth of taking them apart. */
export function mayHold(text: string, { membersInText: names, pointers, texts }: Redaction): boolean {
  if (text.length < SHORTEST) return false;
  if (pointers !== undefined || texts.some((secret) => text.includes(secret))) return true;
  if (text.includes('\\u') || (text.includes('@') && PASSWORD_IN_URL.test(text))) return true;
  // Entries of many kinds have a key.
  let hasKey = false;
  for (let name = nextName(text, 0, names); name; name = nextName(text, name.to, names)) {
    const kind = names.kindOf(name.name);
    if (kind === 'secret' || (kind === 'plain' && MARK.test(name.name))) return true;
    if (kind === 'open' && !/key$/i.test(name.name)) return true;
    if (isWordOfMember(text, name)) return true;
    hasKey ||= kind === 'open';
  }
  const isShape = (from: number, to: number) => tokenIn(text, from, to) !== undefined;
  const isValue = (from: number, to: number) => isOpaque(text.slice(from, to), SHORTEST_TOKEN);
  return someLongWord(text, hasKey ? (from, to) => isShape(from, to) || isValue(from, to) : isShape);
}

/** The rest of a member's name. */
const REST_OF_MEMBER = /(?:(?:[ /]|\\(?!"))[^"\n]{0,64})?"\s?:/y;

/** Whether it is one word of a member's name, which may hold any character: `"API Key":`. */
function isWordOfMember(text: string, { from, to }: Name): boolean {
  const rest = matchAt(REST_OF_MEMBER, text, to);
  return rest !== '' && !(rest.startsWith('"') && text[from - 1] === '"');
}

interface Name extends Span {
  /** Percent-decoded; of a long one its end. */
  name: string;
}

/** Characters that no name has, percent-encoded once or more often. */
const CODED = '%(?:25)*(?:[01][\\da-f]|2[0-36-9a-cf]|3[a-f]|40|5[ce]|60|7[b-d])';
const CODED_HERE = new RegExp(CODED, 'iy');
const TO_LAST_CODED = new RegExp(`^.*${CODED}`, 'is');

/** The next word that may name a secret. @param floor it does not begin before */
function nextName(text: string, floor: number, names: SecretNames): Name | undefined {
  const root = names.nextRoot(text, floor);
  if (root < 0) return undefined;
  let to = root;
  while (IS_OF_NAME[text.charCodeAt(to)] === 1 && (text[to] !== '%' || matchAt(CODED_HERE, text, to) === ''))
    to++;
  let from = root;
  const least = Math.max(floor, to - LONGEST_NAME);
  while (from > least && IS_OF_NAME[text.charCodeAt(from - 1)] === 1) from--;
  // The end of an escape is no part of it.
  if (from > floor && from < root && text[from - 1] === '\\') from++;
  const written = text.slice(from, to);
  if (!written.includes('%')) return { name: written, from, to: Math.max(to, root + 1) };
  // Of `a%3Dtoken`, the last part.
  const coded = TO_LAST_CODED.exec(written)?.[0].length ?? 0;
  const name = decodePart(decodePart(written.slice(coded)));
  return { name, from: from + coded, to: Math.max(to, root + 1) };
}

/** Quotes and blanks, then the sign. */
const SIGN = /(?:["'\]\\ \t]|%(?:25)*2[027]){0,8}(?:=>|:=|[:=]|%(?:25)*3[ad])/iy;
/** Blanks, and the quote that a value begins with, with the backslashes of the text that it stands in. */
const BEGIN = /[ \t]{0,8}(?:\\{0,8}["']|%(?:25)*2[27])?/iy;
const BARE_END = /(?=[&;#\s"'<>\\,{}()]|%(?:25)*(?:2[236]|3B)|$)/gi;
const LINE = /[^"'\r\n,}]*/y;
/** Of a name whose value decides: nothing else could be one, and this ends soon. */
const OPEN_VALUE = /[ \t]{0,8}(?:\\{0,8}["'])?(?:\[redacted|(?:[\w~./-]|%(?!3D|25)[\da-f]{2}){8})/iy;
const COOKIE = /[ \t]{0,8}[\w.$-]{1,64}=/y;
/** Characters of the beginning and of the end of a long one that decide. */
const DECIDING = 96;
/** In a program that goes over lines: `session.token`. */
const EXPRESSION = /^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+$/;
/** Members that name what the value beside them is, and members of that value. */
export const TELLING =
  'name|key|header|field|setting|id|path|property|variable|attribute|(?:param(?:eter)?|key)[-_]?(?:key|name)';
export const ASKING = '(?:(?:new|old|string|parameter)[-_]?)?val(?:ues?)?';
/** Forms without a sign: what stands before the name, between name and value, and the value. */
const OTHER_FORMS: [before: RegExp, between: RegExp, value: RegExp][] = [
  // `<password>x</password>`
  [/<(?:[\w.-]{1,64}:)?$/, /(?:\s[^<>]{0,200})?>(?:<!\[CDATA\[)?/y, /[^<]+?(?=(?:\]\]>)?<\/)/y],
  // A part of a form (RFC 7578), to the end of a line.
  [/\bname="?$/, /"?[^\r\n]{0,200}\r?\n(?:[^\r\n]{1,200}\r?\n){0,4}\r?\n/y, /[^\r\n]+/y],
  // `<add key="password" value="x"/>`, `<string name="password">x</string>`
  [/\b(?:name|key)=["']$/, /["']\s{1,8}(?:value|content)=["']/y, /[^"'<>\r\n]+/y],
  [
    /<(?:string|property|param|setting)\s[^<>]{0,40}\bname=["']$/,
    /["'][^<>/]{0,200}>/y,
    /(?![\s$])[^<]{1,256}(?=<\/)/y,
  ],
  // `<key>password</key><string>x</string>`
  [/<(?:name|key)>$/, /<\/(?:name|key)>\s{0,64}<(?:value|string)>/y, /[^<]{1,256}(?=<\/)/y],
  // `- name: PASSWORD`, and in the next line `value: x`
  [
    /\bname:[ \t]{1,8}["']?$/,
    /["']?[ \t]{0,8}\r?\n[ \t]{1,64}value:[ \t]{1,8}["']?/y,
    // In quotes, or to the line's end: no block, template, anchor or tag.
    /(?<=["'])(?![{$])[^"'\r\n]+|(?<!["'])(?![|>{$*!&])[^\s"'][^\r\n]*/y,
  ],
  // `"name":"password","value":"x"`, where it is no whole document.
  [
    new RegExp(`"(?:${TELLING})"\\s?:\\s?"[^"\\n]{0,50}$`, 'i'),
    new RegExp(`"\\s?,\\s?"(?:${ASKING})"\\s?:\\s?"`, 'iy'),
    /(?:[^"\\\n]|\\.)+/y,
  ],
  // `--password x`; a word may follow in a sentence.
  [/--$/, /[ \t]{1,8}["']?/y, /(?=[^\s"']*\d|[^\s"']{16})[^\s"']+/y],
];

interface Value extends Span {
  form: 'quoted' | 'list' | 'bare';
}

/** What takes the place of the values that stand behind names of secrets, in the order of the text. */
export function editsOfNamed(text: string, { membersInText: names, onSecret }: Redaction): Edit[] {
  const edits: Edit[] = [];
  const hasCode = CODE.test(text);
  let line = { to: -1, isProgram: false };
  let bare: Span = { from: 0, to: -1 };
  const isSignIn = SIGN_IN.test(text);
  for (let found = nextName(text, 0, names); found; found = nextName(text, found.to, names)) {
    if (names.kindOf(found.name) === 'plain') continue;
    const value = secretOf(found);
    if (!value) continue;
    const secret = text.slice(value.from, value.to);
    if (secret === '' || isRedacted(secret)) continue;
    onSecret?.(secret);
    const isValue = value.form === 'list' || (value.form === 'bare' && text[found.to] === '"');
    edits.push([value.from, value.to, isValue ? `"${REDACTED}"` : REDACTED]);
    found.to = value.to;
  }
  return edits;

  /** The secret behind a name, if one is there. */
  function secretOf({ name, from, to }: Name): Value | undefined {
    const sign = matchAt(SIGN, text, to);
    if (sign === '') return names.has(name) ? otherValue(name, from, to) : undefined;
    // Names in double quotes are those of JSON.
    if (hasCode && text[to] !== '"' && isProgram(from)) return undefined;
    const start = to + sign.length;
    const isOpen = names.kindOf(name) === 'open';
    // A scheme stands before it, as in `Authorization: Token x`, or the names of cookies.
    const isLine = sign.endsWith(':') && /(?:authori[sz]ation|^cookie)$/i.test(name);
    if (isOpen && matchAt(isLine ? COOKIE : OPEN_VALUE, text, start) === '') return undefined;
    const value = valueAt(start, isLine);
    const secret = text.slice(value.from, value.to);
    // Words stand behind "token:" too.
    const mayBeWord = value.form === 'bare' && (value.from > start || sign.endsWith(':'));
    if (mayBeWord && secret.length < 16 && !/\d/.test(secret)) return undefined;
    const mayBeCode = hasCode && value.form === 'bare' && text[to] !== '"';
    if (mayBeCode && (EXPRESSION.test(secret) || text[value.to] === '(')) return undefined;
    const isLong = isOpen && secret.length > 2 * DECIDING;
    const deciding = isLong ? [secret.slice(0, DECIDING), secret.slice(-DECIDING)] : [secret];
    const isSecret = (part: string) =>
      names.isSecret(name, value.form === 'list' ? {} : decodePart(part), isSignIn);
    return deciding.some(isSecret) ? value : undefined;
  }

  /** The value behind a sign. @param isLine without quotes it goes on to the line's end */
  function valueAt(start: number, isLine: boolean): Value {
    const begin = matchAt(BEGIN, text, start);
    const from = start + begin.length;
    const quote = begin.trimStart();
    if (quote !== '') return { from, to: endOfQuoted(text, from, quote), form: 'quoted' };
    if (text[from] === '{' || (text[from] === '[' && !text.startsWith(REDACTED.slice(0, -1), from)))
      return { from, to: Math.min(skipValue(text, from), text.length), form: 'list' };
    if (isLine) return { from, to: from + matchAt(LINE, text, from).length, form: 'bare' };
    return { from, to: endOfBare(from), form: 'bare' };
  }

  /** Names within a value without quotes share its end: to look for it from each would take a square of time. */
  function endOfBare(from: number): number {
    if (from >= bare.from && from <= bare.to) return bare.to;
    BARE_END.lastIndex = from;
    BARE_END.test(text);
    bare = { from, to: BARE_END.lastIndex };
    return bare.to;
  }

  /** Whether the line of a name is one of a program. */
  function isProgram(at: number): boolean {
    if (at < line.to) return line.isProgram;
    const to = text.indexOf('\n', at);
    line = { to: to < 0 ? text.length : to, isProgram: false };
    line.isProgram = CODE.test(text.slice(text.lastIndexOf('\n', at) + 1, line.to));
    return line.isProgram;
  }

  function otherValue(name: string, from: number, to: number): Value | undefined {
    const before = text.slice(Math.max(0, from - 66), name.startsWith('--') ? from + 2 : from);
    for (const [beginning, between, pattern] of OTHER_FORMS) {
      if (!beginning.test(before)) continue;
      const start = to + matchAt(between, text, to).length;
      const value = start === to ? '' : matchAt(pattern, text, start);
      if (value !== '' && names.isSecret(name, decodePart(value), isSignIn))
        return { from: start, to: start + value.length, form: 'quoted' };
    }
    return undefined;
  }
}

/** Before the quote that closes it, or before the line's end. */
function endOfQuoted(text: string, from: number, opening: string): number {
  let at = from;
  while (at < text.length && !text.startsWith(opening, at) && text[at] !== '\n' && text[at] !== '\r')
    at += text[at] === '\\' ? 2 : 1;
  return Math.min(at, text.length);
}

/** A part of a query or form, percent-decoded; as it stands where it cannot be decoded. */
export function decodePart(part: string): string {
  const spaced = part.includes('+') ? part.replaceAll('+', ' ') : part;
  // Not by decodeURIComponent: an exception takes long.
  return spaced.includes('%') ? spaced.replace(/(?:%[\da-f]{2})+/gi, decodeRun) : spaced;
}

function decodeRun(run: string): string {
  const bytes = Buffer.from(run.replaceAll('%', ''), 'hex');
  return isUtf8(bytes) ? bytes.toString() : run;
}

/** Signs of a program or a page: in `const token = get()`, no secret stands behind the name. */
const CODE = new RegExp(
  [
    '\\b(?:function\\b[^(){}]{0,64}\\(|(?:const|let|var)\\s{1,8}(?:[\\w$]{1,64}\\s?[=;,]|[{[])|(?:if|while|switch|catch|for)\\s?\\(|class\\s{1,8}\\w{1,64}\\s?\\{)',
    '\\b(?:return\\b[^\\n;]{0,200};\\s{0,8}(?:\\}|$)|import\\s[^\\n]{1,200}\\sfrom\\s|def\\s{1,8}\\w{1,64}\\()',
    '\\b(?:document|window|console|(?:local|session)Storage|JSON|Math|process|jQuery)\\.\\w',
    '[\\w)]\\s?=>\\s?[^\\s"\']|[!=]==|\\$\\(|\\w\\([^()\\n]{0,200}\\)\\s?;',
    '</?(?:script|style|html|div|span|img|button|svg|iframe|ul|br|h[1-6])\\b',
  ].join('|'),
  'i',
);
