import { isUtf8 } from 'node:buffer';
import { STATUS_CODES } from 'node:http';
import type { Content, Entry, Header, PostData } from 'har-format';
import { splitTarget } from '../../http/http.ts';
import { absoluteUrl } from '../../http/url.ts';
import { type Exchange, headerPairs, type StoredHeaders } from '../../model/exchange.ts';
import { queryPairs } from '../match.ts';
import { contentTypeOf, isForm } from '../redact/redact.ts';
import { type OwnMember, UNKNOWN_TYPE } from './har.ts';

/** The bytes of a body that was kept, or how many were not; undefined where there was none. */
export type BodyToExport = Buffer | { omitted: number } | undefined;

interface ExchangeToExport {
  exchange: Exchange;
  request: BodyToExport;
  response: BodyToExport;
}

/**
 * An exchange as an entry of an HTTP archive. Pure.
 *
 * @param base put before its path, since recordings keep no host: `http://127.0.0.1:4010`
 */
export function harEntryOf(
  { exchange, request: sent, response: answered }: ExchangeToExport,
  base: string,
): Entry & { _patchgate?: OwnMember } {
  const { request, response, meta } = exchange;
  const type = contentTypeOf(request.headers);
  const { location } = response.headers;
  const own = ownMember(exchange, sent, answered, base);
  return {
    startedDateTime: new Date(meta.recordedAt).toISOString(),
    time: meta.durationMs,
    request: {
      method: request.method,
      url: absoluteUrl(request, base),
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: headersOf(request.headers),
      queryString: pairsOf(request.query),
      ...(sent !== undefined && { postData: postDataOf(sent, type) }),
      headersSize: -1,
      bodySize: sizeOf(sent),
    },
    response: {
      status: response.status,
      statusText: STATUS_CODES[response.status] ?? '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: headersOf(response.headers),
      content: {
        size: sizeOf(answered),
        mimeType: contentTypeOf(response.headers) ?? UNKNOWN_TYPE,
        ...(answered !== undefined && textOf(answered)),
      },
      redirectURL: [location].flat()[0] ?? '',
      headersSize: -1,
      bodySize: sizeOf(answered),
    },
    cache: {},
    timings: { send: 0, wait: meta.durationMs, receive: 0 },
    ...(Object.keys(own).length > 0 && { _patchgate: own }),
  };
}

function postDataOf(body: Exclude<BodyToExport, undefined>, type: string | undefined): PostData {
  // The standard has an encoding for responses only.
  const { encoding, ...text } = textOf(body);
  const params = isForm(type) && text.text !== undefined ? pairsOf(text.text) : undefined;
  // It has either text or params; tools write both.
  return {
    mimeType: type ?? '',
    ...text,
    ...(encoding && { _encoding: encoding }),
    ...(params && { params }),
  } as PostData;
}

function textOf(
  body: Exclude<BodyToExport, undefined>,
): Partial<Pick<Content, 'text' | 'encoding' | 'comment'>> {
  if (!Buffer.isBuffer(body)) return { comment: `the body of ${body.omitted} bytes was not kept` };
  return isUtf8(body)
    ? { text: body.toString('utf8') }
    : { text: body.toString('base64'), encoding: 'base64' };
}

/** What import needs to make the same exchange again. */
function ownMember(
  { request, meta }: Exchange,
  sent: BodyToExport,
  answered: BodyToExport,
  base: string,
): OwnMember {
  const { path, query } = splitTarget(absoluteUrl(request, base));
  const isPlain = /^[!"$-~]*$/.test(path + query);
  const isSame = isPlain && path === request.path && query === request.query;
  const omitted = {
    ...(isOmitted(sent) && { request: sent.omitted }),
    ...(isOmitted(answered) && { response: answered.omitted }),
  };
  return {
    ...(!isSame && { path: request.path, query: request.query }),
    ...(meta.session !== undefined && { session: meta.session }),
    ...(Object.keys(omitted).length > 0 && { omitted }),
  };
}

function isOmitted(body: BodyToExport): body is { omitted: number } {
  return body !== undefined && !Buffer.isBuffer(body);
}

function sizeOf(body: BodyToExport): number {
  return isOmitted(body) ? body.omitted : (body?.length ?? 0);
}

function headersOf(headers: StoredHeaders): Header[] {
  return headerPairs(headers).map(([name, value]) => ({ name, value }));
}

/** Of a query without its `?`, or a form. */
function pairsOf(text: string): Header[] {
  return queryPairs(text).map(([name, value]) => ({ name, value }));
}
