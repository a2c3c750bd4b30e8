import { isUtf8 } from 'node:buffer';
import { type Beginning, decodeStart } from '../../http/decode-content.ts';
import { header, headerValues, type RawHeaders } from '../../http/http.ts';
import type { InlineBody, StoredBody, StoredHeaders } from '../../model/exchange.ts';
import { withJson } from '../json-style.ts';
import { foundByName, type OnFound } from './found-secret.ts';
import { redactBytes, redactContent } from './redact-bytes.ts';
import { redactJson } from './redact-json.ts';
import { redactText } from './redact-text.ts';
import { redactUrl } from './redact-url.ts';
import { REDACTED } from './redacted.ts';
import type { Redaction } from './redaction.ts';
import { beginOfCutSecret } from './secret-kinds.ts';

/** Headers whose value is a URL. */
const URL_HEADERS: ReadonlySet<string> = new Set(['location', 'content-location', 'referer']);

/** Headers for showing: each stays, with the placeholder where its value is secret. */
export function redactRawHeaders(headers: RawHeaders, redaction: Redaction): string[] {
  const clean: string[] = [];
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = headers[i] as string;
    clean.push(name, redactHeader(name.toLowerCase(), headers[i + 1] as string, redaction));
  }
  return clean;
}

/** The same for names in lower case. */
export function redactFlatHeaders(
  headers: readonly string[],
  redaction: Redaction,
  onFound?: OnFound,
): readonly string[] {
  let clean: string[] | undefined;
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = headers[i] as string;
    const value = headers[i + 1] as string;
    if (!URL_HEADERS.has(name) && !redaction.headers.has(name) && !redaction.mayBeInHeader(value)) continue;
    const cleanValue = redactHeader(name, value, redaction, onFound);
    if (cleanValue === value) continue;
    clean ??= headers.slice();
    clean[i + 1] = cleanValue;
  }
  return clean ?? headers;
}

/** One header's value. The name is given in lower case. */
export function redactHeader(name: string, value: string, redaction: Redaction, onFound?: OnFound): string {
  const place = `headers/${name}`;
  if (redaction.headers.has(name)) {
    if (value !== REDACTED) onFound?.(foundByName(name, place, value));
    return REDACTED;
  }
  if (URL_HEADERS.has(name)) return redactUrl(value, redaction, place, onFound);
  return redactText(value, redaction, place, onFound);
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

/** The content codings of all headers that name some: some send one for each, or the same twice. */
export function codingOf(headers: RawHeaders): string | undefined {
  const values = headerValues(headers, 'content-encoding');
  return values.length === 0 ? undefined : values.join(',');
}

/** The media type that stored headers say, or undefined. */
export function contentTypeOf(headers: StoredHeaders): string | undefined {
  const value = headers['content-type'];
  return typeof value === 'string' ? value : value?.[0];
}
