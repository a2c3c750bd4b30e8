import type { JsonValue } from '../../json/json.ts';
import { isCode } from './code.ts';
import { endOfBrackets } from './json-span.ts';
import {
  decodePart,
  isBlank,
  LONGEST_NAME,
  MOST_BLANKS,
  type NameBefore,
  nameBefore,
} from './name-before.ts';
import { isHarmless, Parameters } from './names.ts';
import { redactJsonText, redactValue } from './redact-json.ts';
import { redactPlain, SHORTEST } from './redact-plain.ts';
import { betweenPlaceholders, type Hide, hidden, isRedacted, REDACTED, SplicedText } from './redacted.ts';
import { foundByName, type OnFound, type Redaction } from './redaction.ts';

/**
 * A text of any kind: JSON by its structure, anything else in one pass for names with a value and for what looks like a
 * secret. The names in code stay.
 *
 * @param hide the placeholder of what looks like a secret
 */
export function redactText(
  text: string,
  redaction: Redaction,
  place = 'body',
  onFound?: OnFound,
  hide: Hide = hidden,
): string {
  if (text.length < SHORTEST && redaction.patterns.length === 0) return text;
  const json = redactJsonText(text, redaction, redactText, place, onFound);
  if (json !== undefined) return json;
  const delimiter = DELIMITER.exec(text)?.[1];
  if (delimiter !== undefined) return redactParts(text, delimiter, redaction, onFound);
  const named = SIGN.test(text) ? redactNamed(text, redaction, place, onFound) : text;
  return redactPlain(named, redaction, place, onFound, hide);
}

/** A JSON value, copied only as far as something in it changes. */
export function redactJson(value: JsonValue, redaction: Redaction, onFound?: OnFound): JsonValue {
  return redactValue(value, redaction, redactText, onFound);
}

/** The first line of a form of parts (RFC 7578). */
const DELIMITER = /^\s{0,8}(--[^\s]{1,200})\r?\n(?:content-)/i;
const LONGEST_HEAD = 4096;
const HEAD_END = /\r?\n\r?\n/;
/** The name of a file may hold all that reads as a name. */
const FILE_NAME = /\bfilename\*?\s{0,8}=\s{0,8}(?:"[^"\r\n]*"|[^;\r\n]*)/gi;
const PART_NAME = /\bname(\*?)\s{0,8}=\s{0,8}(?:"([^"\r\n]*)"|'([^'\r\n]*)'|([^;\s]+))/i;

/** A form of parts: those with a secret name keep their head, all others are texts. */
function redactParts(text: string, delimiter: string, redaction: Redaction, onFound?: OnFound): string {
  return text
    .split(delimiter)
    .map((part) => redactField(part, redaction, onFound))
    .join(delimiter);
}

function redactField(part: string, redaction: Redaction, onFound?: OnFound): string {
  const blank = HEAD_END.exec(part.slice(0, LONGEST_HEAD));
  if (!blank) return part.length < SHORTEST ? part : redactPlain(part, redaction, 'body', onFound);
  const head = part.slice(0, blank.index + blank[0].length);
  const tail = /\r?\n$/.exec(part.slice(-2))?.[0] ?? '';
  const value = part.slice(head.length, part.length - tail.length);
  const [, coded, ...names] = PART_NAME.exec(head.replace(FILE_NAME, '')) ?? [];
  const written = names.find((one) => one !== undefined) ?? '';
  // RFC 5987: with its character set and language.
  const name = coded ? decodePart(written.replace(/^[\w-]*'[\w-]*'/, '')) : written;
  const place = `body/${name}`;
  if (new Parameters(value, redaction.members).isSecret(name, value)) {
    if (!isRedacted(value)) onFound?.(foundByName(name, place, value));
    return head + REDACTED + tail;
  }
  const isBase64 = /^content-transfer-encoding:\s{0,8}base64/im.test(head);
  const plain = isBase64 ? Buffer.from(value, 'base64').toString('latin1') : value;
  const clean = redactText(plain, redaction, place, onFound);
  // A placeholder that is coded itself is none, and matches nothing.
  const kept = clean === plain ? value : isBase64 ? REDACTED : clean;
  return redactPlain(head, redaction, 'body', onFound) + kept + tail;
}

/** Without one of these no name stands in a text. */
const SIGN = /[:=<]|%(?:25)*3d|password|token/i;
/** Parts a name from its value: `name: value`, `name=value`, `--password value`. */
const SIGNS = /=>|[:=]|%(?:25)*3[AD]|(?<![\w-])--[\w-]{0,32}(?:password|token|secret|key|pass) (?=[^-\s])/gi;
const BARE_END = /[&;#\s"'<>\\,{}()]|%(?:25)*(?:26|3B|23)/gi;
const SCHEME = /^(?:bearer|basic|token|digest|apikey|negotiate|aws4-hmac-sha256)$/i;
/** A value that is larger is none that its own looks make a secret. */
const LONGEST_LOOKED_AT = 4096;

/** Hides the values of secret names: `name: value`, `name=value`, `<name>value</name>`, and pairs of both in tags. */
function redactNamed(text: string, redaction: Redaction, place: string, onFound?: OnFound): string {
  const members = redaction.membersInText;
  const parameters = new Parameters(text, members);
  const clean = new SplicedText(text);
  const values = new Values(text);
  let isProgram: boolean | undefined;
  SIGNS.lastIndex = 0;
  for (let sign = SIGNS.exec(text); sign; sign = SIGNS.exec(text)) {
    const next = SIGNS.lastIndex;
    const isFlag = sign[0].startsWith('--');
    const before = isFlag
      ? { name: sign[0].trim().slice(2), isQuoted: false, isWithin: false }
      : nameBefore(text, sign.index, clean.end);
    if (before === undefined || !members.mayHave(before.name)) continue;
    const isSecret = members.has(before.name);
    if (before.isWithin && !isSecret) continue;
    isProgram ??= isCode(text);
    if (isProgram) return text;
    const value = values.at(next, sign[0], before, isSecret ? text.length : LONGEST_LOOKED_AT);
    const secret = text.slice(value.from, Math.min(value.to, value.from + LONGEST_LOOKED_AT));
    if (secret === '' || isRedacted(secret) || value.mayBeWord) continue;
    if (!parameters.isSecret(before.name, value.isJson ? 'JSON' : plainValue(secret))) continue;
    onFound?.(foundByName(before.name, place, text.slice(value.from, value.to)));
    clean.replace(value.from, value.to, value.isJson ? `"${REDACTED}"` : REDACTED);
    SIGNS.lastIndex = value.to;
  }
  const result = clean.toString();
  if (isProgram || !(result.includes('</') || result.includes('/>'))) return result;
  return redactElements(result, redaction, place, onFound);
}

/** `"tokens": 15` is a number of them. */
function plainValue(written: string): JsonValue {
  return /^\d{1,15}$/.test(written) ? Number(written) : decodePart(written);
}

interface ValueSpan {
  from: number;
  to: number;
  isJson: boolean;
  mayBeWord: boolean;
}

/** The quote that opens a value, with the backslashes of the text that it stands in. */
function openingAt(text: string, from: number): string {
  let at = from;
  while (at - from < MOST_BLANKS && text[at] === '\\') at++;
  return text[at] === '"' || text[at] === "'" ? text.slice(from, at + 1) : '';
}

/** Finds the values behind the signs of one text. */
class Values {
  readonly #text: string;
  /** Nothing ends a bare value before this. */
  #bareEnd = -1;

  constructor(text: string) {
    this.#text = text;
  }

  /** @param most characters of a value that is looked for */
  at(start: number, sign: string, { name, isQuoted }: NameBefore, most: number): ValueSpan {
    const text = this.#text;
    let from = start;
    while (from - start < MOST_BLANKS && isBlank(text.charCodeAt(from))) from++;
    const opening = openingAt(text, from);
    if (opening === '' && (text[from] === '{' || text[from] === '['))
      return { from, to: endOfBrackets(text, from, from + most), isJson: true, mayBeWord: false };
    if (opening !== '') {
      const inside = from + opening.length;
      const to = endOfQuoted(text, inside, opening, from + most);
      return { from: inside, to, isJson: false, mayBeWord: false };
    }
    const block = sign.startsWith(':') ? this.#block(from) : undefined;
    if (block) return { ...block, isJson: false, mayBeWord: false };
    let to = this.#endOfBare(from);
    const value = text.slice(from, Math.min(to, from + 64));
    const isScheme = SCHEME.test(value) && /authori[sz]ation$/i.test(name);
    if (isScheme) to = endOfLine(text, to);
    // Words stand behind "token:" too.
    const mayBeWord =
      !isQuoted &&
      (from > start || sign.startsWith(':')) &&
      !/\d/.test(value) &&
      value.length < 16 &&
      !isScheme;
    return { from, to, isJson: false, mayBeWord };
  }

  /** The lines below `name: |` in YAML, which are indented more. */
  #block(from: number): { from: number; to: number } | undefined {
    const text = this.#text;
    const head = /^[|>][+\d-]{0,2}[ \t]{0,8}\r?\n/.exec(text.slice(from, from + 16))?.[0];
    if (head === undefined) return undefined;
    const line = text.slice(text.lastIndexOf('\n', from) + 1, from);
    const indent = /^[ \t]*(?:- )?/.exec(line.slice(0, LONGEST_NAME))?.[0].length ?? 0;
    const start = from + head.length;
    let to = start;
    while (to < text.length) {
      const end = text.indexOf('\n', to) < 0 ? text.length : text.indexOf('\n', to);
      const before = text.slice(to, to + indent + 1);
      if (before.trim() !== '' && text.slice(to, end).trim() !== '') break;
      to = end + 1;
    }
    const first = start + (/^\s*/.exec(text.slice(start, start + 256))?.[0].length ?? 0);
    const last = Math.min(to, text.length);
    const ending = /\r?\n$/.exec(text.slice(last - 2, last))?.[0] ?? '';
    return { from: first, to: last - ending.length };
  }

  #endOfBare(from: number): number {
    if (this.#bareEnd < from) {
      BARE_END.lastIndex = from;
      this.#bareEnd = BARE_END.exec(this.#text)?.index ?? this.#text.length;
    }
    return this.#bareEnd;
  }
}

function endOfLine(text: string, from: number): number {
  const length = text.slice(from, from + LONGEST_LOOKED_AT).search(/["'\r\n,}]/);
  return length < 0 ? Math.min(text.length, from + LONGEST_LOOKED_AT) : from + length;
}

/** Before the quote that closes it, or before the line's end. */
function endOfQuoted(text: string, start: number, opening: string, most: number): number {
  const length = Math.min(text.length, most);
  if (opening.length > 1) {
    const end = text.slice(start, length).indexOf(opening);
    return end < 0 ? length : start + end;
  }
  let at = start;
  while (at < length && text[at] !== opening && text[at] !== '\n' && text[at] !== '\r')
    at += text[at] === '\\' ? 2 : 1;
  return Math.min(at, length);
}

const MOST_UNCLOSED = 64;
const TAG = /<(\/?)((?:[\w.-]{1,64}:)?([\w.-]{1,64}))((?:\s[^<>]{0,2000})?)>/g;
const NAME_OF_TAG = /\s(?:name|key|id)\s?=\s?["']([^"'<>]{1,100})["']/i;
const VALUE_OF_TAG = /\svalue\s?=\s?(["'])([^"'<>]*)\1/i;

/** What stands between the tags of a secret name, and the values of tags that say a name: `<add key="password" value="x"/>`. */
function redactElements(text: string, redaction: Redaction, place: string, onFound?: OnFound): string {
  const clean = new SplicedText(text);
  let isProgram: boolean | undefined;
  /** Nothing is looked for in vain twice. */
  const unclosed = new Set<string>();
  /** Of a property list: `<key>token</key><string>x</string>`. */
  let keyBefore: string | undefined;
  for (const { 0: tag, 1: slash, 2: name = '', 3: local = '', 4: rest = '', index } of text.matchAll(TAG)) {
    if (index < clean.end || slash || unclosed.has(name) || unclosed.size > MOST_UNCLOSED) continue;
    const called = rest === '' ? undefined : NAME_OF_TAG.exec(rest)?.[1];
    const value = called === undefined ? null : VALUE_OF_TAG.exec(rest);
    if (value && redaction.members.has(called as string)) {
      const from = index + 1 + name.length + value.index + value[0].length - (value[2] as string).length - 1;
      hide(from, from + (value[2] as string).length, called as string);
    }
    const secret = [local, called, local === 'string' ? keyBefore : undefined].find(
      (one) => one !== undefined && redaction.members.has(one),
    );
    const isKey = local === 'key' && rest === '';
    keyBefore = undefined;
    if (rest.endsWith('/') || (secret === undefined && !isKey)) continue;
    const start = index + tag.length;
    const end = text.indexOf(`</${name}>`, start);
    if (end < 0) unclosed.add(name);
    else if (secret !== undefined) hide(start, end, secret);
    else keyBefore = text.slice(start, Math.min(end, start + LONGEST_NAME));
  }
  return clean.toString();

  function hide(from: number, to: number, name: string): void {
    const value = text.slice(from, to);
    if (value === '' || isRedacted(value) || from < clean.end || isHarmless(name, value)) return;
    isProgram ??= isCode(text);
    if (isProgram) return;
    onFound?.(foundByName(name, place, value));
    clean.replace(from, to, REDACTED);
  }
}

/** `token=abc&limit=1` -> `token=[redacted]&limit=1`: a query without its `?`, or a form; `;` may part it, too. */
export function redactPairs(
  pairs: string,
  redaction: Redaction,
  place: string,
  onFound?: OnFound,
  hide: Hide = hidden,
): string {
  const parameters = new Parameters(pairs, redaction.members);
  return pairs.split('&').map(redactPair).join('&');

  /** A secret goes to the end: a `;` may be part of it, or not. */
  function redactPair(pair: string): string {
    const first = pair.indexOf('=');
    if (first < 0) return redactPart(pair, place);
    let start = 0;
    for (let equals = first; equals >= 0; equals = pair.indexOf('=', start)) {
      const name = decodePart(pair.slice(start, equals));
      if (redaction.members.mayHave(name)) {
        const value = decodePart(pair.slice(equals + 1));
        if (isRedacted(value)) return pair;
        if (parameters.isSecret(name, value)) {
          onFound?.(foundByName(name, `${place}/${name}`, value));
          return pair.slice(0, equals + 1) + (redaction.members.has(name) ? REDACTED : hide(value));
        }
      }
      const next = pair.indexOf(';', equals);
      if (next < 0) break;
      start = next + 1;
    }
    const name = pair.slice(0, first);
    return `${redactPart(name, place)}=${redactPart(pair.slice(first + 1), `${place}/${decodePart(name)}`)}`;
  }

  function redactPart(part: string, where: string): string {
    const plain = decodePart(part);
    const clean = redactText(plain, redaction, where, onFound, hide);
    if (clean === plain) return part;
    return plain === part || isRedacted(clean) ? clean : encodePart(clean);
  }
}

/** A part of a query, form or path, percent-encoded but for placeholders. */
export function encodePart(part: string): string {
  return betweenPlaceholders(part, (text) => encodeURIComponent(text.toWellFormed()));
}
