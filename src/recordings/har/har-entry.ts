import { isUtf8 } from 'node:buffer';
import { STATUS_CODES } from 'node:http';
import { splitTarget } from '../../http/http.ts';
import {
  type Exchange,
  type FailureKind,
  headerPairs,
  type RecordedRequest,
  type StoredHeaders,
} from '../../model/exchange.ts';
import { absoluteUrl } from '../absolute-url.ts';
import { decodePart } from '../redaction/decode-part.ts';
import { isForm } from '../redaction/redact-bytes.ts';
import { contentTypeOf } from '../redaction/redact-parts.ts';
import type { HarBody, HarEntry, HarHeader, HarPostData, HarResponse, OwnMember } from './har.ts';
import { UNKNOWN_TYPE } from './har.ts';

/** The bytes of a body that was kept, or how many were not; undefined where there was none. */
export type BodyToExport = Buffer | { omitted: number } | undefined;

export interface ExchangeToExport {
  exchange: Exchange;
  request: BodyToExport;
  response: BodyToExport;
}

/** What Chrome says of such failures. */
const CHROME_ERRORS: Readonly<Record<FailureKind, string>> = {
  refused: 'net::ERR_CONNECTION_REFUSED',
  timeout: 'net::ERR_TIMED_OUT',
  reset: 'net::ERR_CONNECTION_RESET',
  truncated: 'net::ERR_INCOMPLETE_CHUNKED_ENCODING',
};

/**
 * An exchange as an entry of an HTTP archive. Pure.
 *
 * @param base put before its path, since recordings keep no host: `http://127.0.0.1:4010`
 */
export function harEntryOf({ exchange, request, response }: ExchangeToExport, base: string): HarEntry {
  const { meta } = exchange;
  const own = ownMember(exchange, request, response, base);
  return {
    startedDateTime: new Date(meta.recordedAt).toISOString(),
    time: meta.durationMs,
    request: requestOf(exchange.request, request, base),
    response: responseOf(exchange, response),
    cache: {},
    timings: { send: 0, wait: meta.durationMs, receive: 0 },
    ...(Object.keys(own).length > 0 && { _patchgate: own }),
  };
}

function requestOf(request: RecordedRequest, body: BodyToExport, base: string): HarEntry['request'] {
  const type = contentTypeOf(request.headers);
  return {
    method: request.method,
    url: absoluteUrl(request, base),
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: headersOf(request.headers),
    queryString: pairsOf(request.query),
    ...(body !== undefined && { postData: postDataOf(body, type) }),
    headersSize: -1,
    bodySize: sizeOf(body),
  };
}

function postDataOf(body: Exclude<BodyToExport, undefined>, type: string | undefined): HarPostData {
  const data = { mimeType: type ?? '', ...textOf(body) };
  if (data.encoding) {
    // The standard has an encoding for responses only.
    data._encoding = data.encoding;
    delete data.encoding;
  }
  return isForm(type) && data.text !== undefined ? { ...data, params: pairsOf(data.text) } : data;
}

function responseOf({ response, failure }: Exchange, body: BodyToExport): HarResponse {
  const headers = response?.headers ?? {};
  const location = headers.location;
  return {
    status: response?.status ?? 0,
    statusText: STATUS_CODES[response?.status ?? 0] ?? '',
    httpVersion: response ? 'HTTP/1.1' : '',
    cookies: [],
    headers: headersOf(headers),
    content: {
      size: sizeOf(body),
      mimeType: contentTypeOf(headers) ?? UNKNOWN_TYPE,
      ...(body !== undefined && textOf(body)),
    },
    redirectURL: (typeof location === 'string' ? location : location?.[0]) ?? '',
    headersSize: -1,
    bodySize: response ? sizeOf(body) : -1,
    ...(failure && { _error: CHROME_ERRORS[failure.kind] }),
  };
}

function textOf(body: Exclude<BodyToExport, undefined>): HarBody {
  if (!Buffer.isBuffer(body)) return { comment: `the body of ${body.omitted} bytes was not kept` };
  return isUtf8(body)
    ? { text: body.toString('utf8') }
    : { text: body.toString('base64'), encoding: 'base64' };
}

/** What import needs to make the same exchange again. */
function ownMember(
  { request, failure, meta }: Exchange,
  requestBody: BodyToExport,
  responseBody: BodyToExport,
  base: string,
): OwnMember {
  const { path, query } = splitTarget(absoluteUrl(request, base));
  const isPlain = /^[!"$-~]*$/.test(path + query);
  const isSame = isPlain && path === request.path && query === request.query;
  const omitted = {
    ...(isOmitted(requestBody) && { request: requestBody.omitted }),
    ...(isOmitted(responseBody) && { response: responseBody.omitted }),
  };
  return {
    ...(!isSame && { path: request.path, query: request.query }),
    ...(failure && { failure: failure.kind }),
    ...(meta.session !== undefined && { session: meta.session }),
    ...(Object.keys(omitted).length > 0 && { omitted }),
  };
}

function isOmitted(body: BodyToExport): body is { omitted: number } {
  return body !== undefined && !Buffer.isBuffer(body);
}

function sizeOf(body: BodyToExport): number {
  if (body === undefined) return 0;
  return Buffer.isBuffer(body) ? body.length : body.omitted;
}

function headersOf(headers: StoredHeaders): HarHeader[] {
  return headerPairs(headers).map(([name, value]) => ({ name, value }));
}

/** Of a query without its `?`, or a form. */
function pairsOf(text: string): HarHeader[] {
  if (text === '') return [];
  return text.split('&').map((pair) => {
    const equals = pair.indexOf('=');
    const [name, value] = equals < 0 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)];
    return { name: decodePart(name), value: decodePart(value) };
  });
}
