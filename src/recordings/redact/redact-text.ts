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
  if (text.length < SHORTEST) return text;
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
  return json ?? redactPlain(redactNamed(text, redaction, onSecret), redaction, onSecret, hide);
}

/** A JSON value; the very one where nothing is hidden. */
export function redactJson<T extends JsonValue>(value: T, redaction: Redaction, onSecret?: OnSecret): T {
  const text = JSON.stringify(value);
  if (!mayHoldAny(Buffer.from(text), redaction)) return value;
  const clean = redactDocument(text, value, redaction, redactText, onSecret);
  return clean === text ? value : (JSON.parse(clean) as T);
}

/** A JSON document: an object, a list, or a string that holds one. Undefined: it is none. */
export function redactJsonText(text: string, redaction: Redaction, onSecret?: OnSecret): string | undefined {
  // An exception takes longer than a look at both ends.
  if (!/^\s*[[{"]/.test(text) || !/[\]}"]\s{0,64}$/.test(text.slice(-65))) return undefined;
  try {
    const value = JSON.parse(text) as JsonValue;
    if (typeof value === 'string' && !/^\s*[[{"]/.test(value)) return undefined;
    return redactDocument(text, value, redaction, redactText, onSecret);
  } catch {
    return undefined;
  }
}

/** Parts a name from its value. */
const SIGNS = /=>|[:=]|%(?:25)*3[AD]/gi;
const BARE_END = /[&;#\s"'<>\\,{}()]|%(?:25)*(?:26|3B|23)/i;
const MOST_BLANKS = 8;
/** A value that is larger is none that its own looks make a secret. */
const LONGEST_OPEN = 4096;
/** `<password>x</password>` */
const ELEMENT = /<((?:[\w.-]{1,64}:)?[\w.-]{1,64})(?:\s[^<>]{0,2000})?>([^<]+)(?=<\/)/g;

/** A part of a form (RFC 7578): its head, its name, the first line of its value. */
const PART = /(\bname="([^"\r\n]{1,64})"[^\r\n]{0,200}\r?\n(?:[^\r\n]{1,200}\r?\n){0,4}\r?\n)([^\r\n]+)/gi;

/** Hides the values of secret names: `name: value`, `name=value`, `<name>value</name>`. */
function redactNamed(text: string, redaction: Redaction, onSecret?: OnSecret): string {
  const names = redaction.membersInText;
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
    onSecret?.(secret, true);
    end = start + value.to;
    const isValue = value.isList || (value.isBare && isQuoted && sign[0] === ':');
    edits.push([start + value.from, end, isValue ? `"${REDACTED}"` : REDACTED]);
    SIGNS.lastIndex = end;
  }
  const clean = edited(text, edits).replace(PART, (all, head: string, name: string, value: string) => {
    if (!names.has(name) || isRedacted(value) || isHarmless(name, value)) return all;
    onSecret?.(value, true);
    return head + REDACTED;
  });
  if (!clean.includes('</') || (isProgram ?? CODE.test(text))) return clean;
  return clean.replace(ELEMENT, (all, name: string, value: string) => {
    if (!names.has(name) || isRedacted(value) || isHarmless(name, value)) return all;
    onSecret?.(value, true);
    return all.slice(0, -value.length) + REDACTED;
  });
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
