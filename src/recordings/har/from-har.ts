import { decodeContentSync, isPastBounds } from '../../http/decode-content.ts';
import { header, type RawHeaders, type RequestHead, splitTarget, withoutHeaders } from '../../http/http.ts';
import { parseUrl } from '../../http/url.ts';
import type { Exchange, StoredBody } from '../../model/exchange.ts';
import { storeBody } from '../body.ts';
import { type SeenExchange, storedHeaders } from '../plain-exchange.ts';
import { ANSWER_BOUNDS, codingOf, isForm } from '../redact/redact.ts';
import {
  type HarBody,
  type HarEntry,
  type HarHeader,
  type HarRequest,
  type HarResponse,
  UNKNOWN_TYPE,
} from './har.ts';
import type { TimedEntry } from './read-har.ts';

/** A body's bytes; undefined where the archive has only heard of it. */
type Found = Buffer | undefined;

export interface FoundExchange {
  seen: SeenExchange;
  /** Bytes of bodies that were not kept. */
  omitted: { request?: number; response?: number };
}

export interface EntryOptions {
  /** Of an archive of ours: what it says of bodies and headers is so. */
  isOwn?: boolean;
  /** The bodies that Playwright keeps in files beside the archive. */
  attached?: { request?: Found; response?: Found };
}

const NO_RESPONSE: HarResponse = { status: 0, content: { size: 0 } };
const NO_BYTES = Buffer.alloc(0);

/** An entry as the exchange that went by, as far as the archive knows; or why it is none. Not redacted: recording does that. */
export function seenOf(entry: TimedEntry, options: EntryOptions = {}): FoundExchange | { skipped: string } {
  const { isOwn = false, attached = {} } = options;
  const { request } = entry;
  const response = entry.response ?? NO_RESPONSE;
  const url = parseUrl(request.url);
  const answered = answeredBytes(response, attached.response);
  // What we recorded ourselves was asked for like that.
  const skipped = whySkipped(entry, url, response.status, isOwn || (answered?.length ?? 0) > 0);
  if (skipped !== undefined || !url) return { skipped: skipped ?? 'no URL' };
  const { headers, body: requestBody } = askedIn(entry, options);
  if (requestBody === undefined) return { skipped: "the request's body is not in the file" };
  const mayBeEmpty = isOwn || request.method === 'HEAD';
  const responseBody = answered ?? (mayBeEmpty ? NO_BYTES : undefined);
  if (responseBody === undefined) return { skipped: "the response's body is not in the file" };
  const startedAt = Date.parse(entry.startedDateTime);
  return {
    seen: {
      request: {
        method: request.method,
        url: targetOf(entry),
        // A location on the same host is kept without it, which recording decides by this header.
        headers: [...withoutHeaders(headers, (name) => name === 'host'), 'host', url.host],
      },
      requestBody,
      response: {
        status: statusOf(response, responseBody),
        message: response.statusText ?? '',
        headers: isOwn
          ? rawHeadersOf(response.headers)
          : answeredHeaders(response, responseBody, request.method, attached.response !== undefined),
      },
      responseBody,
      startedAt,
      endedAt: startedAt + (typeof entry.time === 'number' ? Math.max(0, entry.time) : 0),
      session: isOwn ? entry._patchgate?.session : undefined,
    },
    omitted: (isOwn && entry._patchgate?.omitted) || {},
  };
}

/** The headers of a request, as they describe its body, and that; empty where it was not kept, undefined where it is not there. */
export function askedIn(
  { request, _patchgate }: HarEntry,
  { isOwn = false, attached = {} }: EntryOptions,
): { headers: string[]; body: Found } {
  const headers = withType(rawHeadersOf(request.headers), request.postData?.mimeType);
  const isOmitted = isOwn && _patchgate?.omitted?.request !== undefined;
  const body = isOmitted ? NO_BYTES : postedBytes(request, header(headers, 'content-type'), attached.request);
  return { headers: isOwn || body === undefined ? headers : plainHeaders(headers, body), body };
}

/** The request target as it was written, without the fragment that no client sends. */
export function targetOf({ request, _patchgate }: HarEntry): string {
  if (_patchgate?.path !== undefined)
    return _patchgate.path + (_patchgate.query ? `?${_patchgate.query}` : '');
  const text = /^[!-~]*$/.test(request.url) ? request.url : (parseUrl(request.url)?.href ?? request.url);
  return text.replace(/#.*$/, '');
}

/**
 * An entry as an exchange, whatever is missing of it: nothing of it is redacted, and its headers are those of the request alone.
 *
 * @param body that of the request; undefined: it is not there
 */
export function exchangeIn(
  entry: HarEntry,
  { method, url, headers }: RequestHead,
  body: Found,
  { attached = {} }: EntryOptions,
): Omit<Exchange, 'response'> & Partial<Pick<Exchange, 'response'>> {
  const response = entry.response ?? NO_RESPONSE;
  const answer = response.status > 0 ? (answeredBytes(response, attached.response) ?? NO_BYTES) : undefined;
  return {
    request: {
      ...{ method, ...splitTarget(url) },
      headers: storedHeaders(headers.map((text, i) => (i % 2 === 0 ? text.toLowerCase() : text))),
      body: (body && textBody(body)) ?? { omitted: 0 },
    },
    ...(answer && { response: { status: statusOf(response, answer), headers: {}, body: textBody(answer) } }),
    meta: { recordedAt: entry.startedDateTime ?? '', durationMs: 0 },
  };
}

/** What is read once need not be kept as JSON. */
function textBody(bytes: Buffer): StoredBody {
  return storeBody(bytes, 'text/plain') ?? { text: '' };
}

function whySkipped(
  { request, _resourceType }: HarEntry,
  url: URL | undefined,
  status: number,
  hasBody: boolean,
): string | undefined {
  if (/^wss?:$/.test(url?.protocol ?? '') || _resourceType === 'websocket' || status === 101)
    return 'WebSocket';
  if (request.method === 'CONNECT') return 'CONNECT';
  if (!url) return 'no URL';
  if (!/^https?:$/.test(url.protocol)) return `not HTTP (${url.protocol})`;
  if (!TOKEN.test(request.method)) return 'no HTTP method';
  // Some tools write -1.
  if (status <= 0) return 'no response';
  if (status === 304 && !hasBody) return 'not modified, and the copy is not in the file';
  return status < 200 || status > 999 ? 'no final response' : undefined;
}

/** A browser that asked whether its copy still holds puts the copy into the archive: a client without one needs it whole. */
function statusOf({ status }: HarResponse, body: Buffer): number {
  return status === 304 && body.length > 0 ? 200 : Math.max(0, status);
}

/** The bytes of a request's body. Of a form, of which some tools keep the fields alone, they are made anew. */
function postedBytes({ postData, bodySize }: HarRequest, type: string | undefined, attached: Found): Found {
  const found = bytesOf(postData, attached);
  const params = postData?.params ?? [];
  if (params.length === 0) return found ?? ((bodySize ?? 0) > 0 ? undefined : NO_BYTES);
  if (found && found.length > 0) return found;
  const pairs = params.map(({ name, value }) => `${formPart(name ?? '')}=${formPart(String(value ?? ''))}`);
  return isForm(type) ? Buffer.from(pairs.join('&')) : undefined;
}

/** Some tools have decoded the fields, some have not. */
function formPart(text: string): string {
  if (/%[0-9a-f]{2}/i.test(text) && !/[^\w.~*+%-]/.test(text)) return text;
  return encodeURIComponent(text.toWellFormed()).replaceAll('%20', '+');
}

/** Those of a response's. Browsers leave out what came from their cache. */
function answeredBytes({ content, status, bodySize }: HarResponse, attached: Found): Found {
  const found = bytesOf(content, attached);
  if (found !== undefined) return found;
  const size = content?.size ?? -1;
  // Where no size is known either, only a status of success promises a body.
  const mayHaveBody = size < 0 && bodySize !== 0 && status < 300 && status !== 204 && status !== 205;
  return size > 0 || mayHaveBody ? undefined : NO_BYTES;
}

function bytesOf(body: HarBody | null | undefined, attached: Found): Found {
  if (!body || attached || typeof body.text !== 'string') return body ? attached : undefined;
  const isBase64 = /^base64$/i.test(body.encoding ?? body._encoding ?? '');
  const encoding = isBase64 ? 'base64' : body._isBinary ? 'hex' : 'utf8';
  return Buffer.concat(chunksOf(body.text, encoding).map((chunk) => Buffer.from(chunk, encoding)));
}

/** Polly writes encoded bytes as a JSON list of chunks. */
function chunksOf(text: string, encoding: BufferEncoding): string[] {
  if (encoding === 'utf8' || !text.startsWith('[')) return [text];
  try {
    return (JSON.parse(text) as unknown[]).map(String);
  } catch {
    return [text];
  }
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/**
 * Headers as on the wire: without HTTP/2's `:method` and the like, with values that came several times apart again
 * (browsers join those of Set-Cookie by line feeds), and other characters than Latin-1 as their UTF-8 bytes.
 */
function rawHeadersOf(headers: readonly HarHeader[] | null | undefined): string[] {
  return (headers ?? []).flatMap(({ name, value }) =>
    TOKEN.test(name) ? valuesOf(value).flatMap((one) => [name, onTheWire(one)]) : [],
  );
}

function valuesOf(value: HarHeader['value']): string[] {
  return [value].flat().flatMap((one) => String(one ?? '').split(/\r?\n/));
}

function onTheWire(value: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what no header may have
  const plain = value.replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, ' ');
  return /[\u0100-\uffff]/.test(plain) ? Buffer.from(plain, 'utf8').toString('latin1') : plain;
}

/** Those of a response, as they describe the body that is there. */
function answeredHeaders(
  { headers: given, content }: HarResponse,
  body: Buffer,
  method: string,
  isFile: boolean,
): string[] {
  const headers = rawHeadersOf(given);
  // These describe a body that is not there.
  if (method === 'HEAD') return headers;
  const plain = plainHeaders(headers, body);
  if (body.length === 0) return plain;
  const typed = withType(plain, content?.mimeType);
  return isFile || content?.encoding ? typed : withCharset(typed, body);
}

/** How zstd begins, which is not decoded here. */
const ZSTD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

/** Tools undo content codings and leave the header. */
function plainHeaders(headers: RawHeaders, body: Buffer): string[] {
  const decoded = decodeContentSync(body, codingOf(headers), ANSWER_BOUNDS);
  const isCoded =
    Buffer.isBuffer(decoded) || isPastBounds(decoded) || ZSTD.equals(body.subarray(0, ZSTD.length));
  return withoutHeaders(headers, (name) => !isCoded && name === 'content-encoding');
}

/** With the media type that stands elsewhere, where no header says it. */
function withType(headers: string[], type: string | null | undefined): string[] {
  const isKnown = type && type !== UNKNOWN_TYPE && header(headers, 'content-type') === undefined;
  return isKnown ? [...headers, ...rawHeadersOf([{ name: 'content-type', value: type }])] : headers;
}

/** The text of a body was decoded from its charset: what is not ASCII is UTF-8 from now on. */
function withCharset(headers: string[], body: Buffer): string[] {
  const at = headers.findIndex((name, i) => i % 2 === 0 && name.toLowerCase() === 'content-type');
  const type = headers[at + 1] ?? '';
  const isOther = at >= 0 && /;\s*charset=(?!"?utf-?8\b)/i.test(type);
  if (!isOther || body.every((byte) => byte < 0x80)) return headers;
  return headers.with(at + 1, type.replace(/charset=("[^"]*"|[^\s;]*)/i, 'charset=utf-8'));
}
