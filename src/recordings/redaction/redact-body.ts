import { isUtf8 } from 'node:buffer';
import { type Beginning, decodeStart } from '../../http/decode-content.ts';
import { header, type RawHeaders } from '../../http/http.ts';
import type { InlineBody, StoredBody } from '../../model/exchange.ts';
import { bodyBytes, storeBody } from '../body.ts';
import { withJson } from '../json-style.ts';
import { decodePart } from './decode-part.ts';
import { codingOf } from './redact-headers.ts';
import { redactJson } from './redact-json.ts';
import { redactPairs, redactPlain, redactText } from './redact-text.ts';
import { REDACTED } from './redacted.ts';
import { foundByName, type OnFound, type Redaction } from './redaction.ts';
import { beginOfCutSecret } from './secret-kinds.ts';
import { isSecretParameter } from './secret-names.ts';

/** Whether the media type is that of forms, whose names stand without quotes. */
export function isForm(contentType: string | undefined): boolean {
  return contentType !== undefined && /^\s*application\/x-www-form-urlencoded\b/i.test(contentType);
}

/** Whether the media type is that of forms whose parts have heads of their own. */
export function isMultipart(contentType: string | undefined): boolean {
  return contentType !== undefined && /^\s*multipart\//i.test(contentType);
}

function isCode(contentType: string | undefined): boolean {
  return (
    contentType !== undefined &&
    /(?:java|ecma|type)script|html|\/css|wasm|svg|\/x-(?:python|sh|ruby|php)/i.test(contentType)
  );
}

/** The bytes of a body without content codings. Most hold nothing to hide, which one look at them shows. */
export function redactBytes(
  bytes: Buffer,
  contentType: string | undefined,
  redaction: Redaction,
  onFound?: OnFound,
): Buffer {
  if (bytes.length === 0) return bytes;
  const isParts = isForm(contentType) || isMultipart(contentType);
  // Patterns are written for letters, not for their bytes.
  if (!isParts && redaction.patterns.length === 0 && !redaction.mayBeIn(bytes.toString('latin1')))
    return bytes;
  const stored = storeBody(bytes, contentType) as InlineBody;
  if ('json' in stored) {
    const json = redactJson(stored.json, redaction, onFound);
    return json === stored.json ? bytes : bodyBytes(withJson(stored, json));
  }
  // Bytes that are no UTF-8 are read as Latin-1, where every byte stays what it is.
  const encoding = isUtf8(bytes) ? 'utf8' : 'latin1';
  const text = bytes.toString(encoding);
  const clean = redactContent(text, contentType, redaction, onFound);
  return clean === text ? bytes : Buffer.from(clean, encoding);
}

/** A body that is kept with its exchange, without content codings. */
export function redactBody<Body extends StoredBody>(
  body: Body,
  contentType: string | undefined,
  redaction: Redaction,
  onFound?: OnFound,
): Body | InlineBody {
  if ('json' in body) {
    const json = redactJson(body.json, redaction, onFound);
    return json === body.json ? body : withJson(body, json);
  }
  if ('text' in body) {
    const text = redactContent(body.text, contentType, redaction, onFound);
    return text === body.text ? body : { text };
  }
  if (!('base64' in body)) return body;
  const bytes = Buffer.from(body.base64, 'base64');
  const clean = redactBytes(bytes, contentType, redaction, onFound);
  return clean === bytes ? body : { base64: clean.toString('base64') };
}

function redactContent(
  text: string,
  contentType: string | undefined,
  redaction: Redaction,
  onFound?: OnFound,
): string {
  if (isCode(contentType)) return redactPlain(text, redaction, 'body', onFound);
  if (isMultipart(contentType)) return redactMultipart(text, redaction, onFound);
  const clean = redactText(text, redaction, 'body', onFound);
  // Some tools say so of everything, JSON too: hence after all else.
  return isForm(contentType) ? redactPairs(clean, redaction, 'body', onFound) : clean;
}

/**
 * The beginning of a body for showing, without its content codings. Where these cannot be undone nobody can say what it
 * holds: the placeholder alone.
 *
 * @param most bytes that are looked at, and shown unless placeholders make it longer
 * @param isCut the bytes are not all of the body
 */
export function redactBodyStart(
  bytes: Buffer,
  headers: RawHeaders,
  most: number,
  isCut: boolean,
  redaction: Redaction,
  onFound?: OnFound,
): Beginning {
  // Twice as much: of what is too long, only half may be had.
  const plain = decodeStart(bytes, codingOf(headers), 2 * most);
  if (plain === undefined) return { bytes: Buffer.from(REDACTED), cut: isCut };
  const cut = isCut || plain.cut || plain.bytes.length > most;
  const start = cut ? withoutTorn(plain.bytes.subarray(0, most)) : plain.bytes;
  return { bytes: redactBytes(start, header(headers, 'content-type'), redaction, onFound), cut };
}

/** Without what is torn at the end: a character, or what may be the beginning of a secret. */
function withoutTorn(bytes: Buffer): Buffer {
  const whole = wholeCharacters(bytes);
  return whole.subarray(0, beginOfCutSecret(whole.toString('latin1')));
}

/** Without the beginning of a UTF-8 character at the end, where that makes it a text. */
export function wholeCharacters(bytes: Buffer): Buffer {
  for (let missing = 0; missing < 4; missing++) {
    const shorter = bytes.subarray(0, bytes.length - missing);
    if (isUtf8(shorter)) return shorter;
  }
  return bytes;
}

/** Characters of a part's head that are read. */
const LONGEST_HEAD = 4096;

/** The file's name may hold whatever reads as a name. */
const FILE_NAME = /\bfilename\*?\s{0,8}=\s{0,8}(?:"[^"\r\n]*"|[^;\r\n]*)/gi;
const NAME = /\bname\s{0,8}=\s{0,8}(?:"([^"\r\n]*)"|'([^'\r\n]*)'|([^;\s]+))/i;
/** RFC 5987: with its character set and language. */
const CODED_NAME = /\bname\*\s{0,8}=\s{0,8}[\w-]*'[\w-]*'([^;\s]+)/i;

/**
 * A form of parts (RFC 7578): those with a secret name keep their head, all others are texts. Each part begins behind a
 * line that begins with the first line of all.
 */
function redactMultipart(text: string, redaction: Redaction, onFound?: OnFound): string {
  const delimiter = /(?:^|\n)(--[^\r\n]{1,200})/.exec(text.slice(0, LONGEST_HEAD))?.[1];
  if (delimiter === undefined) return redactText(text, redaction, 'body', onFound);
  const parts = text.split(delimiter);
  return parts.map((part) => redactPart(part, redaction, onFound)).join(delimiter);
}

function redactPart(part: string, redaction: Redaction, onFound: OnFound | undefined): string {
  const blank = /\r?\n\r?\n/.exec(part.slice(0, LONGEST_HEAD));
  if (!blank) return redactText(part, redaction, 'body', onFound);
  const start = blank.index + blank[0].length;
  const end = part.length - (/\r?\n$/.exec(part.slice(-2))?.[0].length ?? 0);
  const head = part.slice(0, start);
  const value = part.slice(start, end);
  const name = nameIn(head);
  const place = name === undefined ? 'body' : `body/${name}`;
  if (name !== undefined && isSecretParameter(name, value, value, redaction.members)) {
    if (value !== REDACTED) onFound?.(foundByName(name, place, value));
    return head + REDACTED + part.slice(end);
  }
  const isBase64 = /^content-transfer-encoding:\s*base64/im.test(head);
  const plain = isBase64 ? Buffer.from(value, 'base64').toString('latin1') : value;
  const redacted = redactText(plain, redaction, place, onFound);
  // A placeholder that is coded itself is none, and matches nothing.
  const clean = redacted === plain ? value : isBase64 ? REDACTED : redacted;
  return redactText(head, redaction, 'body', onFound) + clean + part.slice(end);
}

function nameIn(head: string): string | undefined {
  const coded = CODED_NAME.exec(head)?.[1];
  if (coded !== undefined) return decodePart(coded);
  const found = NAME.exec(head.replace(FILE_NAME, ''));
  return found?.[1] ?? found?.[2] ?? found?.[3];
}
