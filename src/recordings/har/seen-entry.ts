import { header } from '../../http/http.ts';
import { parseUrl } from '../../http/url.ts';
import { FAILURES, type FailureKind } from '../../model/exchange.ts';
import type { SeenExchange } from '../plain-exchange.ts';
import { answeredHeaders, plainHeaders, rawHeadersOf, withHost, withType } from './entry-headers.ts';
import type { HarEntry, HarResponse } from './har.ts';
import { answeredBytes, type Found, postedBytes } from './har-body.ts';

/** What an entry of an archive comes to: an exchange, or why it is none, in a few words. */
export type SeenEntry = FoundExchange | { skipped: string };

export interface FoundExchange {
  /** Its response is of status 0 where none came. */
  seen: SeenExchange;
  failure?: FailureKind | undefined;
  /** Bytes of bodies that were not kept. */
  omitted: { request?: number; response?: number };
}

export interface EntryOptions {
  /** Of an archive of ours: what it says of bodies and headers is so. */
  isOwn?: boolean;
  /** The bodies that Playwright keeps in files beside the archive. */
  attached?: { request?: Found; response?: Found };
}

/** Chrome's names of what the target did. Any other failure is the browser's own doing: blocked, cancelled, offline. */
const FAILURES_OF_CHROME: Readonly<Record<string, FailureKind>> = {
  'net::ERR_CONNECTION_REFUSED': 'refused',
  'net::ERR_TIMED_OUT': 'timeout',
  'net::ERR_CONNECTION_TIMED_OUT': 'timeout',
  'net::ERR_CONNECTION_RESET': 'reset',
  'net::ERR_CONNECTION_CLOSED': 'reset',
  'net::ERR_EMPTY_RESPONSE': 'reset',
};

const NO_RESPONSE: HarResponse = { status: 0, content: { size: 0 } };

/** An entry as the exchange that went by, as far as the archive knows. Pure. Not redacted: recording does that. */
export function seenOf(entry: HarEntry, options: EntryOptions = {}): SeenEntry {
  const { isOwn = false, attached = {} } = options;
  const { request } = entry;
  const response = entry.response ?? NO_RESPONSE;
  const url = parseUrl(request.url);
  const failure = failureOf(entry, response, isOwn);
  // What we recorded ourselves was asked for like that.
  const hasBody = isOwn || (answeredBytes(response, attached.response)?.length ?? 0) > 0;
  const skipped = whySkipped(entry, url, response.status, failure, hasBody);
  if (skipped !== undefined || !url) return { skipped: skipped ?? 'no URL' };

  const omitted = (isOwn && entry._patchgate?.omitted) || {};
  const { headers, body: requestBody } = askedIn(entry, options);
  if (requestBody === undefined) return { skipped: "the request's body is not in the file" };
  const mayBeEmpty = isOwn || failure !== undefined || request.method === 'HEAD';
  const responseBody = answeredBytes(response, attached.response) ?? (mayBeEmpty ? NO_BYTES : undefined);
  if (responseBody === undefined) return { skipped: "the response's body is not in the file" };

  const startedAt = Date.parse(entry.startedDateTime);
  return {
    seen: {
      request: { method: request.method, url: targetOf(entry, url), headers: withHost(headers, url) },
      requestBody,
      response: {
        status: statusOf(response, responseBody),
        message: response.statusText ?? '',
        headers: isOwn
          ? rawHeadersOf(response.headers)
          : answeredHeaders(response, responseBody, request.method, attached.response !== undefined),
      },
      responseBody,
      startedAt,
      endedAt: startedAt + (typeof entry.time === 'number' ? Math.max(0, entry.time) : 0),
      session: isOwn ? entry._patchgate?.session : undefined,
    },
    failure,
    omitted,
  };
}

/** The headers of a request, as they describe its body, and that; empty where it was not kept, undefined where it is not there. */
export function askedIn(
  { request, _patchgate }: HarEntry,
  { isOwn = false, attached = {} }: EntryOptions,
): { headers: string[]; body: Found } {
  const headers = withType(rawHeadersOf(request.headers), request.postData?.mimeType);
  const isOmitted = isOwn && _patchgate?.omitted?.request !== undefined;
  const body = isOmitted ? NO_BYTES : postedBytes(request, header(headers, 'content-type'), attached.request);
  return { headers: isOwn || body === undefined ? headers : plainHeaders(headers, body), body };
}

const NO_BYTES = Buffer.alloc(0);

function whySkipped(
  { request, _resourceType }: HarEntry,
  url: URL | undefined,
  status: number,
  failure: FailureKind | undefined,
  hasBody: boolean,
): string | undefined {
  if (/^wss?:$/.test(url?.protocol ?? '') || _resourceType === 'websocket' || status === 101)
    return 'WebSocket';
  if (request.method === 'CONNECT') return 'CONNECT';
  if (!url) return 'no URL';
  if (!/^https?:$/.test(url.protocol)) return `not HTTP (${url.protocol})`;
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(request.method)) return 'no HTTP method';
  // Some tools write -1.
  if (status <= 0) return failure ? undefined : 'no response';
  if (status === 304 && !hasBody) return 'not modified, and the copy is not in the file';
  return status < 200 || status > 999 ? 'no final response' : undefined;
}

export function failureOf(
  { _patchgate }: HarEntry,
  response: HarResponse,
  isOwn: boolean,
): FailureKind | undefined {
  if (isOwn) return FAILURES.find((kind) => kind === _patchgate?.failure);
  return response.status <= 0 ? FAILURES_OF_CHROME[response._error ?? ''] : undefined;
}

/** The request target as it was written, without the fragment that no client sends. */
export function targetOf({ request, _patchgate }: HarEntry, url: URL | undefined): string {
  if (_patchgate?.path !== undefined)
    return _patchgate.path + (_patchgate.query ? `?${_patchgate.query}` : '');
  const text = url && !/^[!-~]*$/.test(request.url) ? url.href : request.url;
  return text.replace(/#.*$/, '');
}

/** A browser that asked whether its copy still holds puts the copy into the archive: whoever has none needs it whole. */
export function statusOf({ status }: HarResponse, body: Buffer): number {
  return status === 304 && body.length > 0 ? 200 : Math.max(0, status);
}
