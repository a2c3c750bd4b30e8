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

const NO_BYTES = Buffer.alloc(0);
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/**
 * An entry as the exchange that went by, as far as the archive knows; or why it is none. Not redacted: recording does that.
 *
 * @param isOwn of an archive of ours: what it says of bodies and headers is so
 */
export function seenOf(entry: TimedEntry, isOwn = false): FoundExchange | { skipped: string } {
  const { request, _patchgate: own } = entry;
  const response = entry.response ?? { status: 0 };
  const url = parseUrl(request.url);
  const skipped = whySkipped(request.method, url, response.status);
  if (skipped !== undefined || !url) return { skipped: skipped ?? 'no URL' };
  const { headers, body: requestBody } = askedIn(entry, isOwn);
  if (requestBody === undefined) return { skipped: "the request's body is not in the file" };
  const isExact = isOwn || request.method === 'HEAD';
  const responseBody = answeredBytes(response) ?? (isExact ? NO_BYTES : undefined);
  if (responseBody === undefined) return { skipped: "the response's body is not in the file" };
  const isCopy = !isExact && response.status === 304;
  if (isCopy && responseBody.length === 0)
    return { skipped: 'not modified, and the copy is not in the file' };
  const startedAt = Date.parse(entry.startedDateTime);
  const answered = headersOf(response.headers);
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
        // A browser that asked whether its copy still holds puts the copy into the archive.
        status: isCopy ? 200 : response.status,
        message: response.statusText ?? '',
        headers: isExact ? answered : describing(answered, responseBody, response.content),
      },
      responseBody,
      startedAt,
      endedAt: startedAt + Math.max(0, Number(entry.time) || 0),
      session: isOwn ? own?.session : undefined,
    },
    omitted: (isOwn && own?.omitted) || {},
  };
}

/** Undefined: it is taken, or has no URL. */
function whySkipped(method: string, url: URL | undefined, status: number): string | undefined {
  if (method === 'CONNECT') return 'CONNECT';
  if (!url) return undefined;
  if (/^wss?:$/.test(url.protocol) || status === 101) return 'WebSocket';
  if (!/^https?:$/.test(url.protocol)) return `not HTTP (${url.protocol})`;
  if (!TOKEN.test(method)) return 'no HTTP method';
  // Some tools write -1.
  if (status <= 0) return 'no response';
  return status < 200 || status > 999 ? 'no final response' : undefined;
}

/** The headers of a request, as they describe its body, and that; empty where it was not kept, undefined where it is not there. */
export function askedIn(
  { request, _patchgate }: HarEntry,
  isOwn: boolean,
): { headers: string[]; body: Found } {
  const headers = withType(headersOf(request.headers), request.postData?.mimeType);
  if (isOwn && _patchgate?.omitted?.request !== undefined) return { headers, body: NO_BYTES };
  const body = postedBytes(request, header(headers, 'content-type'));
  return { headers: isOwn || body === undefined ? headers : withoutUndone(headers, body), body };
}

/** The request target as it was written, without the fragment that no client sends. */
export function targetOf({ request, _patchgate }: HarEntry): string {
  const { path, query } = _patchgate ?? {};
  if (path !== undefined) return query ? `${path}?${query}` : path;
  const text = /^[!-~]*$/.test(request.url) ? request.url : (parseUrl(request.url)?.href ?? request.url);
  return text.replace(/#.*$/, '');
}

/**
 * An entry as an exchange, whatever is missing of it, not redacted, and without the headers of its answer.
 *
 * @param body that of the request; undefined: it is not there
 */
export function exchangeIn(
  { response }: HarEntry,
  { method, url, headers }: RequestHead,
  body: Found,
): Pick<Exchange, 'request'> & Partial<Pick<Exchange, 'response'>> {
  const names = headers.map((text, i) => (i % 2 === 0 ? text.toLowerCase() : text));
  const request = { method, ...splitTarget(url), headers: storedHeaders(names), body: textBody(body) };
  if (!response || response.status <= 0) return { request };
  const answer = answeredBytes(response) ?? NO_BYTES;
  return { request, response: { status: response.status, headers: {}, body: textBody(answer) } };
}

/** What is read once need not be kept as JSON. */
function textBody(bytes: Found): StoredBody {
  return bytes ? (storeBody(bytes, 'text/plain') ?? { text: '' }) : { omitted: 0 };
}

/** The bytes of a request's body. Of a form, of which some tools keep the fields alone, they are made anew. */
function postedBytes({ postData, bodySize }: HarRequest, type: string | undefined): Found {
  const found = bytesOf(postData);
  const params = postData?.params ?? [];
  if (found?.length || params.length === 0) return found ?? ((bodySize ?? 0) > 0 ? undefined : NO_BYTES);
  const pairs = params.map(({ name, value }) => `${formPart(name ?? '')}=${formPart(String(value ?? ''))}`);
  return isForm(type) ? Buffer.from(pairs.join('&')) : undefined;
}

/** Some tools have decoded the fields, some have not. */
function formPart(text: string): string {
  if (/%[0-9a-f]{2}/i.test(text) && !/[^\w.~*+%-]/.test(text)) return text;
  return encodeURIComponent(text.toWellFormed()).replaceAll('%20', '+');
}

/** Those of a response's. Browsers leave out what came from their cache. */
function answeredBytes({ content, status, bodySize }: HarResponse): Found {
  const found = bytesOf(content);
  if (found !== undefined) return found;
  const size = content?.size ?? -1;
  // Where no size is known either, only a status of success promises a body.
  const mayHaveBody = size < 0 && bodySize !== 0 && status < 300 && status !== 204 && status !== 205;
  return size > 0 || mayHaveBody ? undefined : NO_BYTES;
}

function bytesOf(body: HarBody | null | undefined): Found {
  if (typeof body?.text !== 'string') return undefined;
  const encoding = isBase64(body) ? 'base64' : body._isBinary ? 'hex' : 'utf8';
  // Polly writes bytes in hexadecimal, coded ones as a JSON list of chunks.
  const isList = encoding !== 'utf8' && /^\["[^"]*"(?:,\s*"[^"]*")*\]$/.test(body.text);
  const chunks: string[] = isList ? JSON.parse(body.text) : [body.text];
  return Buffer.concat(chunks.map((chunk) => Buffer.from(chunk, encoding)));
}

export function isBase64({ encoding, _encoding }: HarBody): boolean {
  return /^base64$/i.test(encoding ?? _encoding ?? '');
}

/**
 * Headers as on the wire: without HTTP/2's `:method` and the like, with values that came several times apart again
 * (browsers join those of Set-Cookie by line feeds), and other characters than Latin-1 as their UTF-8 bytes.
 */
function headersOf(headers: readonly HarHeader[] | null | undefined): string[] {
  return (headers ?? []).flatMap(({ name, value }) => {
    const values = [value].flat().flatMap((one) => String(one ?? '').split(/\r?\n/));
    return TOKEN.test(name) ? values.flatMap((one) => [name, onTheWire(one)]) : [];
  });
}

function onTheWire(value: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what no header may have
  const plain = value.replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, ' ');
  return /[\u0100-\uffff]/.test(plain) ? Buffer.from(plain, 'utf8').toString('latin1') : plain;
}

/** The headers of a response, as they describe the body that is there. */
function describing(headers: string[], body: Buffer, content: HarBody | null | undefined): string[] {
  const plain = withoutUndone(headers, body);
  if (body.length === 0) return plain;
  const typed = withType(plain, content?.mimeType);
  if (content?.encoding) return typed;
  // A text was decoded from its charset: what is not ASCII is UTF-8 from now on.
  return typed.map((text, i) =>
    i % 2 === 1 && /^content-type$/i.test(typed[i - 1] as string) && body.some((byte) => byte > 0x7f)
      ? text.replace(/charset=("[^"]*"|[^\s;]*)/i, 'charset=utf-8')
      : text,
  );
}

/** Tools undo content codings and leave the header. */
function withoutUndone(headers: RawHeaders, body: Buffer): string[] {
  const decoded = decodeContentSync(body, codingOf(headers), ANSWER_BOUNDS);
  const isCoded = Buffer.isBuffer(decoded) || isPastBounds(decoded);
  return withoutHeaders(headers, (name) => !isCoded && name === 'content-encoding');
}

/** With the media type that stands elsewhere, where no header says it. */
function withType(headers: string[], type: string | null | undefined): string[] {
  const isKnown = type && type !== UNKNOWN_TYPE && header(headers, 'content-type') === undefined;
  return isKnown ? [...headers, ...headersOf([{ name: 'content-type', value: type }])] : headers;
}
