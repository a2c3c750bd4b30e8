import { isUtf8 } from 'node:buffer';
import { STATUS_CODES } from 'node:http';
import type { Content, Entry, Header, PostData } from 'har-format';
import { splitTarget } from '../../http/http.ts';
import { absoluteUrl } from '../../http/url.ts';
import {
  type Exchange,
  headerPairs,
  type RecordedRequest,
  type StoredBody,
  type StoredHeaders,
} from '../../model/exchange.ts';
import { bodyBytes } from '../body.ts';
import { queryPairs } from '../match.ts';
import { contentTypeOf } from '../redact/redact.ts';
import { type OwnMember, UNKNOWN_TYPE } from './har.ts';

/**
 * An exchange as an entry of an HTTP archive. Pure.
 *
 * @param base put before its path, since recordings keep no host: `http://127.0.0.1:4010`
 */
export function harEntryOf(
  { request, response, meta }: Exchange,
  base: string,
): Entry & { _patchgate: OwnMember } {
  const [sent, answered] = [contentOf(request.body), contentOf(response.body)];
  return {
    startedDateTime: new Date(meta.recordedAt).toISOString(),
    time: meta.durationMs,
    request: {
      ...{ method: request.method, url: absoluteUrl(request, base), httpVersion: 'HTTP/1.1', cookies: [] },
      headers: headersOf(request.headers),
      queryString: queryPairs(request.query).map(([name, value]) => ({ name, value })),
      ...(request.body && { postData: postDataOf(sent, contentTypeOf(request.headers)) }),
      ...{ headersSize: -1, bodySize: sent.size },
    },
    response: {
      ...{
        status: response.status,
        statusText: STATUS_CODES[response.status] ?? '',
        httpVersion: 'HTTP/1.1',
      },
      ...{ cookies: [], headers: headersOf(response.headers) },
      content: { ...answered, mimeType: contentTypeOf(response.headers) ?? UNKNOWN_TYPE },
      redirectURL: [response.headers.location].flat()[0] ?? '',
      ...{ headersSize: -1, bodySize: answered.size },
    },
    cache: {},
    timings: { send: 0, wait: meta.durationMs, receive: 0 },
    // What import needs to make the same exchange again.
    _patchgate: {
      ...targetBeside(request, base),
      ...(meta.session !== undefined && { session: meta.session }),
      omitted: { ...omittedOf('request', request.body), ...omittedOf('response', response.body) },
    },
  };
}

/** The standard has an encoding for responses only. */
function postDataOf({ encoding, text }: Omit<Content, 'mimeType'>, type: string | undefined): PostData {
  return { mimeType: type ?? '', text, ...(encoding && { _encoding: encoding }) } as PostData;
}

function contentOf(body: StoredBody | undefined): Omit<Content, 'mimeType'> {
  if (body === undefined) return { size: 0 };
  if ('omitted' in body) return { size: body.omitted };
  const bytes = bodyBytes(body);
  const size = bytes.length;
  return isUtf8(bytes)
    ? { size, text: bytes.toString() }
    : { size, text: bytes.toString('base64'), encoding: 'base64' };
}

/** Path and query, where the URL does not give them back. */
function targetBeside(request: RecordedRequest, base: string): OwnMember {
  const { path, query } = splitTarget(absoluteUrl(request, base));
  const isSame = path === request.path && query === request.query;
  return isSame && /^[!"$-~]*$/.test(path + query) ? {} : { path: request.path, query: request.query };
}

function omittedOf(side: 'request' | 'response', body: StoredBody | undefined): OwnMember['omitted'] {
  return body && 'omitted' in body ? { [side]: body.omitted } : {};
}

function headersOf(headers: StoredHeaders): Header[] {
  return headerPairs(headers).map(([name, value]) => ({ name, value }));
}
