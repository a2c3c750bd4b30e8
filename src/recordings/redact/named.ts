import { isUtf8 } from 'node:buffer';
import { skipValue } from '../../json/json-text.ts';
import { type SecretNames, SIGN_IN } from './names.ts';
import { type Edit, isRedacted, REDACTED } from './redacted.ts';
import type { Redaction } from './redaction.ts';
import * as shapes from './shapes.ts';
import { matchAt, type Span } from './shapes.ts';

/** Names of secrets in a text of any kind, and the values that stand behind them. */

/** Characters of the shortest text that holds a secret, however it is written. */
export const SHORTEST = 7;
const LONGEST_NAME = 128;

/** By UTF-16 code unit: whether a name may have it. */
const IS_OF_NAME = shapes.tableOf(/[\w$.[\]~-]/, 1);

/** A mark of a secret that is more than a word. */
const MARK = /^basic$|-{4}(?:BEGIN)?$|hook|\$(?:2[abxy]|argon2|[156y]\$|apr1|scrypt)|pbkdf2_/i;

/** A quick look at a text; false: there is nothing to hide. Most hold nothing, and this costs a tenth of taking them apart. */
export function mayHold(text: string, { membersInText: names, pointers, texts }: Redaction): boolean {
  if (text.length < SHORTEST) return false;
  if (pointers !== undefined || texts.some((secret) => text.includes(secret))) return true;
  if (text.includes('\\u') || (text.includes('@') && text.search(shapes.MARKED) >= 0)) return true;
  // Entries of many kinds have a key.
  let hasKey = false;
  for (let name = nextName(text, 0, names); name; name = nextName(text, name.to, names)) {
    const kind = names.kindOf(name.name);
    if (kind === 'secret' || (kind === 'open' && !/key$/i.test(name.name))) return true;
    if ((kind === 'plain' && MARK.test(name.name)) || isWordOfMember(text, name)) return true;
    hasKey ||= kind === 'open';
  }
  const isValue = (from: number, to: number) => hasKey && shapes.isOpaque(text.slice(from, to), 16);
  return shapes.someLongWord(
    text,
    (from, to) => isValue(from, to) || shapes.tokenIn(text, from, to) !== undefined,
  );
}

/** The rest of a member's name. */
const REST_OF_MEMBER = /(?:(?:[ /]|\\(?!"))[^"\n]{0,64})?"\s?:/y;

/** Whether it is one word of a member's name, which may hold any character: `"API Key":`. */
function isWordOfMember(text: string, { from, to }: Name): boolean {
  const rest = matchAt(REST_OF_MEMBER, text, to);
  return rest !== '' && !(rest.startsWith('"') && text[from - 1] === '"');
}

interface Name extends Span {
  /** Of a long one its end. */
  name: string;
}

/** The next word that may name a secret. @param floor it does not begin before */
function nextName(text: string, floor: number, names: SecretNames): Name | undefined {
  const root = names.nextRoot(text, floor);
  if (root < 0) return undefined;
  const word = shapes.wordAround(text, root, floor, IS_OF_NAME);
  let from = Math.max(word.from, word.to - LONGEST_NAME);
  // The end of an escape is no part of it.
  from += matchAt(shapes.ESCAPE, text, from).length;
  return { name: text.slice(from, word.to), from, to: Math.max(word.to, root + 1) };
}

/** Quotes and blanks, then the sign. */
const SIGN = /(?:["'\]\\ \t]|%(?:25)*(?:2[027]|5D)){0,8}(?:=>|:=|[:=]|%(?:25)*3[ad])/iy;
/** Blanks, and the quote that a value begins with, with the backslashes of the text that it stands in. */
const BEGIN = /[ \t]{0,8}(?:\\{0,8}["']|%(?:25)*2[27])?/iy;
const BARE_END = /(?=[&;#\s"'<>\\,{}()]|%(?:25)*(?:2[236]|3B)|$)/gi;
const LINE_END = /(?=["'\r\n,}]|$)/g;
/** Characters of the beginning that decide: to look for the end of a value from each name in it would take a square of time. */
const DECIDING = 200;
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
  // Name and value side by side: `"name":"password","value":"x"`, `name: password` and in the next line `value: x`, in markup.
  [
    new RegExp(`\\b(?:${TELLING})(?:"?\\s?[:=]\\s{0,8}["']?[^"'\\n<>]{0,50}|>)$`, 'i'),
    new RegExp(
      `(?:["']?,?\\s{1,64}|["']\\s?,\\s?["']|</\\w{1,9}>\\s{0,64}<)(?:${ASKING}|content|string)["']?\\s?[:=>]\\s{0,8}["']?`,
      'iy',
    ),
    /(?<=["'])(?![{$])(?:[^"'\r\n\\]|\\.)+|(?<!["'])(?![|>{$*!&])[^\s"'<][^\r\n<]*/y,
  ],
  // `--password x`; a word may follow in a sentence.
  [/--$/, /[ \t]{1,8}["']?/y, /(?=[^\s"']*\d|[^\s"']{16})[^\s"']+/y],
];

/** What takes the place of the values that stand behind names of secrets. */
export function editsOfNamed(text: string, { membersInText: names, onSecret }: Redaction): Edit[] {
  const edits: Edit[] = [];
  const hasCode = CODE.test(text);
  let line = { to: -1, isProgram: false };
  const isSignIn = SIGN_IN.test(text);
  for (let found = nextName(text, 0, names); found; found = nextName(text, found.to, names)) {
    if (names.kindOf(found.name) === 'plain') continue;
    const edit = editOf(found);
    if (!edit) continue;
    const secret = text.slice(edit[0], edit[1]);
    if (secret === '' || isRedacted(secret)) continue;
    onSecret?.(secret);
    edits.push(edit);
    found.to = edit[1];
  }
  return edits;

  /** What hides the value behind a name, if that is a secret. */
  function editOf(found: Name): Edit | undefined {
    const { name, to } = found;
    const sign = matchAt(SIGN, text, to);
    if (sign === '') return names.has(name) ? otherEditOf(found) : undefined;
    // Names in double quotes are those of JSON.
    const isJson = text[to] === '"';
    const mayBeCode = hasCode && !isJson;
    if (mayBeCode && isProgram(found.from)) return undefined;
    const start = to + sign.length;
    const begin = matchAt(BEGIN, text, start);
    const from = start + begin.length;
    const quote = begin.trimStart();
    if (quote === '' && /^(?:\{|\[(?!redacted))/.test(text.slice(from, from + 9))) {
      // Of a name whose value decides, no list does.
      if (!names.has(name)) return undefined;
      return [from, Math.min(skipValue(text, from), text.length), `"${REDACTED}"`];
    }
    // A scheme stands before it, as in `Authorization: Token x`, or the names of cookies.
    const isLine = sign.endsWith(':') && /(?:authori[sz]ation|^cookie)$/i.test(name);
    const beginning = text.slice(from, from + DECIDING);
    const secret = beginning.slice(0, endOf(beginning, 0, quote, isLine));
    if (quote === '') {
      // Words stand behind "token:" too.
      const mayBeWord = from > start || sign.endsWith(':');
      if (mayBeWord && secret.length < 16 && !/\d/.test(secret)) return undefined;
      if (mayBeCode && (EXPRESSION.test(secret) || text[from + secret.length] === '(')) return undefined;
    }
    if (!names.isSecret(name, decodePart(secret), isSignIn)) return undefined;
    const by = quote === '' && isJson ? `"${REDACTED}"` : REDACTED;
    return [from, endOf(text, from, quote, isLine), by];
  }

  /** Whether the line of a name is one of a program. */
  function isProgram(at: number): boolean {
    if (at >= line.to) {
      const to = text.indexOf('\n', at);
      line = { to: to < 0 ? text.length : to, isProgram: false };
      line.isProgram = CODE.test(text.slice(text.lastIndexOf('\n', at) + 1, line.to));
    }
    return line.isProgram;
  }

  function otherEditOf({ name, from, to }: Name): Edit | undefined {
    const before = text.slice(Math.max(0, from - 66), name.startsWith('--') ? from + 2 : from);
    for (const [beginning, between, pattern] of OTHER_FORMS) {
      if (!beginning.test(before)) continue;
      const start = to + matchAt(between, text, to).length;
      const value = start === to ? '' : matchAt(pattern, text, start);
      if (value !== '' && names.isSecret(name, decodePart(value), isSignIn))
        return [start, start + value.length, REDACTED];
    }
    return undefined;
  }
}

/** Before the quote that closes a value, or before the line's end; without a quote, before a sign of its end. */
function endOf(text: string, from: number, quote: string, isLine: boolean): number {
  if (quote === '') {
    const end = isLine ? LINE_END : BARE_END;
    end.lastIndex = from;
    end.test(text);
    return end.lastIndex;
  }
  let at = from;
  while (at < text.length && !text.startsWith(quote, at) && text[at] !== '\n' && text[at] !== '\r')
    at += text[at] === '\\' ? 2 : 1;
  return Math.min(at, text.length);
}

/** A part of a query or form, percent-decoded; as it stands where it cannot be decoded. */
export function decodePart(part: string): string {
  const spaced = part.includes('+') ? part.replaceAll('+', ' ') : part;
  // Not by decodeURIComponent: an exception takes long.
  return spaced.replace(/(?:%[\da-f]{2})+/gi, (run) => {
    const bytes = Buffer.from(run.replaceAll('%', ''), 'hex');
    return isUtf8(bytes) ? bytes.toString() : run;
  });
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
