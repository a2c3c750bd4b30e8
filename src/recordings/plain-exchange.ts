import { PatchgateError } from '../errors.ts';
import { type Decoded, decodeContentSync, REQUEST_BOUNDS } from '../http/decode-content.ts';
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
} from '../http/http.ts';
import type { JsonValue } from '../json/json.ts';
import { type Exchange, headerPairs, type RecordedResponse } from '../model/exchange.ts';
import { bodyBytes, RECORD_LIMIT, storeBody } from './body.ts';
import {
  ANSWER_BOUNDS,
  codingOf,
  contentTypeOf,
  redactBytes,
  redactHeaders,
  redactPath,
  redactQuery,
} from './redact/redact.ts';
import { hidingTexts, KnownSecrets, type Redaction } from './redact/redaction.ts';

/** An exchange on its way into a recording: redacted, decoded, without the headers of one connection. */
export interface PlainExchange {
  request: PlainMessage & { method: string; path: string; query: string };
  response: PlainMessage & { status: number };
  /** Milliseconds since the epoch. */
  startedAt: number;
  /** From the request's head to the response's end, in whole milliseconds. */
  durationMs: number;
  /** Name of the session that it was recorded in; absent for the default one. */
  session?: string | undefined;
}

interface PlainMessage {
  /** Name, value, name, value, …; the names in lower case. */
  headers: readonly string[];
  body: Buffer;
  /** The body as a value, if it is parsed already. */
  json?: JsonValue | undefined;
}

/** One request with its response, both whole, as they went by. */
export interface SeenExchange {
  request: RequestHead & { json?: JsonValue | undefined };
  requestBody: Buffer;
  response: ResponseHead;
  responseBody: Buffer;
  /** The same without its content codings, if they are undone already. */
  decoded?: Decoded | undefined;
  /** Milliseconds since the epoch: the request's head, the response's end. */
  startedAt: number;
  endedAt: number;
  /** Name of its session; absent or `""` is the default one. */
  session?: string | undefined;
}

/**
 * An exchange that went by, as it may be kept. A secret of one part is hidden in all others: a server may echo it.
 *
 * @param keepHeaders names in lower case of headers that are kept of the request besides: those that matching looks at
 * @throws PatchgateError `bad-input` if nobody can say what a body holds, or it is too long
 */
export function plainExchangeOf(
  seen: SeenExchange,
  redaction: Redaction,
  keepHeaders: ReadonlySet<string> = NO_NAMES,
): PlainExchange {
  const known = new KnownSecrets(redaction, seen.request.headers, seen.response.headers);
  const exchange: PlainExchange = {
    request: plainRequest(seen.request, seen.requestBody, keepHeaders),
    response: plainResponse(seen, redaction),
    startedAt: seen.startedAt,
    durationMs: Math.max(0, Math.round(seen.endedAt - seen.startedAt)),
    session: seen.session || undefined,
  };
  for (const side of ['request', 'response'] as const) {
    const { headers, body } = exchange[side];
    if (body.length > RECORD_LIMIT) throw tooLong(side, body.length);
    if (body.length > 0 && header(headers, 'content-encoding') !== undefined)
      throw new PatchgateError('bad-input', `its ${side}'s body has a content coding that cannot be undone`);
  }
  redactAll(exchange, redaction, known);
  return exchange;
}

/** Why an exchange is not recorded. @param side `request`, `response` */
export function tooLong(side: string, bytes: number): PatchgateError {
  const what = `its ${side}'s body has ${bytes} bytes, more than the ${RECORD_LIMIT} that are kept`;
  return new PatchgateError('bad-input', what);
}

/** An exchange of a file, as if it were recorded now. Secret headers of a response go. */
export function redactExchange(exchange: Exchange, redaction: Redaction): Exchange {
  const plain = toPlainExchange(exchange);
  const known = new KnownSecrets(redaction, plain.request.headers, plain.response.headers);
  const [asked, answered] = [plain.request.body, plain.response.body];
  plain.response.headers = headersIn(plain.response.headers, (name) => !redaction.headers.has(name));
  redactAll(plain, redaction, known);
  const { request, response } = toStoredExchange(plain);
  if (plain.request.body === asked && exchange.request.body) request.body = exchange.request.body;
  if (plain.response.body === answered && exchange.response.body) response.body = exchange.response.body;
  return { request, response, meta: exchange.meta };
}

/** Hides the secrets of one part in all others, too: a server may echo them. */
function redactAll(exchange: PlainExchange, redaction: Redaction, known: KnownSecrets): void {
  redactParts(exchange, known.noting);
  const { texts } = known;
  if (texts.length > 0 && standsAgain(exchange, texts)) redactParts(exchange, hidingTexts(redaction, texts));
}

function redactParts({ request, response }: PlainExchange, redaction: Redaction): void {
  request.path = redactPath(request.path, redaction);
  request.query = redactQuery(request.query, redaction);
  for (const message of [request, response]) {
    message.headers = redactHeaders(message.headers, redaction);
    const clean = redactBytes(message.body, header(message.headers, 'content-type'), redaction);
    if (clean === message.body) continue;
    message.body = clean;
    message.json = undefined;
  }
}

function standsAgain({ request, response }: PlainExchange, texts: readonly string[]): boolean {
  const isIn = (part: string) => texts.some((text) => part.includes(text));
  const heads = [request.path, request.query, ...request.headers, ...response.headers];
  // Bodies last: they are large.
  return heads.some(isIn) || isIn(request.body.toString()) || isIn(response.body.toString());
}

const NO_BODY = Buffer.alloc(0);
const NO_NAMES: ReadonlySet<string> = new Set();
/** What a request's headers say of its body and of what it may be answered with, and those that make a PATCH of it. */
const KEPT_OF_REQUEST: ReadonlySet<string> = new Set(['content-type', 'accept', ...METHOD_OVERRIDES]);
/** Of one connection or one moment. */
const PASSING: ReadonlySet<string> = new Set([...HOP_BY_HOP, 'date']);
const LOCATIONS: ReadonlySet<string> = new Set(['location', 'content-location']);
const lowerCase = byHeaderName((name) => name);

/** The headers that stay, their names in lower case. */
function headersIn(raw: RawHeaders, stays: (name: string) => boolean): string[] {
  const headers: string[] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = lowerCase(raw[i] as string);
    if (stays(name)) headers.push(name, raw[i + 1] as string);
  }
  return headers;
}

/** Not redacted. A body keeps its coding, and the header that says so, if that cannot be undone. */
export function plainRequest(
  { method, url, headers: raw, json }: SeenExchange['request'],
  body: Buffer,
  keepHeaders: ReadonlySet<string>,
): PlainExchange['request'] {
  const { path, query } = splitTarget(url);
  const decoded = decodeContentSync(body, codingOf(raw), REQUEST_BOUNDS);
  const isPlain = Buffer.isBuffer(decoded);
  const headers = headersIn(raw, (name) =>
    name === 'content-encoding' ? !isPlain : KEPT_OF_REQUEST.has(name) || keepHeaders.has(name),
  );
  return { method, path, query, headers, body: isPlain ? decoded : body, json: isPlain ? json : undefined };
}

/** Without secret headers: a placeholder would be replayed as if it were a cookie. */
function plainResponse(
  { request, response, responseBody, decoded: known }: SeenExchange,
  redaction: Redaction,
): PlainExchange['response'] {
  const { status, headers: raw } = response;
  // A HEAD's headers describe a body that is not there.
  const isHead = request.method === 'HEAD';
  const decoded = isHead ? NO_BODY : (known ?? decodeContentSync(responseBody, codingOf(raw), ANSWER_BOUNDS));
  const isPlain = Buffer.isBuffer(decoded);
  const options = connectionOptions(raw);
  const headers = headersIn(raw, (name) => {
    if (PASSING.has(name) || options.includes(name) || redaction.headers.has(name)) return false;
    return isHead || (name !== 'content-length' && !(name === 'content-encoding' && isPlain));
  });
  for (let i = 0; i < headers.length; i += 2)
    if (LOCATIONS.has(headers[i] as string))
      headers[i + 1] = withoutOwnOrigin(headers[i + 1] as string, header(request.headers, 'host'));
  return { status, headers, body: isPlain ? decoded : responseBody };
}

/** A URL of the gate itself loses its origin: the next run may have another port, and leads to itself again. */
function withoutOwnOrigin(url: string, host: string | undefined): string {
  const path = url.replace(/^https?:\/\/([^/]+)(?=\/)/, (origin, of) => (of === host ? '' : origin));
  // `//name/` would be another host.
  return path.startsWith('//') ? url : path;
}

/** The exchange as a file keeps it: which bodies are JSON that gives the very bytes back is found out here. */
export function toStoredExchange(exchange: PlainExchange): Exchange {
  const { request, response, startedAt, durationMs, session } = exchange;
  const { method, path, query } = request;
  const recordedAt = new Date(startedAt).toISOString();
  return {
    request: { method, path, query, ...storedMessage(request) },
    response: { status: response.status, ...storedMessage(response) },
    meta: { recordedAt, durationMs, ...(session !== undefined && { session }) },
  };
}

/** Headers and body. */
export function storedMessage({ headers: flat, body: bytes, json }: PlainMessage) {
  const headers = valuesByName(flat);
  const body = storeBody(bytes, contentTypeOf(headers), json);
  return { headers, ...(body && { body }) };
}

/** The other way round. */
export function toPlainExchange({ request, response, meta }: Exchange): PlainExchange {
  const { method, path, query } = request;
  const { recordedAt, durationMs, session } = meta;
  return {
    request: { method, path, query, ...plainMessage(request) },
    response: { status: response.status, ...plainMessage(response) },
    ...{ startedAt: Date.parse(recordedAt), durationMs, session },
  };
}

function plainMessage({ headers, body }: Pick<RecordedResponse, 'headers' | 'body'>): PlainMessage {
  return { headers: headerPairs(headers).flat(), body: bodyBytes(body) };
}

/** Names and values in turn -> each name with its value, with a list if it came several times. */
export function valuesByName(flat: readonly string[]): Record<string, string | string[]> {
  const values = new Map<string, string | string[]>();
  for (let i = 0; i + 1 < flat.length; i += 2) {
    const [name, value] = [flat[i] as string, flat[i + 1] as string];
    const before = values.get(name);
    if (Array.isArray(before)) before.push(value);
    else values.set(name, before === undefined ? value : [before, value]);
  }
  return Object.fromEntries(values);
}
