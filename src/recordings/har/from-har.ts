import { isUtf8 } from 'node:buffer';
import { PatchgateError } from '../../errors.ts';
import { decodeContentSync } from '../../http/decode-content.ts';
import { type RawHeaders, type RequestHead, withoutHeaders } from '../../http/http.ts';
import { parseUrl } from '../../http/url.ts';
import type { JsonValue } from '../../json/json.ts';
import { findPlace, type Place, placeAt, syntaxErrorOf } from '../../json/json-text.ts';
import { problemOf } from '../../schemas/check.ts';
import type { SeenExchange } from '../plain-exchange.ts';
import { ANSWER_BOUNDS, codingOf } from '../redact/redact.ts';

/** An entry of HTTP Archive 1.2, as far as it is read here: schemas/files/har.schema.json. Tools leave out much of it. */
export interface HarEntry {
  startedDateTime?: string;
  time?: number | null;
  request: HarMessage & { method: string; url: string; postData?: HarBody | null };
  /** Of status 0 or -1: there was none. */
  response?: (HarMessage & { status: number; content?: HarBody | null }) | null;
}

type HarMessage = { headers?: { name: string; value: string }[]; bodySize?: number | null };

interface HarBody {
  text?: string | null;
  size?: number | null;
  /** `base64`. HAR has it for responses alone: archives of ours have `_encoding` in requests. */
  encoding?: string | null;
  _encoding?: string | null;
  /** Polly's own coding, which is not read. */
  _isBinary?: boolean | null;
  params?: unknown[] | null;
}

export interface HarItem {
  /** `/log/entries/3` */
  pointer: string;
  /** Absent if it cannot be read. */
  entry?: HarEntry;
  /** The first field that is not as HAR 1.2 says: `/request/url must be a text`. */
  wrong?: string;
}

/**
 * The entries of an HTTP archive in the order of the file, each checked as far as it is read here.
 *
 * @param file its name, for messages
 * @throws PatchgateError `bad-input` with file, line and column if it is no archive
 */
export function harEntries(bytes: Buffer, file: string): { text: string; items: readonly HarItem[] } {
  const hint =
    'an HTTP archive (HAR 1.2) is expected, unpacked and in UTF-8: export it again; nothing was read';
  const fail = (what: string) => new PatchgateError('bad-input', what, { hint });
  const failAt = ({ line, column }: Place, what: string) => fail(`${file}:${line}:${column}: ${what}`);
  if (!isUtf8(bytes)) throw fail(`${file} is not valid UTF-8`);
  // Some proxies begin it with a byte order mark.
  const text = bytes.toString().replace(/^\ufeff/, '');
  const error = syntaxErrorOf(text);
  if (error) throw failAt(placeAt(text, error.offset), error.message);
  const har = JSON.parse(text) as { log: { entries: JsonValue[] } };
  const wrong = wrongIn('har', har);
  if (wrong) throw failAt(findPlace(text, wrong.pointer), wrong.what);
  const items = har.log.entries.map((entry, i): HarItem => {
    const pointer = `/log/entries/${i}`;
    const wrong = wrongIn('harEntry', entry)?.what;
    return wrong === undefined ? { pointer, entry: entry as unknown as HarEntry } : { pointer, wrong };
  });
  return { text, items };
}

function wrongIn(schema: 'har' | 'harEntry', value: unknown): { pointer: string; what: string } | undefined {
  const brief = problemOf(schema, value as JsonValue)?.brief;
  return brief && { pointer: brief.pointer, what: `${brief.pointer} ${brief.what}`.trim() };
}

/**
 * The entries of an archive to be imported, in the order of their start.
 *
 * @returns `odd`: the entries that are left out, and why: `x.har: /log/entries/3: /request/url must be a text`
 * @throws PatchgateError as `harEntries`
 */
export function readHar(bytes: Buffer, file: string): { entries: HarEntry[]; odd: string[] } {
  const { items } = harEntries(bytes, file);
  const start = ({ startedDateTime = '' }: HarEntry) => Date.parse(startedDateTime) || 0;
  return {
    entries: items.flatMap(({ entry }) => entry ?? []).sort((a, b) => start(a) - start(b)),
    odd: items.flatMap(({ pointer, wrong }) => (wrong ? `${file}: ${pointer}: ${wrong}` : [])),
  };
}

/** An entry as the exchange that went by, or why it is none. Not redacted: recording does that. */
export function seenOf(entry: HarEntry): SeenExchange | { skipped: string } {
  const { request, response, startedDateTime = '', time } = entry;
  const startedAt = Date.parse(startedDateTime);
  const url = parseUrl(request.url);
  if (!url) return { skipped: 'no URL' };
  if (!/^https?:$/.test(url.protocol)) return { skipped: `not HTTP (${url.protocol})` };
  if (request.method === 'CONNECT' || response?.status === 101) return { skipped: 'a tunnel' };
  if (!response || response.status < 200) return { skipped: 'no response' };
  if (Number.isNaN(startedAt)) return { skipped: 'no time' };
  // A browser asked whether its copy still holds: the recorded request does not say so.
  if (response.status === 304) return { skipped: 'not modified: empty the cache before' };
  const { head, body: requestBody } = requestIn(entry);
  if (!requestBody) return { skipped: "the request's body is not in the file" };
  const responseBody = request.method === 'HEAD' ? NO_BYTES : answeredBytes(response);
  if (!responseBody) return { skipped: "the response's body is not in the file" };
  return {
    // A location on the same host is kept without it, which recording decides by this header; HTTP/2 has none.
    request: { ...head, headers: ['host', url.host, ...head.headers] },
    requestBody,
    response: { status: response.status, message: '', headers: headersOf(response, responseBody) },
    ...{ responseBody, startedAt, endedAt: startedAt + Math.max(0, time ?? 0) },
  };
}

const NO_BYTES = Buffer.alloc(0);

/** The request of an entry as it was sent, without the fragment that no client sends; undefined: its body is not in the file. */
export function requestIn({ request }: HarEntry): { head: RequestHead; body: Buffer | undefined } {
  const { method, postData, bodySize } = request;
  const found = bytesOf(postData);
  const isLost = !found?.length && ((bodySize ?? 0) > 0 || postData?._isBinary || postData?.params?.length);
  const body = isLost ? undefined : (found ?? NO_BYTES);
  const url = /^[!-~]*$/.test(request.url) ? request.url : (parseUrl(request.url)?.href ?? request.url);
  return { head: { method, url: url.replace(/#.*$/, ''), headers: headersOf(request, body) }, body };
}

/** The answer of an entry, if it has one; no bytes if the archive lacks its body. */
export function answerIn({ response }: HarEntry): { status: number; bytes: Buffer } | undefined {
  if (!response || response.status <= 0) return undefined;
  return { status: response.status, bytes: answeredBytes(response) ?? NO_BYTES };
}

/** Undefined: it is not in the file. Browsers leave out what came from their cache. */
function answeredBytes({ content, status, bodySize }: NonNullable<HarEntry['response']>): Buffer | undefined {
  const size = content?.size ?? -1;
  // Where no size is known either, only a status of success promises a body.
  const isEmpty = size === 0 || (size < 0 && (bodySize === 0 || status === 204 || status >= 300));
  return bytesOf(content) ?? (isEmpty && !content?._isBinary ? NO_BYTES : undefined);
}

function bytesOf(body: HarBody | null | undefined): Buffer | undefined {
  if (typeof body?.text !== 'string' || body._isBinary) return undefined;
  return Buffer.from(body.text, isBase64(body) ? 'base64' : 'utf8');
}

export function isBase64({ encoding, _encoding }: HarBody): boolean {
  return (encoding ?? _encoding) === 'base64';
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Headers as on the wire: without HTTP/2's `:method` and the like, with values that came several times apart again (browsers join
 * those of Set-Cookie by line feeds), and without a content coding that the tool has undone.
 */
function headersOf({ headers = [] }: HarMessage, body: Buffer = NO_BYTES): RawHeaders {
  const raw = headers.flatMap(({ name, value }) =>
    TOKEN.test(name) ? value.split(/\r?\n/).flatMap((one) => (FIELD_VALUE.test(one) ? [name, one] : [])) : [],
  );
  const decoded = decodeContentSync(body, codingOf(raw), ANSWER_BOUNDS);
  const isCoded = Buffer.isBuffer(decoded) || decoded.why.endsWith('too-large');
  return withoutHeaders(raw, (name) => !isCoded && name === 'content-encoding');
}
