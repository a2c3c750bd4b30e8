import type { RequestHead } from '../http/http.ts';
import type { JsonValue } from '../json/json.ts';
import type {
  Exchange,
  InlineRequest,
  RecordedRequest,
  RecordedResponse,
  StoredHeaders,
} from '../model/exchange.ts';
import { storeBody } from './body.ts';
import {
  type FlatHeaders,
  type PlainExchange,
  type PlainRequest,
  type PlainResponse,
  plainRequestOf,
} from './plain-exchange.ts';
import { contentTypeOf } from './redaction/redact.ts';

/** The exchange as a file keeps it: which bodies are JSON that gives the very bytes back is found out here. */
export function toStoredExchange(
  { request, response, failure, startedAt, durationMs, session }: PlainExchange,
  storedRequest = toStoredRequest(request),
): Exchange {
  return {
    request: storedRequest,
    ...(response.status !== 0 && { response: toStoredResponse(response) }),
    ...(failure && { failure: { kind: failure } }),
    meta: {
      recordedAt: new Date(startedAt).toISOString(),
      durationMs,
      ...(session !== undefined && { session }),
    },
  };
}

function toStoredResponse({ status, headers, body, omitted }: PlainResponse): RecordedResponse {
  const stored = storedHeaders(headers);
  const storedBody = omitted === undefined ? storeBody(body, contentTypeOf(stored)) : { omitted };
  return { status, headers: stored, ...(storedBody && { body: storedBody }) };
}

export function toStoredRequest(request: PlainRequest): RecordedRequest {
  const { omitted } = request;
  return omitted === undefined ? toWholeRequest(request) : { ...toWholeRequest(request), body: { omitted } };
}

function toWholeRequest({ method, path, query, headers, body, json }: PlainRequest): InlineRequest {
  const stored = storedHeaders(headers);
  const storedBody = storeBody(body, contentTypeOf(stored), json);
  return { method, path, query, headers: stored, ...(storedBody && { body: storedBody }) };
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
  keepHeaders?: ReadonlySet<string>,
): InlineRequest {
  return toWholeRequest(plainRequestOf(head, body, json, keepHeaders));
}

export function storedHeaders(flat: FlatHeaders): StoredHeaders {
  const headers: StoredHeaders = {};
  for (let i = 0; i + 1 < flat.length; i += 2) addHeader(headers, flat[i] as string, flat[i + 1] as string);
  return headers;
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
