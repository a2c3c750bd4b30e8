import type { JsonValue } from '../../json/json.ts';
import { skipValue } from '../../json/json-text.ts';
import { isHarmless, secretParameters } from './names.ts';
import { redactDocument } from './redact-json.ts';
import { type Edit, edited, type Hide, hidden, isRedacted, REDACTED } from './redacted.ts';
import { type OnSecret, type Redaction, redactPlain, SHORTEST } from './redaction.ts';
import { isOfName, LONGEST_NAME, mayHoldAny } from './suspects.ts';

/**
 * A text of any kind: JSON by its structure, anything else in one pass for names with a value and for what looks like a
 * secret. The names in code stay.
 *
 * @param hide the placeholder of what looks like a secret
 */
export function redactText(
  text: string,
  redaction: Redaction,
  onSecret?: OnSecret,
  hide: Hide = hidden,
): string {
  if (text.length < SHORTEST && redaction.patterns.length === 0) return text;
  return mayHoldAny(Buffer.from(text), redaction) ? redactSuspect(text, redaction, onSecret, hide) : text;
}

/** The same for a text that may hold a secret. */
export function redactSuspect(
  text: string,
  redaction: Redaction,
  onSecret?: OnSecret,
  hide: Hide = hidden,
): string {
  const json = redactJsonText(text, redaction, onSecret);
  if (json !== undefined) return json;
  const delimiter = DELIMITER.exec(text)?.[1];
  if (delimiter !== undefined) {
    const parts = text.split(delimiter);
    return parts.map((part) => redactPart(part, redaction, onSecret)).join(delimiter);
  }
  return redactPlain(redactNamed(text, redaction, onSecret), redaction, onSecret, hide);
}

/** A JSON value; the very one where nothing is hidden. */
export function redactJson<T extends JsonValue>(value: T, redaction: Redaction, onSecret?: OnSecret): T {
  const text = JSON.stringify(value);
  if (!mayHoldAny(Buffer.from(text), redaction)) return value;
  const clean = redactDocument(text, value, redaction, redactText, onSecret);
  return clean === text ? value : (JSON.parse(clean) as T);
}

const JSON_BEGIN = /^\s*[[{"]/;
const JSON_LINES = /(?:^|\n)[ \t]*(?:data:[ \t]?)?[[{]/;
/** Lines that begin as JSON does, and are none, before all others are taken for text: to find that out takes long. */
const MOST_BROKEN = 64;

/** JSON in a text: one document, or one a line, as events have it. Undefined: it is none. */
export function redactJsonText(text: string, redaction: Redaction, onSecret?: OnSecret): string | undefined {
  const whole = JSON_BEGIN.test(text) ? parse(text) : undefined;
  if (whole !== undefined) return redactDocument(text, whole, redaction, redactText, onSecret);
  if (!text.includes('\n') || !JSON_LINES.test(text)) return undefined;
  let broken = 0;
  let isJson = false;
  const lines = text.split('\n').map((line) => {
    const before = /^\s*(?:data:\s?)?/.exec(line)?.[0] ?? '';
    const json = line.slice(before.length).trimEnd();
    const begins = /^[[{]/.test(json) && broken < MOST_BROKEN;
    const value = begins ? parse(json) : undefined;
    if (value === undefined) {
      if (begins) broken++;
      return redactText(line, redaction, onSecret);
    }
    isJson = true;
    const clean = redactDocument(json, value, redaction, redactText, onSecret);
    return before + clean + line.slice(before.length + json.length);
  });
  return isJson ? lines.join('\n') : undefined;
}

/** An object, a list, or a string that holds one. */
function parse(text: string): JsonValue | undefined {
  // An exception takes longer than a look at the end.
  if (!/[\]}"]\s{0,64}$/.test(text.slice(-65))) return undefined;
  try {
    const value = JSON.parse(text) as JsonValue;
    return typeof value !== 'string' || JSON_BEGIN.test(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The first line of a form of parts (RFC 7578). */
const DELIMITER = /^\s{0,8}(--[^\s]{1,200})\r?\n(?:content-)/i;
const HEAD = /^[\s\S]{0,4096}?\r?\n\r?\n/;
const PART_NAME = /[;\s]name\s?=\s?(?:"([^"\r\n]*)"|([^;\s]+))/i;

/** A part of a form: one with a secret name keeps its head, any other is a text. */
function redactPart(part: string, redaction: Redaction, onSecret?: OnSecret): string {
  const head = HEAD.exec(part)?.[0];
  if (head === undefined) return redactPlain(part, redaction, onSecret);
  const tail = /\r?\n$/.exec(part.slice(-2))?.[0] ?? '';
  const value = part.slice(head.length, part.length - tail.length);
  const [, quoted, bare = ''] = PART_NAME.exec(head) ?? [];
  const isSecret = secretParameters(value, redaction.members)(quoted ?? bare, value);
  if (isSecret && !isRedacted(value)) onSecret?.(value, true);
  const clean = isSecret ? REDACTED : redactText(value, redaction, onSecret);
  return redactPlain(head, redaction, onSecret) + clean + tail;
}

/** Parts a name from its value: `name: value`, `name=value`, `--password value`. */
const SIGNS = /=>|[:=]|%(?:25)*3[AD]|(?<![\w-])--[\w-]{0,32}(?:password|token|secret|key|pass) (?=[^-\s])/gi;
const BARE_END = /[&;#\s"'<>\\,{}()]|%(?:25)*(?:26|3B|23)/gi;
const MOST_BLANKS = 8;
/** A value that is larger is none that its own looks make a secret. */
const LONGEST_LOOKED_AT = 4096;

interface ValueSpan {
  from: number;
  to: number;
  isList?: boolean;
  /** It stands as words of a sentence do. */
  mayBeWord?: boolean;
}

/** Hides the values of secret names: `name: value`, `name=value`, `<name>value</name>`, and pairs of both in tags. */
function redactNamed(text: string, redaction: Redaction, onSecret?: OnSecret): string {
  const names = redaction.membersInText;
  const isSecret = secretParameters(text, names);
  const edits: Edit[] = [];
  let end = 0;
  /** Nothing ends a bare value before this. */
  let bareEnd = -1;
  let isProgram: boolean | undefined;
  SIGNS.lastIndex = 0;
  for (let sign = SIGNS.exec(text); sign; sign = SIGNS.exec(text)) {
    const isFlag = sign[0].startsWith('--');
    const name = isFlag ? sign[0].trim().slice(2) : nameBefore(text, sign.index, end);
    const { kind } = names.meaning(name);
    if (kind === 'plain') continue;
    isProgram ??= CODE.test(text);
    if (isProgram) return text;
    const value = valueAt(SIGNS.lastIndex, sign[0], name, kind === 'open');
    const secret = text.slice(value.from, Math.min(value.to, value.from + LONGEST_LOOKED_AT));
    if (secret === '' || isRedacted(secret)) continue;
    // Words stand behind "token:" too, and `"tokens": 15` is a number of them.
    if (value.mayBeWord && secret.length < 16 && !/\d/.test(secret)) continue;
    const plain = /^\d{1,15}$/.test(secret) ? Number(secret) : decodePart(secret);
    if (!isSecret(name, value.isList ? {} : plain)) continue;
    onSecret?.(text.slice(value.from, value.to), true);
    edits.push([value.from, value.to, value.isList ? `"${REDACTED}"` : REDACTED]);
    end = value.to;
    SIGNS.lastIndex = end;
  }
  const clean = edited(text, edits);
  const isMarkup = /<\/|\/>/.test(clean) && !(isProgram ?? CODE.test(text));
  return isMarkup ? redactElements(clean, redaction, onSecret) : clean;

  /** @param isOpen what is too long to be looked at need not be whole */
  function valueAt(start: number, sign: string, name: string, isOpen: boolean): ValueSpan {
    const from = skipBlanks(text, start);
    let at = from;
    while (at - from < MOST_BLANKS && text[at] === '\\') at++;
    const most = Math.min(text.length, isOpen ? at + LONGEST_LOOKED_AT : text.length);
    if (text[at] === '"' || text[at] === "'")
      return { from: at + 1, to: endOfQuoted(text, at + 1, text.slice(from, at + 1), most) };
    if ((text[from] === '{' || text[from] === '[') && !text.startsWith('[redacted', from))
      return { from, to: isOpen ? from : Math.min(skipValue(text, from), text.length), isList: true };
    if (sign === ':' && (text[from] === '|' || text[from] === '>')) return blockAt(text, from);
    // Behind a scheme, credentials follow.
    if (sign === ':' && /authori[sz]ation$/i.test(name))
      return { from, to: endOfLine(text, from), mayBeWord: true };
    if (bareEnd < from) {
      BARE_END.lastIndex = from;
      bareEnd = BARE_END.exec(text)?.index ?? text.length;
    }
    return { from, to: bareEnd, mayBeWord: from > start || sign === ':' };
  }
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (at - from < MOST_BLANKS && (text[at] === ' ' || text[at] === '\t')) at++;
  return at;
}

/** The name that ends before a sign: letters of any script, digits and `_ - . $ % ~ [ ]`, in quotes or not; `""` where there is none. */
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

/** The lines below `name: |` in YAML, which are indented more. */
function blockAt(text: string, from: number): ValueSpan {
  const line = text.slice(Math.max(text.lastIndexOf('\n', from) + 1, from - 2 * LONGEST_NAME), from);
  const indent = /^[ \t]*(?:- )?/.exec(line)?.[0].length ?? 0;
  const start = text.indexOf('\n', from) + 1 || text.length;
  let to = start;
  while (to < text.length) {
    const end = text.indexOf('\n', to) + 1 || text.length;
    if (text.slice(to, to + indent + 1).trim() !== '' && text.slice(to, end).trim() !== '') break;
    to = end;
  }
  const block = text.slice(start, to);
  return { from: start + block.search(/\S|$/), to: start + block.trimEnd().length };
}

function endOfLine(text: string, from: number): number {
  const length = text.slice(from, from + LONGEST_LOOKED_AT).search(/["'\r\n,}]/);
  return length < 0 ? Math.min(text.length, from + LONGEST_LOOKED_AT) : from + length;
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

/** Before the quote that closes it, or before the line's end. @param opening with the backslashes of the text that it stands in */
function endOfQuoted(text: string, start: number, opening: string, most: number): number {
  if (opening.length > 1) {
    const end = text.indexOf(opening, start);
    return end < 0 || end > most ? most : end;
  }
  let at = start;
  while (at < most && text[at] !== opening && text[at] !== '\n' && text[at] !== '\r')
    at += text[at] === '\\' ? 2 : 1;
  return Math.min(at, most);
}

const CONTENT = '(<!\\[CDATA\\[[^\\]]{0,4096}\\]\\]>|[^<]*)';
/** `<password>x</password>`, `<property name="db.password">x</property>` */
const ELEMENT = new RegExp(
  `<((?:[\\w.-]{1,64}:)?([\\w.-]{1,64}))(\\s[^<>]{0,2000})?>${CONTENT}(?=</\\1>)`,
  'g',
);
/** `<add key="password" value="x"/>` */
const PAIR = /<[\w.:-]{1,64}(\s[^<>]{0,2000}?\svalue\s?=\s?["'])([^"'<>]*)/g;
/** `<key>token</key><string>x</string>` */
const PROPERTY = new RegExp(`<key>([^<]{1,100})</key>\\s{0,100}<string>${CONTENT}`, 'g');
const NAME_OF_TAG = /\s(?:name|key|id)\s?=\s?["']([^"'<>]{1,100})["']/i;

function redactElements(text: string, { members }: Redaction, onSecret?: OnSecret): string {
  const hiding = (names: (string | undefined)[], all: string, value: string): string => {
    const name = names.find((one) => one !== undefined && members.has(one));
    if (name === undefined || value === '' || isRedacted(value) || isHarmless(name, value)) return all;
    onSecret?.(value, true);
    return all.slice(0, all.length - value.length) + REDACTED;
  };
  const called = (attributes = '') => NAME_OF_TAG.exec(attributes)?.[1];
  return text
    .replace(ELEMENT, (all, _, tag, attributes, value) => hiding([tag, called(attributes)], all, value))
    .replace(PAIR, (all, attributes, value) => hiding([called(attributes)], all, value))
    .replace(PROPERTY, (all, name, value) => hiding([name], all, value));
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
