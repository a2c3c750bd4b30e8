import { isUtf8 } from 'node:buffer';
import { STATUS_CODES } from 'node:http';
import type { Entry, PostData } from 'har-format';
import { type Exchange, headerPairs, type StoredBody } from '../../model/exchange.ts';
import { bodyBytes } from '../body.ts';
import { queryPairs } from '../match.ts';
import { contentTypeOf } from '../redact/redact.ts';

/** Stands for the host, which recordings do not keep (RFC 6761: no such host will ever be). */
const NO_ORIGIN = 'http://recorded.invalid';
/** What Chrome says if the media type is not known. */
export const UNKNOWN_TYPE = 'x-unknown';

/** An exchange as an entry of HTTP Archive 1.2. */
export function harEntryOf(exchange: Exchange): Entry {
  const { request, response, meta } = exchange;
  const httpVersion = 'HTTP/1.1';
  const url = NO_ORIGIN + request.path.replace(/^(?!\/)/, '/') + (request.query && `?${request.query}`);
  const [sent, answered] = [contentOf(request.body), contentOf(response.body)];
  const type = contentTypeOf(request.headers) ?? '';
  // The standard has an encoding for responses only.
  const postData = { mimeType: type, text: sent.text, _encoding: sent.encoding } as PostData;
  return {
    startedDateTime: new Date(meta.recordedAt).toISOString(),
    time: meta.durationMs,
    request: {
      ...{ method: request.method, url, httpVersion, cookies: [] },
      headers: headerPairs(request.headers).map(pairOf),
      queryString: queryPairs(request.query).map(pairOf),
      ...(request.body && { postData }),
      ...{ headersSize: -1, bodySize: sent.size },
    },
    response: {
      ...{ status: response.status, statusText: STATUS_CODES[response.status] ?? '', httpVersion },
      ...{ cookies: [], headers: headerPairs(response.headers).map(pairOf) },
      content: { ...answered, mimeType: contentTypeOf(response.headers) ?? UNKNOWN_TYPE },
      redirectURL: [response.headers.location].flat()[0] ?? '',
      ...{ headersSize: -1, bodySize: answered.size },
    },
    cache: {},
    timings: { send: 0, wait: meta.durationMs, receive: 0 },
  };
}

function contentOf(body: StoredBody | undefined): { size: number; text?: string; encoding?: string } {
  if (body === undefined) return { size: 0 };
  const bytes = bodyBytes(body);
  const size = bytes.length;
  if (isUtf8(bytes)) return { size, text: bytes.toString() };
  return { size, text: bytes.toString('base64'), encoding: 'base64' };
}

function pairOf([name, value]: readonly [string, string]): { name: string; value: string } {
  return { name, value };
}
