import type { Exchange, InlineRequest, StoredHeaders } from '../model/exchange.ts';
import type { RequestHead } from '../model/http.ts';
import type { JsonValue } from '../model/json.ts';
import { storeBody } from './body.ts';
import { type FlatHeaders, type PlainExchange, type PlainRequest, plainRequestOf } from './plain-exchange.ts';
import { contentTypeOf } from './redaction/redact.ts';

/** The exchange as a file keeps it: which bodies are JSON that gives the very bytes back is found out here. */
export function settle({ request, response, startedAt, durationMs }: PlainExchange): Exchange {
  const { status, body } = response;
  const headers = storedHeaders(response.headers);
  const stored = storeBody(body, contentTypeOf(headers));
  return {
    request: settleRequest(request),
    response: { status, headers, ...(stored && { body: stored }) },
    meta: { recordedAt: new Date(startedAt).toISOString(), durationMs },
  };
}

export function settleRequest({ method, path, query, headers, body, json }: PlainRequest): InlineRequest {
  const stored = storedHeaders(headers);
  const storedBody = storeBody(body, contentTypeOf(stored), json);
  return { method, path, query, headers: stored, ...(storedBody && { body: storedBody }) };
}

/** A request as recordings write it down and matching compares it. Not redacted. */
export function recordedRequest(head: RequestHead, body: Buffer, json: JsonValue | undefined): InlineRequest {
  return settleRequest(plainRequestOf(head, body, json));
}

function storedHeaders(flat: FlatHeaders): StoredHeaders {
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
