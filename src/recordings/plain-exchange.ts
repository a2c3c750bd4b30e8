import { type Decoded, decodeContentSync, isPastBounds, REQUEST_BOUNDS } from '../http/decode-content.ts';
import {
  byHeaderName,
  connectionOptions,
  HOP_BY_HOP,
  header,
  METHOD_OVERRIDES,
  type RawHeaders,
  type RequestHead,
  type ResponseHead,
  splitTarget,
  withoutHeaders,
} from '../http/http.ts';
import type { JsonValue } from '../json/json.ts';
import {
  type Exchange,
  headerPairs,
  isKept,
  type RecordedRequest,
  type StoredBody,
  type StoredHeaders,
  type WholeRequest,
} from '../model/exchange.ts';
import { bodyBytes, storeBody } from './body.ts';
import {
  ANSWER_BOUNDS,
  codingOf,
  contentTypeOf,
  redactBytes,
  redactHeaders,
  redactPath,
  redactQuery,
} from './redact/redact.ts';
import { hidingTexts, KnownSecrets, type OnSecret, type Redaction } from './redact/redaction.ts';

/**
 * An exchange on its way into a recording: redacted, decoded, without the headers of one connection; its parts are flat.
 * `toStoredExchange` makes of it what a file holds.
 */
export interface PlainExchange {
  request: PlainRequest;
  response: PlainResponse;
  /** Milliseconds since the epoch. */
  startedAt: number;
  /** From the request's head to the response's end, in whole milliseconds. */
  durationMs: number;
  /** Name of the session that it was recorded in; absent where that was the default one. */
  session?: string;
}

interface PlainMessage {
  headers: FlatHeaders;
  body: Buffer;
  /** So many bytes were not kept; `body` is then empty. */
  omitted?: number;
}

interface PlainRequest extends PlainMessage {
  method: string;
  path: string;
  query: string;
  /** The body as a value, where it is parsed already. */
  json: JsonValue | undefined;
}

interface PlainResponse extends PlainMessage {
  status: number;
}

/** Name, value, name, value, …; the names in lower case. */
type FlatHeaders = readonly string[];

/** One request with its response, both whole, as they went by; with the request's body as a value, where it is parsed already. */
export interface SeenExchange {
  request: RequestHead & { json?: JsonValue | undefined };
  requestBody: Buffer;
  response: ResponseHead;
  responseBody: Buffer;
  /** The same without its content codings, where they are undone already. */
  decoded?: Decoded | undefined;
  /** Milliseconds since the epoch: the request's head, the response's end. */
  startedAt: number;
  endedAt: number;
  /** Name of its session; absent or `""` is the default one. */
  session?: string | undefined;
}

/**
 * What may be kept of an exchange that went by. A secret of one part is hidden in all others, where a server may echo it. A body of
 * unknown or broken coding is left out; one that passes the bounds of decoding is kept as it came.
 *
 * @param keepHeaders names in lower case of headers that are kept of the request besides: those that matching looks at
 */
export function plainExchangeOf(
  seen: SeenExchange,
  redaction: Redaction,
  keepHeaders: ReadonlySet<string> = NO_NAMES,
): PlainExchange {
  const known = new KnownSecrets(redaction);
  known.addHeaders(seen.request.headers);
  const sent = decodeContentSync(seen.requestBody, codingOf(seen.request.headers), REQUEST_BOUNDS);
  const request = plainRequest(seen.request, seen.requestBody, sent, seen.request.json, keepHeaders);
  const coding = codingOf(seen.response.headers);
  const answered = seen.decoded ?? decodeContentSync(seen.responseBody, coding, ANSWER_BOUNDS);
  const response = plainResponseOf(seen, answered, redaction, known);
  if (isUnreadable(sent)) omitBody(request);
  if (isUnreadable(answered)) omitBody(response);
  const exchange: PlainExchange = {
    request,
    response,
    startedAt: seen.startedAt,
    durationMs: Math.max(0, Math.round(seen.endedAt - seen.startedAt)),
    ...(seen.session && { session: seen.session }),
  };
  redactAll(exchange, redaction, known);
  return exchange;
}

/** An exchange of a file, as if it were recorded now. Secret headers of a response go. */
export function redactExchange(exchange: Exchange, redaction: Redaction): Exchange {
  const known = new KnownSecrets(redaction);
  const plain = toPlainExchange(exchange);
  const [asked, answered] = [plain.request.body, plain.response.body];
  known.addHeaders(plain.request.headers);
  known.addHeaders(plain.response.headers);
  plain.response.headers = withoutHeaders(plain.response.headers, (name) => redaction.headers.has(name));
  redactAll(plain, redaction, known);
  const { request, response } = toStoredExchange(plain);
  if (plain.request.body === asked && exchange.request.body) request.body = exchange.request.body;
  if (plain.response.body === answered && exchange.response.body) response.body = exchange.response.body;
  return { request, response, meta: exchange.meta };
}

/** What one part shows to be a secret is hidden in all others, where a server may echo it. */
function redactAll(exchange: PlainExchange, redaction: Redaction, known: KnownSecrets): void {
  redactParts(exchange, redaction, known.add);
  const { texts } = known;
  if (texts.length > 0 && standsAgain(exchange, texts)) redactParts(exchange, hidingTexts(redaction, texts));
}

function isUnreadable(decoded: Decoded): boolean {
  return !Buffer.isBuffer(decoded) && !isPastBounds(decoded);
}

/** Whether a body is kept as it came: what it holds is not looked at. */
export function isStillCoded({ headers, body }: PlainMessage): boolean {
  return body.length > 0 && header(headers, 'content-encoding') !== undefined;
}

function omitBody(message: PlainMessage): void {
  if (message.body.length === 0) return;
  message.omitted = message.body.length;
  message.body = NO_BODY;
}

function redactParts({ request, response }: PlainExchange, redaction: Redaction, onSecret?: OnSecret): void {
  request.path = redactPath(request.path, redaction, onSecret);
  request.query = redactQuery(request.query, redaction, onSecret);
  for (const message of [request, response]) {
    message.headers = redactHeaders(message.headers, redaction, onSecret);
    if (isStillCoded(message)) continue;
    const clean = redactBytes(message.body, header(message.headers, 'content-type'), redaction, onSecret);
    if (clean === message.body) continue;
    message.body = clean;
    if (message === request) request.json = undefined;
  }
}

function standsAgain({ request, response }: PlainExchange, texts: readonly string[]): boolean {
  const { path, query } = request;
  const parts = [path, query, ...request.headers, ...response.headers];
  // Last, and only where they are not found before: these are large.
  const bodies = () => [request.body.toString(), response.body.toString()];
  const isIn = (part: string) => texts.some((text) => part.includes(text));
  return parts.some(isIn) || bodies().some(isIn);
}

/**
 * A request as recordings write it down and matching compares it. Not redacted.
 *
 * @param keepHeaders names in lower case of headers that matching looks at
 */
export function recordedRequest(
  head: RequestHead,
  body: Buffer,
  json: JsonValue | undefined,
  keepHeaders: ReadonlySet<string> = NO_NAMES,
): WholeRequest {
  const decoded = decodeContentSync(body, codingOf(head.headers), REQUEST_BOUNDS);
  return toStoredRequest(plainRequest(head, body, decoded, json, keepHeaders)) as WholeRequest;
}

function plainRequest(
  { method, url, headers: raw }: RequestHead,
  body: Buffer,
  decoded: Decoded,
  json: JsonValue | undefined,
  keepHeaders: ReadonlySet<string>,
): PlainRequest {
  const { path, query } = splitTarget(url);
  const plain = Buffer.isBuffer(decoded) ? decoded : undefined;
  const headers: string[] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const { name, isKeptOfRequest } = meaningOf(raw[i] as string);
    if ((isKeptOfRequest || keepHeaders.has(name)) && (name !== 'content-encoding' || plain === undefined))
      headers.push(name, raw[i + 1] as string);
  }
  return { method, path, query, headers, body: plain ?? body, json: plain && json };
}

/** Without secret headers: a placeholder would be replayed as if it were a cookie. */
function plainResponseOf(
  seen: SeenExchange,
  decoded: Decoded,
  redaction: Redaction,
  known: KnownSecrets,
): PlainResponse {
  const { status, headers: raw } = seen.response;
  // A HEAD's headers describe a body that is not there.
  const isHead = seen.request.method === 'HEAD';
  const plain = !isHead && Buffer.isBuffer(decoded) ? decoded : undefined;
  const options = connectionOptions(raw);
  const headers: string[] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const { name, isOfConnection, isLocation } = meaningOf(raw[i] as string);
    if (isOfConnection || options.includes(name)) continue;
    if (redaction.headers.has(name)) {
      known.addHeader(raw[i + 1] as string);
      continue;
    }
    if (name === 'content-length' ? !isHead : name === 'content-encoding' && plain !== undefined) continue;
    const value = raw[i + 1] as string;
    headers.push(name, isLocation ? withoutOwnOrigin(value, seen.request.headers) : value);
  }
  return { status, headers, body: isHead ? NO_BODY : (plain ?? seen.responseBody) };
}

const NO_BODY = Buffer.alloc(0);
const NO_NAMES: ReadonlySet<string> = new Set();

interface Meaning {
  /** In lower case. */
  name: string;
  isKeptOfRequest: boolean;
  /** Of one connection or one moment. */
  isOfConnection: boolean;
  isLocation: boolean;
}

/** What a request's headers say of its body and of what it may be answered with, and those that make a PATCH of it. */
const KEPT_OF_REQUEST: ReadonlySet<string> = new Set([
  ...['content-type', 'accept', 'content-encoding'],
  ...METHOD_OVERRIDES,
]);

const meaningOf = byHeaderName(
  (name): Meaning => ({
    name,
    isKeptOfRequest: KEPT_OF_REQUEST.has(name),
    isOfConnection: HOP_BY_HOP.has(name) || name === 'date',
    isLocation: name === 'location' || name === 'content-location',
  }),
);

/** A URL of the gate itself loses its origin: the next run may have another port, and leads to itself again. */
function withoutOwnOrigin(url: string, requestHeaders: RawHeaders): string {
  const host = header(requestHeaders, 'host');
  const origin = [`http://${host}/`, `https://${host}/`].find((own) => url.startsWith(own));
  if (host === undefined || origin === undefined) return url;
  const rest = url.slice(origin.length - 1);
  // `//name/` would be another host.
  return rest.startsWith('//') ? url : rest;
}

/** The exchange as a file keeps it: which bodies are JSON that gives the very bytes back is found out here. */
export function toStoredExchange({
  request,
  response,
  startedAt,
  durationMs,
  session,
}: PlainExchange): Exchange {
  const { status, headers } = response;
  return {
    request: toStoredRequest(request),
    response: withBody({ status, headers: storedHeaders(headers) }, response),
    meta: {
      recordedAt: new Date(startedAt).toISOString(),
      durationMs,
      ...(session !== undefined && { session }),
    },
  };
}

/** The other way round. */
export function toPlainExchange({ request, response, meta }: Exchange): PlainExchange {
  const { method, path, query } = request;
  return {
    request: { method, path, query, json: undefined, ...plainMessage(request) },
    response: { status: response.status, ...plainMessage(response) },
    startedAt: Date.parse(meta.recordedAt),
    durationMs: meta.durationMs,
    ...(meta.session !== undefined && { session: meta.session }),
  };
}

function plainMessage({ headers, body }: { headers: StoredHeaders; body?: StoredBody }): PlainMessage {
  const flat = headerPairs(headers).flat();
  if (isKept(body)) return { headers: flat, body: bodyBytes(body) };
  return { headers: flat, body: Buffer.alloc(0), omitted: (body as { omitted: number }).omitted };
}

function toStoredRequest(request: PlainRequest): RecordedRequest {
  const { method, path, query, headers } = request;
  return withBody({ method, path, query, headers: storedHeaders(headers) }, request);
}

function withBody<Message extends { headers: StoredHeaders; body?: StoredBody }>(
  message: Message,
  { body, omitted, json }: PlainMessage & { json?: JsonValue | undefined },
): Message {
  const stored = omitted === undefined ? storeBody(body, contentTypeOf(message.headers), json) : { omitted };
  if (stored) message.body = stored;
  return message;
}

/** From names in lower case. */
export function storedHeaders(flat: FlatHeaders): StoredHeaders {
  const headers: StoredHeaders = {};
  for (let i = 0; i + 1 < flat.length; i += 2) {
    const name = flat[i] as string;
    const value = flat[i + 1] as string;
    const before = Object.hasOwn(headers, name) ? headers[name] : undefined;
    const all = before === undefined ? value : [before, value].flat();
    if (name !== '__proto__') headers[name] = all;
    // An assignment would lose it.
    else Object.defineProperty(headers, name, { ...ORDINARY, value: all });
  }
  return headers;
}

const ORDINARY = { writable: true, enumerable: true, configurable: true };
