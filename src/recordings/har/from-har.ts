import { isUtf8 } from 'node:buffer';
import type { Content, Entry, Request, Response } from 'har-format';
import { PatchgateError } from '../../errors.ts';
import { decodeContentSync } from '../../http/decode-content.ts';
import { type RawHeaders, type RequestHead, withoutHeaders } from '../../http/http.ts';
import { parseUrl } from '../../http/url.ts';
import type { JsonValue } from '../../json/json.ts';
import { findPlace, type Place, placeAt, syntaxErrorOf } from '../../json/json-text.ts';
import { problemOf } from '../../schemas/check.ts';
import type { SeenExchange } from '../plain-exchange.ts';
import { ANSWER_BOUNDS, codingOf } from '../redact/redact.ts';

/** HAR 1.2 as tools write it: nearly every field may be missing or null. schemas/files/har.schema.json says which are sure. */
type Loose<T> = { [Field in keyof T]?: T[Field] | null };
type HarMessage = Loose<Pick<Response, 'headers' | 'bodySize'>>;
type HarResponse = HarMessage & Pick<Response, 'status'> & Loose<{ content: HarBody }>;
/** Archives of ours have `_encoding` in requests, where HAR has none. `_isBinary` is Polly's own coding, which is not read. */
type HarBody = Loose<Content & { params: unknown[]; _encoding: string; _isBinary: boolean }>;

/** An entry of HTTP Archive 1.2. Of status 0 or -1: there was no response. */
export interface HarEntry extends Pick<Entry, 'startedDateTime'> {
  time?: number | null;
  request: HarMessage & Pick<Request, 'method' | 'url'> & Loose<{ postData: HarBody }>;
  response?: HarResponse | null;
}

/** The entries of an HTTP archive in its order, checked as far as they are read here. @throws PatchgateError `bad-input` with line and column */
export function harEntries(bytes: Buffer, file: string): { text: string; entries: readonly HarEntry[] } {
  const hint =
    'an HTTP archive (HAR 1.2) is expected, unpacked and in UTF-8: export it again; nothing was read';
  const fail = (what: string) => new PatchgateError('bad-input', what, { hint });
  const failAt = ({ line, column }: Place, what: string) => fail(`${file}:${line}:${column}: ${what}`);
  if (!isUtf8(bytes)) throw fail(`${file} is not valid UTF-8`);
  // Some proxies begin it with a byte order mark.
  const text = bytes.toString().replace(/^\ufeff/, '');
  const error = syntaxErrorOf(text);
  if (error) throw failAt(placeAt(text, error.offset), error.message);
  const har = JSON.parse(text) as JsonValue;
  const wrong = problemOf('har', har)?.brief;
  if (wrong) throw failAt(findPlace(text, wrong.pointer), `${wrong.pointer} ${wrong.what}`.trim());
  return { text, entries: (har as unknown as { log: { entries: HarEntry[] } }).log.entries };
}

/** An entry as the exchange that went by, or why it is none. Not redacted: recording does that. */
export function seenOf(entry: HarEntry): SeenExchange | { skipped: string } {
  const { request, response, startedDateTime, time } = entry;
  const url = parseUrl(request.url);
  if (!url) return { skipped: 'no URL' };
  if (!/^https?:$/.test(url.protocol)) return { skipped: `not HTTP (${url.protocol})` };
  if (!TOKEN.test(request.method)) return { skipped: 'no HTTP method' };
  if (request.method === 'CONNECT' || response?.status === 101) return { skipped: 'a tunnel' };
  if (!response || response.status < 200 || response.status > 999) return { skipped: 'no response' };
  // A browser asked whether its copy still holds: the recorded request does not say so.
  if (response.status === 304) return { skipped: 'not modified: empty the cache before' };
  const { head, body: requestBody } = requestIn(entry);
  if (!requestBody) return { skipped: "the request's body is not in the file" };
  const responseBody = request.method === 'HEAD' ? NO_BYTES : answeredBytes(response);
  if (!responseBody) return { skipped: "the response's body is not in the file" };
  const headers = headersOf(response, responseBody);
  const decoded = decodeContentSync(responseBody, codingOf(headers), ANSWER_BOUNDS);
  const recordedAt = new Date(startedDateTime).toISOString();
  return {
    // A location on the same host is kept without it, which recording decides by this header; HTTP/2 has none.
    request: { ...head, headers: ['host', url.host, ...head.headers], body: requestBody },
    response: { status: response.status, headers, body: decoded },
    meta: { recordedAt, durationMs: Math.max(0, Math.round(time ?? 0)) },
  };
}

const NO_BYTES = Buffer.alloc(0);

/** The request of an entry as it was sent, without the fragment that no client sends; undefined: its body is not in the file. */
export function requestIn({ request }: HarEntry): { head: RequestHead; body: Buffer | undefined } {
  const { method, postData, bodySize } = request;
  const body = bytesOf(postData, (bodySize ?? 0) <= 0 && !postData?.params?.length);
  const url = /^[!-~]*$/.test(request.url) ? request.url : (parseUrl(request.url)?.href ?? request.url);
  return { head: { method, url: url.replace(/#.*$/, ''), headers: headersOf(request, body) }, body };
}

/** The answer of an entry, if it has one; no bytes if the archive lacks its body. */
export function answerIn({ response }: HarEntry): { status: number; bytes: Buffer } | undefined {
  if (!response || response.status <= 0) return undefined;
  return { status: response.status, bytes: answeredBytes(response) ?? NO_BYTES };
}

/** Undefined: it is not in the file. Browsers leave out what came from their cache. */
function answeredBytes({ content, status, bodySize }: HarResponse): Buffer | undefined {
  const size = content?.size ?? -1;
  // Where no size is known either, only a status of success promises a body.
  const promisesNone = content?.text === '' || bodySize === 0 || status === 204 || status >= 300;
  return bytesOf(content, size === 0 || (size < 0 && promisesNone));
}

/** @param isEmpty whether there is no body if there is no text */
function bytesOf(body: HarBody | null | undefined, isEmpty: boolean): Buffer | undefined {
  if (body?._isBinary) return undefined;
  if (!body?.text) return isEmpty ? NO_BYTES : undefined;
  if (!isBase64(body)) return Buffer.from(body.text);
  return /[^\w+/=\s-]/.test(body.text) ? undefined : Buffer.from(body.text, 'base64');
}

export function isBase64({ encoding, _encoding }: HarBody): boolean {
  return (encoding ?? _encoding) === 'base64';
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Headers as on the wire: without HTTP/2's `:method`, with values apart again that browsers join by line feeds (those of Set-Cookie), and
 *  without a content coding that the tool has undone. */
function headersOf({ headers }: HarMessage, body: Buffer = NO_BYTES): RawHeaders {
  const raw = (headers ?? []).flatMap(({ name, value }) =>
    TOKEN.test(name) ? value.split(/\r?\n/).flatMap((one) => (FIELD_VALUE.test(one) ? [name, one] : [])) : [],
  );
  const decoded = decodeContentSync(body, codingOf(raw), ANSWER_BOUNDS);
  const isCoded = Buffer.isBuffer(decoded) || decoded.why.endsWith('too-large');
  return withoutHeaders(raw, (name) => !isCoded && name === 'content-encoding');
}
