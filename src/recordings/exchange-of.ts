import type { Exchange, RecordedRequest, RecordedResponse, StoredHeaders } from '../model/exchange.ts';
import {
  connectionOptions,
  HOP_BY_HOP,
  header,
  type RawHeaders,
  type RequestHead,
  type ResponseHead,
  splitTarget,
} from '../model/http.ts';
import type { JsonValue } from '../model/json.ts';
import { storeBody } from './body.ts';
import { undoCodings } from './content-coding.ts';
import { redactBody, redactHeader, redactQuery } from './redact.ts';
import { DEFAULT_REDACTION, type Redaction } from './secret-names.ts';

/** One request with its response, both whole, as they went by. */
export interface SeenExchange {
  request: RequestHead;
  requestBody: Buffer;
  /** The request's body as a value, where somebody has parsed it already. */
  json: JsonValue | undefined;
  response: ResponseHead;
  responseBody: Buffer;
  /** Milliseconds since the epoch: the request's head, the response's end. */
  startedAt: number;
  endedAt: number;
}

const LOCATIONS = ['location', 'content-location'] as const;

/** The exchange as a recording keeps it: redacted, content codings undone, without what belongs to one connection. */
export function exchangeOf(seen: SeenExchange, redaction: Redaction = DEFAULT_REDACTION): Exchange {
  const request = recordedRequest(seen.request, seen.requestBody, seen.json);
  request.query = redactQuery(request.query, redaction);
  if (request.body) {
    request.body = redactBody(request.body, header(seen.request.headers, 'content-type'), redaction);
  }
  return {
    request,
    response: recordedResponse(seen, redaction),
    meta: {
      recordedAt: new Date(seen.startedAt).toISOString(),
      durationMs: Math.max(0, Math.round(seen.endedAt - seen.startedAt)),
    },
  };
}

/** A request as recordings write it down and matching compares it. Not redacted yet. */
export function recordedRequest(
  head: RequestHead,
  body: Buffer,
  json: JsonValue | undefined,
): RecordedRequest {
  const { path, query } = splitTarget(head.url);
  const coding = header(head.headers, 'content-encoding');
  const plain = undoCodings(body, coding);
  const stored = storeBody(plain ?? body, header(head.headers, 'content-type'), plain && json);
  const headers: StoredHeaders = {};
  for (let i = 0; i + 1 < head.headers.length; i += 2) {
    const name = (head.headers[i] as string).toLowerCase();
    if (name === 'content-type' || name === 'accept' || (name === 'content-encoding' && !plain)) {
      addHeader(headers, name, head.headers[i + 1] as string);
    }
  }
  return { method: head.method, path, query, headers, ...(stored && { body: stored }) };
}

function recordedResponse(seen: SeenExchange, redaction: Redaction): RecordedResponse {
  const { status, headers: raw } = seen.response;
  // A HEAD's headers describe a body that is not there.
  const isHead = seen.request.method === 'HEAD';
  const plain = isHead ? undefined : undoCodings(seen.responseBody, header(raw, 'content-encoding'));
  const contentType = header(raw, 'content-type');
  const body = isHead ? undefined : storeBody(plain ?? seen.responseBody, contentType);
  const headers = keptHeaders(raw, redaction, (name) =>
    name === 'content-length' ? isHead : name !== 'content-encoding' || plain === undefined,
  );
  const host = header(seen.request.headers, 'host');
  if (host !== undefined) for (const name of LOCATIONS) relateTo(`http://${host}/`, headers, name);
  return { status, headers, ...(body && { body: redactBody(body, contentType, redaction) }) };
}

/** All headers but hop-by-hop, `date`, secret ones, and those that `keep` says no to. */
function keptHeaders(raw: RawHeaders, redaction: Redaction, keep: (name: string) => boolean): StoredHeaders {
  const options = connectionOptions(raw);
  const headers: StoredHeaders = {};
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = (raw[i] as string).toLowerCase();
    if (HOP_BY_HOP.has(name) || name === 'date' || redaction.headers.has(name)) continue;
    if (options.includes(name) || !keep(name)) continue;
    addHeader(headers, name, redactHeader(name, raw[i + 1] as string, redaction));
  }
  return headers;
}

/** A URL of the gate itself loses its origin: the next run may have another port, and leads to itself again. */
function relateTo(origin: string, headers: StoredHeaders, name: string): void {
  const url = headers[name];
  if (typeof url !== 'string' || !url.startsWith(origin)) return;
  const rest = url.slice(origin.length - 1);
  // `//name/` would be another host.
  if (!rest.startsWith('//')) headers[name] = rest;
}

function addHeader(headers: StoredHeaders, name: string, value: string): void {
  const before = Object.hasOwn(headers, name) ? headers[name] : undefined;
  const all = before === undefined ? value : [...(typeof before === 'string' ? [before] : before), value];
  if (name !== '__proto__') headers[name] = all;
  else {
    // An assignment would lose it.
    Object.defineProperty(headers, name, {
      value: all,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  }
}
