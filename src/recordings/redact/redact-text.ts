import type { JsonValue } from '../../json/json.ts';
import { skipValue } from '../../json/json-text.ts';
import { isHarmless, Parameters } from './names.ts';
import { redactDocument } from './redact-json.ts';
import { Edits, type Hide, hidden, isRedacted, REDACTED } from './redacted.ts';
import { type OnSecret, type Redaction, redactPlain, SHORTEST } from './redaction.ts';
import { decodePart, isOfName, LONGEST_NAME, mayHoldAny } from './suspects.ts';

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
  const clean = mayHoldAny(Buffer.from(text), redaction)
    ? redactDocument(text, redaction, redactText, onSecret)
    : text;
  return clean === text ? value : (JSON.parse(clean) as T);
}

const JSON_BEGIN = /^\s*[[{"]/;
const JSON_LINES = /^[ \t]*(?:data:[ \t]?)?[[{].*\n|\n[ \t]*(?:data:[ \t]?)?[[{]/;
/** Lines that begin as JSON does, and are none, before all others are taken for text: to find that out takes long. */
const MOST_BROKEN = 64;

/** JSON in a text: one document, or one a line, as events have it. Undefined: it is none. */
export function redactJsonText(text: string, redaction: Redaction, onSecret?: OnSecret): string | undefined {
  if (JSON_BEGIN.test(text) && isJson(text)) return redactDocument(text, redaction, redactText, onSecret);
  if (!JSON_LINES.test(text)) return undefined;
  let broken = 0;
  let whole = 0;
  const lines = text.split('\n').map((line) => {
    const before = /^\s*(?:data:\s?)?/.exec(line)?.[0] ?? '';
    const json = line.slice(before.length).trimEnd();
    const begins = /^[[{]/.test(json) && broken < MOST_BROKEN;
    if (!begins || !isJson(json)) {
      if (begins) broken++;
      return redactText(line, redaction, onSecret);
    }
    whole++;
    return (
      before + redactDocument(json, redaction, redactText, onSecret) + line.slice(before.length + json.length)
    );
  });
  return whole > 0 ? lines.join('\n') : undefined;
}

/** An object, a list, or a string that holds one. */
function isJson(text: string): boolean {
  // An exception takes longer than a look at the end.
  if (!/[\]}"]\s{0,64}$/.test(text.slice(-65))) return false;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? JSON_BEGIN.test(value) : typeof value === 'object';
  } catch {
    return false;
  }
}

/** The first line of a form of parts (RFC 7578). */
const DELIMITER = /^\s{0,8}(--[^\s]{1,200})\r?\n(?:content-)/i;
const LONGEST_HEAD = 4096;
/** The name of a file may hold all that reads as a name. */
const FILE_NAME = /\bfilename\*?\s{0,8}=\s{0,8}(?:"[^"\r\n]*"|[^;\r\n]*)/gi;
const PART_NAME = /\bname(\*?)\s{0,8}=\s{0,8}(?:"([^"\r\n]*)"|'([^'\r\n]*)'|([^;\s]+))/i;

/** A part of a form: one with a secret name keeps its head, any other is a text. */
function redactPart(part: string, redaction: Redaction, onSecret?: OnSecret): string {
  const blank = /\r?\n\r?\n/.exec(part.slice(0, LONGEST_HEAD));
  if (!blank) return part.length < SHORTEST ? part : redactPlain(part, redaction, onSecret);
  const head = part.slice(0, blank.index + blank[0].length);
  const tail = /\r?\n$/.exec(part.slice(-2))?.[0] ?? '';
  const value = part.slice(head.length, part.length - tail.length);
  const [, coded, ...names] = PART_NAME.exec(head.replace(FILE_NAME, '')) ?? [];
  const written = names.find((one) => one !== undefined) ?? '';
  // RFC 5987: with its character set and language.
  const name = coded ? decodePart(written.replace(/^[\w-]*'[\w-]*'/, '')) : written;
  if (new Parameters(value, redaction.members).isSecret(name, value)) {
    if (!isRedacted(value)) onSecret?.(value, true);
    return head + REDACTED + tail;
  }
  const isBase64 = /^content-transfer-encoding:\s{0,8}base64/im.test(head);
  const plain = isBase64 ? Buffer.from(value, 'base64').toString('latin1') : value;
  const clean = redactText(plain, redaction, onSecret);
  // A placeholder that is coded itself is none, and matches nothing.
  const kept = clean === plain ? value : isBase64 ? REDACTED : clean;
  return redactPlain(head, redaction, onSecret) + kept + tail;
}

/** Parts a name from its value: `name: value`, `name=value`, `--password value`. */
const SIGNS = /=>|[:=]|%(?:25)*3[AD]|(?<![\w-])--[\w-]{0,32}(?:password|token|secret|key|pass) (?=[^-\s])/gi;
const BARE_END = /[&;#\s"'<>\\,{}()]|%(?:25)*(?:26|3B|23)/gi;
const SCHEME = /^(?:bearer|basic|token|digest|apikey|negotiate|aws4-hmac-sha256)$/i;
const MOST_BLANKS = 8;
/** A value that is larger is none that its own looks make a secret. */
const LONGEST_LOOKED_AT = 4096;

interface ValueSpan {
  from: number;
  to: number;
  isJson: boolean;
  /** It stands as words of a sentence do. */
  mayBeWord: boolean;
}

/** Hides the values of secret names: `name: value`, `name=value`, `<name>value</name>`, and pairs of both in tags. */
function redactNamed(text: string, redaction: Redaction, onSecret?: OnSecret): string {
  const names = redaction.membersInText;
  const parameters = new Parameters(text, names);
  const edits = new Edits(text);
  /** Nothing ends a bare value before this. */
  let bareEnd = -1;
  let isProgram: boolean | undefined;
  SIGNS.lastIndex = 0;
  for (let sign = SIGNS.exec(text); sign; sign = SIGNS.exec(text)) {
    const behind = SIGNS.lastIndex;
    const isFlag = sign[0].startsWith('--');
    const name = isFlag ? sign[0].trim().slice(2) : nameBefore(text, sign.index, edits.end);
    const { kind } = names.meaning(name);
    if (kind === 'plain') continue;
    isProgram ??= CODE.test(text);
    if (isProgram) return text;
    const value = valueAt(behind, sign[0], name, kind === 'open' ? behind + LONGEST_LOOKED_AT : text.length);
    const secret = text.slice(value.from, Math.min(value.to, value.from + LONGEST_LOOKED_AT));
    if (secret === '' || isRedacted(secret)) continue;
    if (!parameters.isSecret(name, value.isJson ? {} : plainValue(secret))) continue;
    // Words stand behind "token:" too.
    const isWord = !/\d/.test(secret) && secret.length < 16;
    if (value.mayBeWord && isWord) continue;
    onSecret?.(text.slice(value.from, value.to), true);
    edits.add(value.from, value.to, value.isJson ? `"${REDACTED}"` : REDACTED);
    SIGNS.lastIndex = value.to;
  }
  const clean = edits.toString();
  if (isProgram || !/<\/|\/>/.test(clean)) return clean;
  return redactElements(clean, redaction, onSecret);

  /** @param most offset up to which a value is looked for */
  function valueAt(start: number, sign: string, name: string, most: number): ValueSpan {
    let from = start;
    while (from - start < MOST_BLANKS && isBlank(text.charCodeAt(from))) from++;
    let at = from;
    while (at - from < MOST_BLANKS && text[at] === '\\') at++;
    if (text[at] === '"' || text[at] === "'") {
      const to = endOfQuoted(text, at + 1, text.slice(from, at + 1), Math.min(most, text.length));
      return { from: at + 1, to, isJson: false, mayBeWord: false };
    }
    if ((text[from] === '{' || text[from] === '[') && !text.startsWith('[redacted', from)) {
      // The looks of a list say nothing.
      const to = most < text.length ? from : Math.min(skipValue(text, from), text.length);
      return { from, to, isJson: true, mayBeWord: false };
    }
    const block = sign === ':' ? blockAt(text, from) : undefined;
    if (block) return block;
    if (bareEnd < from) {
      BARE_END.lastIndex = from;
      bareEnd = BARE_END.exec(text)?.index ?? text.length;
    }
    const isScheme =
      SCHEME.test(text.slice(from, Math.min(bareEnd, from + 32))) && /authori[sz]ation$/i.test(name);
    const quote = text[start - sign.length - 1];
    const mayBeWord = quote !== '"' && quote !== "'" && !isScheme && (from > start || sign === ':');
    return { from, to: isScheme ? endOfLine(text, bareEnd) : bareEnd, isJson: false, mayBeWord };
  }
}

/** The name that ends before a sign: letters of any script, digits and `_ - . $ % ~ [ ]`, in quotes or not; `""` where there is none. */
function nameBefore(text: string, sign: number, floor: number): string {
  let end = sign;
  while (end > floor && sign - end < MOST_BLANKS && isBlank(text.charCodeAt(end - 1))) end--;
  if (end > floor && (text[end - 1] === '"' || text[end - 1] === "'")) {
    end--;
    while (end > floor && text[end - 1] === '\\') end--;
  }
  let from = end;
  const least = Math.max(floor, end - LONGEST_NAME);
  while (from > least && isOfName(text.charCodeAt(from - 1))) from--;
  // The end of an escape is no part of it.
  const name = text.slice(text[from - 1] === '\\' ? from + 1 : from, end);
  return name.includes('%') ? decodePart(name.replace(/^.*%(?:25)*(?:3F|26|3B|23|3D)/i, '')) : name;
}

function isBlank(char: number): boolean {
  return char === 32 || char === 9;
}

/** `"tokens": 15` is a number of them. */
function plainValue(written: string): JsonValue {
  return /^\d{1,15}$/.test(written) ? Number(written) : decodePart(written);
}

/** The lines below `name: |` in YAML, which are indented more. */
function blockAt(text: string, from: number): ValueSpan | undefined {
  if (text[from] !== '|' && text[from] !== '>') return undefined;
  const head = /^[|>][+\d-]{0,2}[ \t]{0,8}\r?\n/.exec(text.slice(from, from + 16))?.[0];
  if (head === undefined) return undefined;
  const line = text.slice(Math.max(text.lastIndexOf('\n', from) + 1, from - 2 * LONGEST_NAME), from);
  const indent = /^[ \t]*(?:- )?/.exec(line)?.[0].length ?? 0;
  const start = from + head.length;
  let to = start;
  while (to < text.length) {
    const end = text.indexOf('\n', to) < 0 ? text.length : text.indexOf('\n', to);
    if (text.slice(to, to + indent + 1).trim() !== '' && text.slice(to, end).trim() !== '') break;
    to = end + 1;
  }
  const last = Math.min(to, text.length);
  const blanks = /^\s*/.exec(text.slice(start, start + 256))?.[0].length ?? 0;
  const ending = /\r?\n$/.exec(text.slice(last - 2, last))?.[0] ?? '';
  return { from: start + blanks, to: last - ending.length, isJson: false, mayBeWord: false };
}

function endOfLine(text: string, from: number): number {
  const length = text.slice(from, from + LONGEST_LOOKED_AT).search(/["'\r\n,}]/);
  return length < 0 ? Math.min(text.length, from + LONGEST_LOOKED_AT) : from + length;
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

const MOST_UNCLOSED = 64;
const TAG = /<((?:[\w.-]{1,64}:)?([\w.-]{1,64}))((?:\s[^<>]{0,2000})?)>/g;
const NAME_OF_TAG = /\s(?:name|key|id)\s?=\s?["']([^"'<>]{1,100})["']/i;
const VALUE_OF_TAG = /\svalue\s?=\s?["']([^"'<>]*)["']/i;

/** What stands between the tags of a secret name, and the values of tags that say a name: `<add key="password" value="x"/>`. */
function redactElements(text: string, { members }: Redaction, onSecret?: OnSecret): string {
  const edits = new Edits(text);
  /** Nothing is looked for in vain twice. */
  const unclosed = new Set<string>();
  /** Of a property list: `<key>token</key><string>x</string>`. */
  let keyBefore = '';
  let isProgram: boolean | undefined;
  for (const { 0: tag, 1: name = '', 2: local = '', 3: rest = '', index } of text.matchAll(TAG)) {
    if (index < edits.end || unclosed.has(name) || unclosed.size > MOST_UNCLOSED) continue;
    const called = NAME_OF_TAG.exec(rest)?.[1] ?? '';
    const value = members.has(called) ? VALUE_OF_TAG.exec(rest) : null;
    if (value) {
      const to = index + 1 + name.length + value.index + value[0].length - 1;
      hide(to - (value[1] as string).length, to, called);
    }
    const secret = [local, called, local === 'string' ? keyBefore : ''].find((one) => members.has(one));
    const isKey = tag === '<key>';
    keyBefore = '';
    if (rest.endsWith('/') || (secret === undefined && !isKey)) continue;
    const start = index + tag.length;
    const end = text.indexOf(`</${name}>`, start);
    if (end < 0) unclosed.add(name);
    else if (secret !== undefined) hide(start, end, secret);
    else keyBefore = text.slice(start, Math.min(end, start + LONGEST_NAME));
  }
  return isProgram ? text : edits.toString();

  function hide(from: number, to: number, name: string): void {
    const value = text.slice(from, to);
    if (value === '' || isRedacted(value) || from < edits.end || isHarmless(name, value)) return;
    isProgram ??= CODE.test(text);
    if (!isProgram) {
      onSecret?.(value, true);
      edits.add(from, to, REDACTED);
    }
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
