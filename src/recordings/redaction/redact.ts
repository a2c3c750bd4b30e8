import { isUtf8 } from 'node:buffer';
import {
  type Exchange,
  type InlineBody,
  isInline,
  type StoredBody,
  type StoredHeaders,
} from '../../model/exchange.ts';
import { header, type RawHeaders } from '../../model/http.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { type Beginning, undoCodingsOfStart } from '../content-coding.ts';
import { REDACTED, redactJsonText, redactPairs } from './redact-text.ts';
import { DEFAULT_REDACTION, type Redaction } from './secret-names.ts';

/**
 * Redaction: nothing is written or shown before it went through here. Every function gives back the very value that it
 * was given where nothing is to be hidden, and takes the names to hide, by default those of design section 6.
 */

/** Headers whose value is a URL. */
const URL_HEADERS: ReadonlySet<string> = new Set(['location', 'content-location', 'referer']);

/** A URL or request target, of any form, without secret query members and without `user:password@`. */
export function redactUrl(url: string, redaction: Redaction = DEFAULT_REDACTION): string {
  let clean = url;
  if (clean.includes('@')) clean = clean.replace(/^([a-z][a-z0-9+.-]*:)?\/\/[^/?#]*@/i, `$1//${REDACTED}@`);
  if (!/[?#]/.test(clean)) return clean;
  const [, path = '', query, fragment] = /^([^?#]*)(?:\?([^#]*))?(?:#([\s\S]*))?$/.exec(clean) ?? [];
  return (
    path +
    (query === undefined ? '' : `?${redactPairs(query, redaction.members)}`) +
    // Some sign-in flows send tokens back in the fragment.
    (fragment === undefined ? '' : `#${redactPairs(fragment, redaction.members)}`)
  );
}

/** A query without its `?`. */
export function redactQuery(query: string, redaction: Redaction = DEFAULT_REDACTION): string {
  return query === '' ? query : redactPairs(query, redaction.members);
}

/** Headers for showing: each stays, with the placeholder where its value is secret. */
export function redactRawHeaders(headers: RawHeaders, redaction: Redaction = DEFAULT_REDACTION): string[] {
  const clean: string[] = [];
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = headers[i] as string;
    clean.push(name, redactHeader(name.toLowerCase(), headers[i + 1] as string, redaction));
  }
  return clean;
}

/** One header's value. The name is given in lower case. */
export function redactHeader(name: string, value: string, redaction: Redaction = DEFAULT_REDACTION): string {
  if (redaction.headers.has(name)) return REDACTED;
  return URL_HEADERS.has(name) ? redactUrl(value, redaction) : value;
}

/** A JSON value, copied only as far as something in it changes. */
export function redactJson(value: JsonValue, redaction: Redaction = DEFAULT_REDACTION): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    let copy: JsonValue[] | undefined;
    for (let i = 0; i < value.length; i++) {
      const item = value[i] as JsonValue;
      const clean = redactJson(item, redaction);
      if (clean !== item) {
        copy ??= value.slice();
        copy[i] = clean;
      }
    }
    return copy ?? value;
  }
  let copy: JsonObject | undefined;
  for (const name in value) {
    const item = value[name] as JsonValue;
    const clean = redaction.members.has(name) ? REDACTED : redactJson(item, redaction);
    if (clean !== item) {
      copy ??= { ...value };
      copy[name] = clean;
    }
  }
  return copy ?? value;
}

/** A body that is kept. */
export function redactBody<Body extends StoredBody>(
  body: Body,
  contentType: string | undefined,
  redaction: Redaction = DEFAULT_REDACTION,
): Body | InlineBody {
  if (!isInline(body)) return body;
  if ('json' in body) {
    const json = redactJson(body.json, redaction);
    return json === body.json ? body : { ...body, json };
  }
  if ('text' in body) {
    const text = redactText(body.text, contentType, redaction);
    return text === body.text ? body : { text };
  }
  const bytes = Buffer.from(body.base64, 'base64');
  const clean = redactBytes(bytes, contentType, redaction);
  return clean === bytes ? body : { base64: clean.toString('base64') };
}

/**
 * The beginning of a body for showing, without its content codings. Where these cannot be undone nobody can say what it
 * holds: the placeholder alone.
 *
 * @param most bytes that are looked at, and shown unless placeholders make it longer
 */
export function redactBodyStart(
  bytes: Buffer,
  headers: RawHeaders,
  most: number,
  redaction: Redaction = DEFAULT_REDACTION,
): Beginning {
  // Twice as much: of what is too long, only half may be had.
  const plain = undoCodingsOfStart(bytes, header(headers, 'content-encoding'), 2 * most);
  if (plain === undefined) return { bytes: Buffer.from(REDACTED), cut: false };
  const cut = plain.cut || plain.bytes.length > most;
  const start = cut ? wholeCharacters(plain.bytes.subarray(0, most)) : plain.bytes;
  return { bytes: redactBytes(start, header(headers, 'content-type'), redaction), cut };
}

/** Without the beginning of a UTF-8 character at the end, where that makes it a text. */
export function wholeCharacters(bytes: Buffer): Buffer {
  for (let missing = 0; missing < 4; missing++) {
    const shorter = bytes.subarray(0, bytes.length - missing);
    if (isUtf8(shorter)) return shorter;
  }
  return bytes;
}

/** A whole exchange. Secret headers of a response go: a placeholder would be replayed as if it were a cookie. */
export function redactExchange(exchange: Exchange, redaction: Redaction = DEFAULT_REDACTION): Exchange {
  const { request, response } = exchange;
  return {
    ...exchange,
    request: {
      ...request,
      query: redactQuery(request.query, redaction),
      headers: redactStoredHeaders(request.headers, redaction),
      ...(request.body && { body: redactBody(request.body, contentTypeOf(request.headers), redaction) }),
    },
    ...(response && {
      response: {
        ...response,
        headers: redactStoredHeaders(withoutSecrets(response.headers, redaction), redaction),
        ...(response.body && {
          body: redactBody(response.body, contentTypeOf(response.headers), redaction),
        }),
      },
    }),
  };
}

/** The media type that stored headers say, or undefined. */
export function contentTypeOf(headers: StoredHeaders): string | undefined {
  const value = headers['content-type'];
  return typeof value === 'string' ? value : value?.[0];
}

function redactStoredHeaders(headers: StoredHeaders, redaction: Redaction): StoredHeaders {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      typeof value === 'string'
        ? redactHeader(name, value, redaction)
        : value.map((one) => redactHeader(name, one, redaction)),
    ]),
  );
}

function withoutSecrets(headers: StoredHeaders, redaction: Redaction): StoredHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !redaction.headers.has(name)));
}

/** Whether the media type is that of forms, whose names stand without quotes. */
export function isForm(contentType: string | undefined): boolean {
  return contentType !== undefined && /^\s*application\/x-www-form-urlencoded\b/i.test(contentType);
}

function redactText(text: string, contentType: string | undefined, redaction: Redaction): string {
  return isForm(contentType) ? redactPairs(text, redaction.members) : redactJsonText(text, redaction.members);
}

/** Bytes that are no UTF-8 are read as Latin-1, where every byte stays what it is. */
function redactBytes(bytes: Buffer, contentType: string | undefined, redaction: Redaction): Buffer {
  const encoding = isUtf8(bytes) ? 'utf8' : 'latin1';
  const text = bytes.toString(encoding);
  const clean = redactText(text, contentType, redaction);
  return clean === text ? bytes : Buffer.from(clean, encoding);
}
