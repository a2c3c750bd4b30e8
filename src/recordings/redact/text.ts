import { isUtf8 } from 'node:buffer';
import { type JsonValue, parseJson } from '../../json/json.ts';
import { skipValue } from '../../json/json-text.ts';
import { matchesPattern } from '../../json/pointer-pattern.ts';
import { Container, scanJson, skipString, UNLIMITED } from '../../json/scan-json.ts';
import { roleOf, type SecretNames } from './names.ts';
import { type Edit, edited, type Hide, hidden, holdsPlaceholder, isRedacted, REDACTED } from './redacted.ts';
import type { Redaction } from './redaction.ts';
import * as shapes from './shapes.ts';
import { matchAt, type Span } from './shapes.ts';

const JSON_LINE = /(?<=^(?:data: ?)?)[[{].*[\]}]$/gm;

/** A text of any kind: JSON by its structure, anything else in one pass for names with a value and for what looks like a secret.
 *  @param hide the placeholder of what looks like a secret */
export function redactText(text: string, redaction: Redaction, hide: Hide = hidden): string {
  if (text.startsWith('\ufeff')) return `\ufeff${redactText(text.slice(1), redaction, hide)}`;
  if (!mayHold(text, redaction)) return text;
  const document = redactDocument(text, redaction);
  if (document !== undefined) return document;
  const cleanLine = (line: string) => (mayHold(line, redaction) && redactDocument(line, redaction)) || line;
  const lines = text.replace(JSON_LINE, cleanLine);
  return redactPlain(lines, redaction, hide, editsOfNamed(lines, redaction));
}

/** A JSON value; the very one if nothing is hidden. */
export function redactJson<T extends JsonValue>(value: T, redaction: Redaction): T {
  const text = JSON.stringify(value);
  const clean = redactText(text, redaction);
  return clean === text ? value : (JSON.parse(clean) as T);
}

/** Hides known secrets, and all that looks like one, in text of any kind. @param edits of what is hidden beside it */
export function redactPlain(text: string, redaction: Redaction, hide = hidden, edits: Edit[] = []): string {
  for (const { from, to } of shapes.secretsIn(text)) {
    const secret = text.slice(from, to);
    if (isRedacted(secret)) continue;
    edits.push([from, to, hide(secret)]);
  }
  for (const secret of redaction.texts)
    for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + secret.length))
      edits.push([at, at + secret.length, hide(secret)]);
  return edited(text, edits);
}

/** A mark of a secret that is more than a word. */
const MARK = /^basic$|-{4}(?:BEGIN)?$|hook|\$(?:2[abxy]|argon2|[156y]\$|apr1|scrypt)|pbkdf2_/i;
/** Behind one of several words of a member's name: `"API Key":`. */
const WORD_OF_MEMBER = /(?:[ /]|\\(?!"))[^"\n]{0,64}"\s?:|(?<!"[\w$.[\]~\u0080-\uffff-]{1,128})"\s?:/y;

/** A quick look at a text; false: there is nothing to hide. Most hold nothing, and this costs a tenth of taking them apart.
 *  @param bytes of the text, if they are at hand: of use if each character is one byte */
export function mayHold(text: string, redaction: Redaction, bytes?: Buffer): boolean {
  const { members: names, pointers, texts } = redaction;
  if (text.length < 7) return false;
  if (pointers !== undefined || texts.some((secret) => text.includes(secret))) return true;
  if (bytes?.length === text.length && !text.includes('@') && !text.includes('\\') && !names.mayBeIn(bytes))
    return false;
  if (text.includes('\\u') || (text.includes('@') && shapes.IS_IN_URL.test(text))) return true;
  // Entries of many kinds have a key.
  let hasKey = false;
  for (let name = nextName(text, 0, names); name; name = nextName(text, name.to, names)) {
    const kind = names.kindOf(name.name);
    if (kind === 'secret' || matchAt(WORD_OF_MEMBER, text, name.to) !== '') return true;
    if (kind === 'open' ? !/key$/i.test(name.name) : MARK.test(name.name)) return true;
    hasKey ||= kind === 'open';
  }
  const isOpaque = ({ from, to }: Span) => hasKey && shapes.isOpaque(text.slice(from, to));
  return shapes.longWords(text).some((word) => isOpaque(word) || shapes.tokenIn(text, word) !== undefined);
}

/** Members that name what `value` beside them is: `{"name": "DB_PASSWORD", "value": …}`; in JSON Patch, `path` does. */
const TELLS =
  /^(?:name|key|header|field|setting|id|path|property|variable|attribute|(?:param(?:eter)?|key)[-_]?(?:key|name))$/i;
const ASKS = /^(?:(?:new|old|string|parameter)[-_]?)?val(?:ues?)?$/i;
const DOCUMENT = /^\s*(?:\{\s*["}]|\[\s*(?:[[{"\]\d-]|true|false|null)|"\s*[[{\\])/;
/** An identifier, and no token of a known kind. */
const IDENTIFIER = /^(?!eyJ|A[KSI][A-Zz]a?|gh[pousr]_|sk[_-])[\w.:=/+-]+$/;

/** The text of a JSON document (an object, a list, or a string) without its secrets, all else as it was written: numbers, spaces,
 *  members that come twice. Undefined: it is none. */
export function redactDocument(text: string, redaction: Redaction): string | undefined {
  // An exception takes long.
  if (!DOCUMENT.test(text) || !/[\]}"]/.test(text.trimEnd().at(-1) ?? '')) return undefined;
  if (parseJson(text) === undefined) return undefined;
  const { members, pointers, texts } = redaction;
  const [whole, parts]: [Edit[], Edit[]] = [[], []];
  /** The name of a secret that a member of an object, or the first item of a list, tells; and the values that one may name. */
  const told = new Map<Container, string>();
  const asked: [Container, from: number, JsonValue][] = [];
  let done = 0;
  scanJson(text, UNLIMITED, undefined, (open, from) => {
    if (from < done) return;
    const holder = open.at(-1) ?? new Container(false);
    const name = holder.isObject ? holder.name : '';
    const isContainer = text[from] === '{' || text[from] === '[';
    const written = isContainer ? '' : text.slice(from, skipValue(text, from));
    const value = isContainer ? {} : (JSON.parse(written) as JsonValue);
    // A name can be a secret itself.
    if (name.length >= (texts.length > 0 ? 1 : shapes.SHORTEST_TOKEN))
      replace(holder.nameOffset, name, redactPlain(name, redaction));
    const tokens = pointers && open.length < 128 ? open.map(({ token }) => token) : [];
    if (matchesPattern(pointers, tokens) || members.isSecret(name, value)) hide(from);
    else if (typeof value === 'string') replace(from, value, redactString(value, name));
    // There is no placeholder for some digits.
    else if (texts.some((secret) => written.includes(secret))) hide(from);
    // A list in a list may be a pair: `["password", "x"]`.
    const index = !holder.isObject && open.at(-2)?.isObject === false ? holder.index : -1;
    if (index === 1 || ASKS.test(name)) asked.push([holder, from, value]);
    if (index === 0 || TELLS.test(name)) {
      // The last name in a path, or the whole. What was redacted before is no name, although `token=[redacted]` reads as one.
      const last = String(value).replace(/^.*\//s, '');
      if (!holdsPlaceholder(last) && members.has(last)) told.set(holder, last);
    }
  });
  done = 0;
  for (const [holder, from, value] of asked) {
    const name = from < done ? undefined : told.get(holder);
    if (name && (holder.isObject || holder.index === 1) && members.isSecret(name, value)) hide(from);
  }
  return edited(text, [...whole, ...parts]);

  function redactString(value: string, name: string): string {
    if (!mayHold(value, redaction)) return value;
    const role = roleOf(name);
    // An id has the shape of a token.
    if (role === 'id' && texts.length === 0 && IDENTIFIER.test(value)) return value;
    return (role === 'code' ? redactPlain : redactText)(value, redaction);
  }

  function replace(from: number, before: string, after: string): void {
    if (after !== before) parts.push([from, skipString(text, from), JSON.stringify(after)]);
  }

  function hide(from: number): void {
    const written = text.slice(from, skipValue(text, from));
    done = Math.max(done, from + written.length);
    if (isRedacted(written.slice(1, -1))) return;
    whole.push([from, from + written.length, `"${REDACTED}"`]);
  }
}

const LONGEST_NAME = 128;
const IS_OF_NAME = shapes.tableOf(/[\w$.[\]~-]/, 1);

type Name = Span & { name: string };

/** The next word that may name a secret, or the end of a long one. @param floor it does not begin before */
function nextName(text: string, floor: number, names: SecretNames): Name | undefined {
  const root = names.nextRoot(text, floor);
  if (root < 0) return undefined;
  // The root ends in a character that no name has, as in `was password`.
  if (IS_OF_NAME[text.charCodeAt(root)] === 0) return { name: '', from: root + 1, to: root + 1 };
  const word = shapes.wordAround(text, root, floor, IS_OF_NAME);
  let from = Math.max(word.from, word.to - LONGEST_NAME);
  // The end of an escape is no part of it.
  if (text[from - 1] !== '"') from += matchAt(shapes.ESCAPE, text, from).length;
  return { name: text.slice(from, word.to), from, to: word.to };
}

const SIGN =
  /(?:%(?:25)*5B\w{0,32})?(?:["'\]\\ \t]|%(?:25)*(?:2[027]|5D)){0,8}(?:=>|:=|[:=]|%(?:25)*3[ad])/iy;
/** Blanks, and the quote that a value begins with, with the backslashes of the text that it stands in. */
const BEGIN = /[ \t]{0,8}(?:\\{0,8}["']|%(?:25)*2[27])?/iy;
const BARE_END = /(?=[&;#\s"'<>\\,{}()]|%(?:25)*(?:2[236]|3B)|$)/gi;
const LINE_END = /(?=["'\r\n,}]|$)/g;
/** Characters of the beginning that decide: to look for the end of a value from each name in it would take a square of time. */
const DECIDING = 128;
/** Forms without a sign: what stands before the name, between name and value, and the value. */
const OTHER_FORMS: [before: RegExp, between: RegExp, value: RegExp][] = [
  // `<password>x</password>`
  [/<(?:[\w.-]{1,64}:)?$/, /(?:\s[^<>]{0,200})?>(?:<!\[CDATA\[)?/y, /[^<]+?(?=(?:\]\]>)?<\/)/y],
  // A part of a form (RFC 7578), to the end of a line.
  [/\bname="?$/, /"?[^\r\n]{0,200}\r?\n(?:[^\r\n]{1,200}\r?\n){0,4}\r?\n/y, /[^\r\n]+/y],
  // `<add key="password" value="x"/>`
  [/\b(?:name|key)=["']$/, /["']\s{1,8}(?:value|content)=["']/y, /[^"'<>\r\n]+/y],
  // `<key>password</key><string>x</string>`
  [/<(?:name|key)>$/, /<\/(?:name|key)>\s{0,64}<(?:value|string)>/y, /[^<]{1,256}(?=<\/)/y],
  // `"name":"password","value":"x"`, where it is no whole document.
  [
    /"(?:name|key|path|header|field|setting|id|property|variable|parameter\w{3,4})"\s?:\s?"[^"\n]{0,50}$/i,
    /"\s?,\s?"(?:new|string)?val(?:ues?)?"\s?:\s?"/iy,
    /(?:[^"\\\n]|\\.)+/y,
  ],
  // `--password x`; a word may follow in a sentence.
  [/--$/, /[ \t]{1,8}["']?/y, /(?=[^\s"']*\d|[^\s"']{16})[^\s"']+/y],
];
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

/** What takes the place of the values that stand behind names of secrets in a text of any kind. */
function editsOfNamed(text: string, { members: names }: Redaction): Edit[] {
  const edits: Edit[] = [];
  const hasCode = CODE.test(text);
  for (let found = nextName(text, 0, names); found; found = nextName(text, found.to, names)) {
    const edit = names.kindOf(found.name) === 'plain' ? undefined : (editOf(found) ?? otherEditOf(found));
    if (!edit) continue;
    const [from, to] = edit;
    const secret = text.slice(from, to);
    if (secret === '' || isRedacted(secret)) continue;
    edits.push(edit);
    found.to = to;
  }
  return edits;

  /** What hides the value behind a name and a sign, if that is a secret. */
  function editOf({ name, from: at, to }: Name): Edit | undefined {
    const sign = matchAt(SIGN, text, to);
    // Names in double quotes are those of JSON.
    const isJson = text[to] === '"';
    const mayBeCode = hasCode && !isJson;
    if (sign === '' || (mayBeCode && isProgram(at))) return undefined;
    const start = to + sign.length;
    const begin = matchAt(BEGIN, text, start);
    const from = start + begin.length;
    const quote = begin.trimStart();
    const beginning = text.slice(from, from + DECIDING);
    if (quote === '' && /^(?:\{|\[(?!redacted))/.test(beginning)) {
      // Of a name whose value decides, no list does.
      if (!names.has(name)) return undefined;
      return [from, Math.min(skipValue(text, from), text.length), `"${REDACTED}"`];
    }
    // A scheme stands before it, as in `Authorization: Token x`, or the names of cookies.
    const isLine = sign.endsWith(':') && /(?:authori[sz]ation|^cookie)$/i.test(name);
    const secret = beginning.slice(0, endOf(beginning, 0, quote, isLine));
    if (quote === '') {
      // Words stand behind "token:" too.
      const mayBeWord = from > start || sign.endsWith(':');
      if (mayBeWord && secret.length < 16 && !/\d/.test(secret)) return undefined;
      // `get(`, `session.token`
      const isCalled = beginning[secret.length] === '(';
      if (mayBeCode && (isCalled || /^[a-z_$][\w$]*(?:\.[a-z_$][\w$]*)+$/i.test(secret))) return undefined;
    }
    if (!names.isSecret(name, decodePart(secret))) return undefined;
    const by = quote === '' && isJson ? `"${REDACTED}"` : REDACTED;
    return [from, endOf(text, from, quote, isLine), by];
  }

  /** Whether the line of a name is one of a program. */
  function isProgram(at: number): boolean {
    const [before, behind] = [text.slice(Math.max(0, at - DECIDING), at), text.slice(at, at + DECIDING)];
    return CODE.test(before.slice(before.lastIndexOf('\n') + 1) + behind.replace(/\n.*/s, ''));
  }

  function otherEditOf({ name, from, to }: Name): Edit | undefined {
    if (!names.has(name) || matchAt(SIGN, text, to) !== '') return undefined;
    const before = text.slice(Math.max(0, from - 66), name.startsWith('--') ? from + 2 : from);
    for (const [beginning, between, pattern] of OTHER_FORMS) {
      if (!beginning.test(before)) continue;
      const start = to + matchAt(between, text, to).length;
      const value = start === to ? '' : matchAt(pattern, text, start);
      if (names.isSecret(name, decodePart(value))) return [start, start + value.length, REDACTED];
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
  if (!spaced.includes('%')) return spaced;
  return spaced.replace(/(?:%[\da-f]{2})+/gi, (run) => {
    const bytes = Buffer.from(run.replaceAll('%', ''), 'hex');
    return isUtf8(bytes) ? bytes.toString() : run;
  });
}
