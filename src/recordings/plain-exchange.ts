import {
  byHeaderName,
  connectionOptions,
  HOP_BY_HOP,
  header,
  type RawHeaders,
  type RequestHead,
  type ResponseHead,
  splitTarget,
} from '../model/http.ts';
import type { JsonValue } from '../model/json.ts';
import { bodyBytes, storeBody } from './body.ts';
import { undoCodings } from './content-coding.ts';
import { isForm, redactBody, redactHeader, redactQuery } from './redaction/redact.ts';
import { DEFAULT_REDACTION, type Redaction } from './redaction/secret-names.ts';

/**
 * An exchange on its way into a recording: redacted, without what belongs to one connection, its content codings
 * undone. Not yet as a file keeps it, which `settle` makes of it: this is made while a client waits, hence of flat parts.
 */
export interface PlainExchange {
  request: PlainRequest;
  response: { status: number; headers: FlatHeaders; body: Buffer };
  /** Milliseconds since the epoch. */
  startedAt: number;
  /** From the request's head to the response's end, in whole milliseconds. */
  durationMs: number;
}

export interface PlainRequest {
  method: string;
  path: string;
  query: string;
  headers: FlatHeaders;
  body: Buffer;
  /** The body as a value, where somebody has parsed it already. */
  json: JsonValue | undefined;
}

/** Name, value, name, value, …; the names in lower case. */
export type FlatHeaders = readonly string[];

/** One request with its response, both whole, as they went by. */
export interface SeenExchange {
  request: RequestHead;
  requestBody: Buffer;
  response: ResponseHead;
  responseBody: Buffer;
  /** Milliseconds since the epoch: the request's head, the response's end. */
  startedAt: number;
  endedAt: number;
}

/** What may be kept of an exchange that went by. */
export function plainExchangeOf(seen: SeenExchange, redaction: Redaction = DEFAULT_REDACTION): PlainExchange {
  const request = plainRequestOf(seen.request, seen.requestBody, undefined);
  request.query = redactQuery(request.query, redaction);
  request.body = redactBytes(request.body, header(seen.request.headers, 'content-type'), redaction);
  return {
    request,
    response: plainResponseOf(seen, redaction),
    startedAt: seen.startedAt,
    durationMs: Math.max(0, Math.round(seen.endedAt - seen.startedAt)),
  };
}

/** The parts of a request that recordings keep and matching compares. Not redacted. */
export function plainRequestOf(head: RequestHead, body: Buffer, json: JsonValue | undefined): PlainRequest {
  const { path, query } = splitTarget(head.url);
  const plain = undoCodings(body, header(head.headers, 'content-encoding'), 'client');
  const headers: string[] = [];
  for (let i = 0; i + 1 < head.headers.length; i += 2) {
    const { name, isKeptOfRequest } = meaningOf(head.headers[i] as string);
    if (isKeptOfRequest && (name !== 'content-encoding' || plain === undefined)) {
      headers.push(name, head.headers[i + 1] as string);
    }
  }
  return { method: head.method, path, query, headers, body: plain ?? body, json: plain && json };
}

function plainResponseOf(seen: SeenExchange, redaction: Redaction): PlainExchange['response'] {
  const { status, headers: raw } = seen.response;
  // A HEAD's headers describe a body that is not there.
  const isHead = seen.request.method === 'HEAD';
  const plain = isHead
    ? undefined
    : undoCodings(seen.responseBody, header(raw, 'content-encoding'), 'target');
  const options = connectionOptions(raw);
  const headers: string[] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const { name, isOfConnection, isLocation } = meaningOf(raw[i] as string);
    if (isOfConnection || redaction.headers.has(name) || options.includes(name)) continue;
    if (name === 'content-length' ? !isHead : name === 'content-encoding' && plain !== undefined) continue;
    const value = redactHeader(name, raw[i + 1] as string, redaction);
    headers.push(name, isLocation ? withoutOwnOrigin(value, seen.request.headers) : value);
  }
  const body = isHead
    ? NO_BODY
    : redactBytes(plain ?? seen.responseBody, header(raw, 'content-type'), redaction);
  return { status, headers, body };
}

const NO_BODY = Buffer.alloc(0);

interface Meaning {
  /** In lower case. */
  name: string;
  isKeptOfRequest: boolean;
  /** Of one connection or one moment. */
  isOfConnection: boolean;
  isLocation: boolean;
}

const meaningOf = byHeaderName(
  (name): Meaning => ({
    name,
    isKeptOfRequest: name === 'content-type' || name === 'accept' || name === 'content-encoding',
    isOfConnection: HOP_BY_HOP.has(name) || name === 'date',
    isLocation: name === 'location' || name === 'content-location',
  }),
);

/** Most bodies hold nothing to hide, which a look at their bytes shows. */
function redactBytes(bytes: Buffer, contentType: string | undefined, redaction: Redaction): Buffer {
  if (bytes.length === 0 || !(isForm(contentType) || redaction.members.mayBeIn(bytes))) return bytes;
  const stored = storeBody(bytes, contentType);
  const clean = stored && redactBody(stored, contentType, redaction);
  return clean === stored ? bytes : bodyBytes(clean);
}

/** A URL of the gate itself loses its origin: the next run may have another port, and leads to itself again. */
function withoutOwnOrigin(url: string, requestHeaders: RawHeaders): string {
  const host = header(requestHeaders, 'host');
  const origin = [`http://${host}/`, `https://${host}/`].find((own) => url.startsWith(own));
  if (host === undefined || origin === undefined) return url;
  const rest = url.slice(origin.length - 1);
  // `//name/` would be another host.
  return rest.startsWith('//') ? url : rest;
}
