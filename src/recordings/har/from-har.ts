import { isAscii, isUtf8 } from 'node:buffer';
import { PatchgateError } from '../../errors.ts';
import { decodeContentSync } from '../../http/decode-content.ts';
import { header, type RawHeaders, type RequestHead, withoutHeaders } from '../../http/http.ts';
import { parseUrl } from '../../http/url.ts';
import { isObject, type JsonValue } from '../../json/json.ts';
import { findPlace, findPlaces, type Place, placeAt, syntaxErrorOf } from '../../json/json-text.ts';
import { problemOf } from '../../schemas/check.ts';
import type { SeenExchange } from '../plain-exchange.ts';
import { ANSWER_BOUNDS, codingOf, isForm } from '../redact/redact.ts';
import { UNKNOWN_TYPE } from './to-har.ts';

/** HTTP Archive 1.2, as far as it is read here: tools leave out what the standard wants, write null, numbers, and lists of values. */
export interface HarEntry {
  startedDateTime?: string | null;
  time?: number | null;
  request: { method: string; url: string; postData?: HarBody | null } & HarMessage;
  /** Of status 0 or -1: there was none. */
  response?: ({ status: number; statusText?: string | null; content?: HarBody | null } & HarMessage) | null;
}

interface HarMessage {
  headers?: HarPair[] | null;
  bodySize?: number | null;
}

interface HarPair {
  name?: string | null;
  value?: unknown;
}

/** `text` is base64 if an encoding says so, hexadecimal with Polly's `_isBinary`, and else decoded from its charset. */
interface HarBody {
  text?: string | null;
  mimeType?: string | null;
  size?: number | null;
  encoding?: string | null;
  _encoding?: string | null;
  _isBinary?: boolean | null;
  params?: HarPair[] | null;
}

export interface HarItem {
  /** `/log/entries/3` */
  pointer: string;
  /** Absent if the request cannot be read; the request alone if something else is wrong. */
  entry?: HarEntry;
  /** The first field that is not as HAR 1.2 says: its pointer from the entry, and `must be string`. */
  wrong?: { pointer: string; what: string };
}

/**
 * The entries of an HTTP archive in the order of the file, each checked as far as it is read here.
 *
 * @param file its name, for messages
 * @throws PatchgateError `bad-input` with file, line and column if it is no archive
 */
export function harEntries(bytes: Buffer, file: string): { text: string; items: readonly HarItem[] } {
  const fail = (what: string) =>
    new PatchgateError('bad-input', what, {
      hint: 'an HTTP archive (HAR 1.2) is expected, unpacked and in UTF-8: export it again; nothing was read',
    });
  if (!isUtf8(bytes)) throw fail(`${file} is not valid UTF-8`);
  // Some proxies begin it with a byte order mark.
  const text = bytes.toString().replace(/^\ufeff/, '');
  const error = syntaxErrorOf(text);
  if (error) throw fail(said(file, placeAt(text, error.offset), error.message));
  const har = JSON.parse(text) as JsonValue;
  const wrong = problemOf('har', har)?.brief;
  if (wrong) throw fail(said(file, findPlace(text, wrong.pointer), `${wrong.pointer} ${wrong.what}`.trim()));
  const { log } = har as unknown as { log: { entries: JsonValue[] } };
  const items = log.entries.map((value, i) => ({ pointer: `/log/entries/${i}`, ...checked(value) }));
  return { text, items };
}

function checked(value: JsonValue): Omit<HarItem, 'pointer'> {
  const wrong = problemOf('harEntry', value)?.brief;
  if (!wrong) return { entry: value as unknown as HarEntry };
  if (!isObject(value) || wrong.pointer.startsWith('/request')) return { wrong };
  return { entry: { request: value.request } as unknown as HarEntry, wrong };
}

/** An entry with a time: without one, it gets that of the entry before it, or of now. */
export type TimedEntry = HarEntry & { startedDateTime: string };

/**
 * The entries of an archive to be imported, in the order of their start.
 *
 * @returns `odd`: the entries that are left out, and why: `x.har:12:5: /log/entries/3/request/url must be string`
 * @throws PatchgateError as `harEntries`
 */
export function readHar(bytes: Buffer, file: string) {
  const { text, items } = harEntries(bytes, file);
  const start = ({ startedDateTime }: HarEntry) => Date.parse(String(startedDateTime));
  const good = items.flatMap(({ entry, wrong }) => (entry && !wrong ? entry : []));
  let last = good.find((entry) => start(entry) >= 0)?.startedDateTime ?? new Date().toISOString();
  const entries = good.map((entry): TimedEntry => {
    if (start(entry) >= 0) last = entry.startedDateTime as string;
    return { ...entry, startedDateTime: last };
  });
  entries.sort((a, b) => start(a) - start(b));
  const wrong = items.flatMap(({ pointer, wrong }) =>
    wrong ? { pointer: pointer + wrong.pointer, part: 'value' as const, what: wrong.what } : [],
  );
  const places = findPlaces(text, wrong);
  const odd = wrong.map(({ pointer, what }, i) => said(file, places[i] as Place, `${pointer} ${what}`));
  return { entries, odd };
}

function said(file: string, { line, column }: Place, what: string): string {
  return `${file}:${line}:${column}: ${what}`;
}

/** An entry as the exchange that went by, or why it is none. Not redacted: recording does that. */
export function seenOf(entry: TimedEntry): SeenExchange | { skipped: string } {
  const { method } = entry.request;
  const response = entry.response ?? { status: 0 };
  const url = parseUrl(entry.request.url);
  const skipped = whySkipped(method, url, response.status);
  if (skipped !== undefined) return { skipped };
  const { head, body: requestBody } = requestIn(entry);
  if (requestBody === undefined) return { skipped: "the request's body is not in the file" };
  const isHead = method === 'HEAD';
  const responseBody = answeredBytes(response) ?? (isHead ? NO_BYTES : undefined);
  if (responseBody === undefined) return { skipped: "the response's body is not in the file" };
  // A browser that asked whether its copy still holds puts the copy into the archive.
  const isCopy = !isHead && response.status === 304;
  if (isCopy && responseBody.length === 0)
    return { skipped: 'not modified, and the copy is not in the file' };
  const headers = headersOf(response.headers);
  const startedAt = Date.parse(entry.startedDateTime);
  // A location on the same host is kept without it, which recording decides by this header.
  const host = ['host', (url as URL).host];
  return {
    request: { ...head, headers: [...withoutHeaders(head.headers, (name) => name === 'host'), ...host] },
    requestBody,
    response: {
      ...{ status: isCopy ? 200 : response.status, message: response.statusText ?? '' },
      headers: isHead ? headers : describing(headers, responseBody, response.content),
    },
    ...{ responseBody, startedAt, endedAt: startedAt + Math.max(0, entry.time ?? 0) },
  };
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

function whySkipped(method: string, url: URL | undefined, status: number): string | undefined {
  if (method === 'CONNECT') return 'CONNECT';
  if (!url) return 'no URL';
  if (/^wss?:$/.test(url.protocol) || status === 101) return 'WebSocket';
  if (!/^https?:$/.test(url.protocol)) return `not HTTP (${url.protocol})`;
  if (!TOKEN.test(method)) return 'no HTTP method';
  if (status <= 0) return 'no response';
  return status < 200 || status > 999 ? 'no final response' : undefined;
}

const NO_BYTES = Buffer.alloc(0);
/** A body's bytes; undefined if the archive has only heard of it. */
type Found = Buffer | undefined;

/** The request of an entry as it was sent, without the fragment that no client sends. */
export function requestIn({ request }: HarEntry): { head: RequestHead; body: Found } {
  const typed = withType(headersOf(request.headers), request.postData?.mimeType);
  const body = postedBytes(request, header(typed, 'content-type'));
  const headers = body ? withoutUndone(typed, body) : typed;
  const url = /^[!-~]*$/.test(request.url) ? request.url : (parseUrl(request.url)?.href ?? request.url);
  return { head: { method: request.method, url: url.replace(/#.*$/, ''), headers }, body };
}

/** The answer of an entry, if it has one; no bytes if the archive lacks its body. */
export function answerIn({ response }: HarEntry): { status: number; bytes: Buffer } | undefined {
  if (!response || response.status <= 0) return undefined;
  return { status: response.status, bytes: answeredBytes(response) ?? NO_BYTES };
}

/** Of a form, some tools keep the fields alone. */
function postedBytes({ postData, bodySize }: HarEntry['request'], type: string | undefined): Found {
  const found = bytesOf(postData);
  const fields = postData?.params ?? [];
  if (found?.length || fields.length === 0) return found ?? ((bodySize ?? 0) > 0 ? undefined : NO_BYTES);
  const form = new URLSearchParams();
  for (const { name, value } of fields) form.append(name ?? '', String(value ?? ''));
  return isForm(type) ? Buffer.from(form.toString()) : undefined;
}

/** Browsers leave out what came from their cache. */
function answeredBytes({ content, status, bodySize }: NonNullable<HarEntry['response']>): Found {
  const found = bytesOf(content);
  if (found !== undefined) return found;
  const size = content?.size ?? -1;
  // Where no size is known either, only a status of success promises a body.
  const mayHaveBody = size < 0 && bodySize !== 0 && status < 300 && status !== 204 && status !== 205;
  return size > 0 || mayHaveBody ? undefined : NO_BYTES;
}

function bytesOf(body: HarBody | null | undefined): Found {
  if (typeof body?.text !== 'string') return undefined;
  const encoding = textEncoding(body);
  // Polly writes bytes as a JSON list of chunks, too.
  const isList = encoding !== 'utf8' && /^\["[^"]*"(?:,\s*"[^"]*")*\]$/.test(body.text);
  const chunks = isList ? (JSON.parse(body.text) as string[]) : [body.text];
  return Buffer.concat(chunks.map((chunk) => Buffer.from(chunk, encoding)));
}

export function textEncoding({ encoding, _encoding, _isBinary }: HarBody): 'base64' | 'hex' | 'utf8' {
  if (/^base64$/i.test(encoding ?? _encoding ?? '')) return 'base64';
  return _isBinary ? 'hex' : 'utf8';
}

/**
 * Headers as on the wire: without HTTP/2's `:method` and the like, with values that came several times apart again
 * (browsers join those of Set-Cookie by line feeds), and other characters than Latin-1 as their UTF-8 bytes.
 */
function headersOf(headers: readonly HarPair[] | null | undefined): string[] {
  return (headers ?? []).flatMap(({ name, value }) => {
    const values = [value].flat().flatMap((one) => String(one ?? '').split(/\r?\n/));
    return name && TOKEN.test(name) ? values.flatMap((one) => [name, onTheWire(one)]) : [];
  });
}

function onTheWire(value: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what no header may have
  const plain = value.replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, ' ');
  return /[\u0100-\uffff]/.test(plain) ? Buffer.from(plain).toString('latin1') : plain;
}

/** The headers of a response as they describe the body that is there. A text was decoded from its charset: now it is UTF-8. */
function describing(headers: string[], body: Buffer, content: HarBody | null | undefined): string[] {
  const plain = withoutUndone(headers, body);
  if (body.length === 0) return plain;
  const typed = withType(plain, content?.mimeType);
  if (content?.encoding || isAscii(body)) return typed;
  const isType = (i: number) => i % 2 === 1 && /^content-type$/i.test(typed[i - 1] as string);
  return typed.map((text, i) =>
    isType(i) ? text.replace(/charset=("[^"]*"|[^\s;]*)/i, 'charset=utf-8') : text,
  );
}

/** Tools undo content codings and leave the header. */
function withoutUndone(headers: RawHeaders, body: Buffer): string[] {
  const decoded = decodeContentSync(body, codingOf(headers), ANSWER_BOUNDS);
  const isCoded = Buffer.isBuffer(decoded) || decoded.why.endsWith('too-large');
  return withoutHeaders(headers, (name) => !isCoded && name === 'content-encoding');
}

/** With the media type that stands elsewhere, if no header says it. */
function withType(headers: string[], type: string | null | undefined): string[] {
  if (!type || type === UNKNOWN_TYPE || header(headers, 'content-type') !== undefined) return headers;
  return [...headers, ...headersOf([{ name: 'content-type', value: type }])];
}
