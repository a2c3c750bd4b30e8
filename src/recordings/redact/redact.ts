import { isUtf8 } from 'node:buffer';
import { StringDecoder } from 'node:string_decoder';
import { answerBounds, decodeContentSync } from '../../http/decode-content.ts';
import { header, headerValues, type RawHeaders } from '../../http/http.ts';
import type { JsonValue } from '../../json/json.ts';
import { matchesPattern } from '../../json/pointer-pattern.ts';
import type { Effect } from '../../model/effect.ts';
import type { StoredBody, StoredHeaders } from '../../model/exchange.ts';
import type { Finding } from '../../model/finding.ts';
import { bodyBytes, storeBody } from '../body.ts';
import { type Hide, hidden, isRedacted, REDACTED } from './redacted.ts';
import { hiddenApart, type Redaction } from './redaction.ts';
import { isOpaque, isRandom } from './shapes.ts';
import { decodePart, mayHold, redactDocument, redactJson, redactPlain, redactText } from './text.ts';

/** Redaction of messages: nothing is written or shown before it went through here. What holds nothing to hide is given back as it is. */
export { redactJson, redactText };

/** A URL or request target, of any form, without secret query members and without `user:password@`. */
export function redactUrl(url: string, redaction: Redaction): string {
  const [, authority = '', path = '', query = '', fragment = ''] =
    /^((?:[a-z][a-z0-9+.-]*:)?\/\/[^/?#\\]*)?([^?#]*)(\?[^#]*)?(#[\s\S]*)?$/i.exec(url) ?? [];
  const start = authority.replace(/\/\/[\s\S]*@/, `//${REDACTED}@`) + redactPath(path, redaction);
  // Some sign-in flows send tokens back in the fragment.
  return start + redactQuery(query, redaction) + redactQuery(fragment, redaction, hidden);
}

/** `token=abc&limit=1` -> `token=[redacted]&limit=1`: a query, or a form. */
export function redactQuery(text: string, redaction: Redaction, hide: Hide = hiddenApart): string {
  if (text === '') return text;
  const clean = (part: string) => redactPart(part, redaction, hide);
  return text.replace(/^[?#]|([^&=]*)=([^&]*)|[^&]+/g, (pair: string, written?: string, value = '') => {
    if (written === undefined) return clean(pair);
    const name = decodePart(written);
    const kind = redaction.members.kindOf(name);
    const plain = kind === 'plain' ? '' : decodePart(value);
    if (isRedacted(plain)) return pair;
    if (!redaction.members.isSecret(name, plain)) return `${clean(written)}=${clean(value)}`;
    return `${written}=${kind === 'secret' ? REDACTED : hide(plain)}`;
  });
}

/** A percent-encoded part of a query, form or path. Placeholders are not encoded. */
function redactPart(part: string, redaction: Redaction, hide: Hide): string {
  if (part.length < 7) return part;
  const plain = decodePart(part);
  const clean = redactText(plain, redaction, hide);
  if (clean === plain) return part;
  if (plain === part) return clean;
  const coded = encodeURIComponent(clean.toWellFormed());
  return coded.replace(/%5Bredacted(?:%3A[\da-f]{12})?%5D/g, (placeholder) => decodePart(placeholder));
}

/** A token follows these in a path, and the names of secrets: `/environments/KEY`, `/reset/TOKEN`. */
const BEFORE_TOKEN =
  /^(?:environments?|env|sdk|datafiles?|keys?|invites?|invitations?|reset|activate|verify|confirm|unsubscribe|bot|hooks?|webhooks?|share)$/i;
/** A path without a parameter, something coded, a long segment or a user needs the quick look alone. */
const UNUSUAL = /[;%]|^[^/]{16}|\/(?:[^/]{16}|\/[^/]*@)/;
/** In `/http://user:password@host/`. */
const USER = /(?<=\/\/)[^/:@]*:[^/]*@/g;

/** A path without its query. A secret is known by its looks, or by the name before it (`;token=…`, `/tokens/…`). */
export function redactPath(path: string, redaction: Redaction): string {
  if (!UNUSUAL.test(path) && !mayHold(path, redaction)) return path;
  let name = '';
  return path.replace(USER, `${REDACTED}@`).replace(/[^/]+/g, (written) => {
    // `a;jsessionid=x`
    if (written.includes(';')) return written.replace(/[^;]+/g, (one) => redactQuery(one, redaction, hidden));
    const part = written.replaceAll('+', '%2B');
    const segment = decodePart(part);
    const isNamed = BEFORE_TOKEN.test(name) || redaction.members.has(name);
    name = segment;
    if (isRedacted(segment)) return segment;
    const isPlain = segment === written;
    const clean = (isPlain ? redactText : redactPart)(isPlain ? segment : part, redaction, hiddenApart);
    if (clean !== (isPlain ? segment : part)) return clean;
    // `/datafiles/KEY.json`
    const secret = isNamed ? segment.replace(/\.json$/, '') : segment;
    if (!isRandom(segment, 32) && !(isNamed && isOpaque(secret))) return written;
    return hiddenApart(secret) + segment.slice(secret.length);
  });
}

const URL_HEADERS: ReadonlySet<string> = new Set(['location', 'content-location', 'referer']);
/** Headers whose value only names something, in the shape of a token. */
const ID_HEADER = /(?:^|-)(?:id|etag|ray|if-none-match|if-match|traceparent|tracestate|b3)$/;

export function redactHeaders(headers: RawHeaders, redaction: Redaction): RawHeaders {
  const clean = headers.map((text, i) =>
    i % 2 === 0 ? text : redactHeader((headers[i - 1] as string).toLowerCase(), text, redaction),
  );
  return clean.some((text, i) => text !== headers[i]) ? clean : headers;
}

/** One header's value. The name is given in lower case. */
export function redactHeader(name: string, value: string, redaction: Redaction): string {
  if (redaction.headers.has(name)) return REDACTED;
  if (URL_HEADERS.has(name)) return redactUrl(value, redaction);
  if (ID_HEADER.test(name) && redaction.texts.length === 0) return value;
  return redactText(value, redaction);
}

/** The content codings of all headers that name some: some send one for each, or the same twice. */
export function codingOf(headers: RawHeaders): string | undefined {
  return headerValues(headers, 'content-encoding').join(',') || undefined;
}

export function contentTypeOf(headers: StoredHeaders): string | undefined {
  return [headers['content-type']].flat()[0];
}

/** Names in it stand without quotes. */
const IS_FORM = /^\s*application\/x-www-form-urlencoded\b/i;
const IS_CODE = /(?:java|ecma|type)script|html|\/css|wasm|svg|\/x-(?:python|sh|ruby|php)/i;

/** The bytes of a body without content codings. */
export function redactBytes(bytes: Buffer, contentType = '', redaction: Redaction): Buffer {
  // Bytes that are no UTF-8 are read as Latin-1, in which every byte stays the same.
  const encoding = isUtf8(bytes) ? 'utf8' : 'latin1';
  const text = bytes.toString(encoding);
  const isForm = IS_FORM.test(contentType);
  // Names in a form may have blanks.
  if (!isForm && !mayHold(text, redaction, bytes)) return bytes;
  // Some tools say that everything is a form, JSON too.
  const clean = isForm
    ? (redactDocument(text, redaction) ?? redactQuery(text, redaction, hidden))
    : (IS_CODE.test(contentType) ? redactPlain : redactText)(text, redaction);
  return clean === text ? bytes : Buffer.from(clean, encoding);
}

export function redactBody(body: StoredBody, type: string | undefined, redaction: Redaction): StoredBody {
  const bytes = bodyBytes(body);
  const clean = redactBytes(bytes, type, redaction);
  return clean === bytes ? body : (storeBody(clean, type) ?? { text: '' });
}

export const ANSWER_BOUNDS = answerBounds(64 * 1024 * 1024);

/** The beginning of a body for showing. If its content codings cannot be undone, nobody can say what it holds: the placeholder alone.
 *  @param most bytes that are looked at @param isCut the bytes are not all of the body */
export function redactBodyStart(
  bytes: Buffer,
  headers: RawHeaders,
  most: number,
  isCut: boolean,
  redaction: Redaction,
): { bytes: Buffer; cut: boolean } {
  const coding = codingOf(headers);
  const plain = isCut && coding !== undefined ? undefined : decodeContentSync(bytes, coding, ANSWER_BOUNDS);
  if (!Buffer.isBuffer(plain)) return { bytes: Buffer.from(REDACTED), cut: isCut };
  const cut = isCut || plain.length > most;
  const start = cut ? wholeCharacters(plain.subarray(0, most)) : plain;
  return { bytes: redactBytes(start, header(headers, 'content-type'), redaction), cut };
}

/** Without the beginning of a UTF-8 character at the end, if that makes it a text. */
export function wholeCharacters(bytes: Buffer): Buffer {
  const whole = Buffer.from(new StringDecoder().write(bytes));
  return bytes.subarray(0, whole.length).equals(whole) ? whole : bytes;
}

/** Whether a place in a body is hidden by its name or its pointer. @param tokens those of the pointer */
export function isSecretPointer(tokens: readonly string[], redaction: Redaction): boolean {
  return tokens.some((token) => redaction.members.has(token)) || matchesPattern(redaction.pointers, tokens);
}

/** Names are the users' own. A new one is hidden as the old one is. */
export function redactEffect(effect: Effect, redaction: Redaction): Effect {
  const clean = redactJson(effect as unknown as JsonValue, redaction) as unknown as Effect;
  const isNewName = 'to' in clean && typeof clean.to === 'string' && redaction.members.has('name');
  return isNewName ? ({ ...clean, to: REDACTED } as Effect) : clean;
}

/** A finding that quotes no secret. A value that it quotes may be cut, and then looks like none.
 *  @param isSecret whether what it is about is hidden */
export function redactFinding<T extends Finding>(finding: T, isSecret: boolean, redaction: Redaction): T {
  const clean = redactJson(finding as unknown as JsonValue, redaction) as unknown as T;
  if (!isSecret || !/["\d]/.test(finding.message.replace(finding.pointer, ''))) return clean;
  return { ...clean, message: `${clean.pointer || 'the path'} is not as it must be; it holds a secret` };
}
