import { isUtf8 } from 'node:buffer';
import { STATUS_CODES } from 'node:http';
import type { Entry, PostData } from 'har-format';
import { type Exchange, headerPairs, type StoredBody } from '../../model/exchange.ts';
import { bodyBytes } from '../body.ts';
import { queryPairs } from '../match.ts';
import { contentTypeOf } from '../redact/redact.ts';

/** Stands for the host, which recordings do not keep (RFC 6761: no such host will ever be). */
const NO_ORIGIN = 'http://recorded.invalid';

export function harEntryOf({ request, response, meta }: Exchange): Entry {
  const url = NO_ORIGIN + request.path.replace(/^(?!\/)/, '/') + (request.query && `?${request.query}`);
  const [sent, answered] = [contentOf(request.body), contentOf(response.body)];
  const type = contentTypeOf(request.headers) ?? '';
  // The standard has an encoding for responses only.
  const postData = { mimeType: type, text: sent.text, _encoding: sent.encoding } as PostData;
  const both = { httpVersion: 'HTTP/1.1', cookies: [], headersSize: -1 };
  return {
    startedDateTime: new Date(meta.recordedAt).toISOString(),
    time: meta.durationMs,
    request: {
      ...{ method: request.method, url, ...both, bodySize: sent.size },
      headers: headerPairs(request.headers).map(pairOf),
      queryString: queryPairs(request.query).map(pairOf),
      ...(request.body && { postData }),
    },
    response: {
      ...{ status: response.status, statusText: STATUS_CODES[response.status] ?? '' },
      ...{ ...both, bodySize: answered.size },
      headers: headerPairs(response.headers).map(pairOf),
      content: { ...answered, mimeType: contentTypeOf(response.headers) ?? '' },
      redirectURL: [response.headers.location].flat()[0] ?? '',
    },
    cache: {},
    timings: { send: 0, wait: meta.durationMs, receive: 0 },
  };
}

function contentOf(body: StoredBody | undefined): { size: number; text?: string; encoding?: string } {
  const bytes = bodyBytes(body);
  if (isUtf8(bytes)) return { size: bytes.length, ...(body && { text: bytes.toString() }) };
  return { size: bytes.length, text: bytes.toString('base64'), encoding: 'base64' };
}

const pairOf = ([name, value]: readonly [string, string]) => ({ name, value });
