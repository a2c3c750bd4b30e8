import { isUtf8 } from 'node:buffer';
import { type RawHeaders, type RequestHead, splitTarget } from '../../http/http.ts';
import type { Exchange, StoredBody, StoredHeaders } from '../../model/exchange.ts';
import type { HarEntry } from './har.ts';
import { answeredBytes, type Found } from './har-body.ts';
import { type EntryOptions, failureOf, statusOf } from './seen-entry.ts';

/**
 * An entry of an archive as an exchange, whatever is missing of it: nothing of it is redacted, and its headers are those of the
 * request alone.
 *
 * @param body that of the request; undefined: it is not there
 */
export function exchangeIn(
  entry: HarEntry,
  { method, url, headers }: RequestHead,
  body: Found,
  { isOwn = false, attached = {} }: EntryOptions,
): Exchange {
  const response = { ...entry.response, status: entry.response?.status ?? 0 };
  const failure = failureOf(entry, response, isOwn);
  const answer = response.status > 0 ? (answeredBytes(response, attached.response) ?? NO_BYTES) : undefined;
  return {
    request: { method, ...splitTarget(url), headers: storedHeaders(headers), body: storedBody(body) },
    ...(answer && {
      response: { status: statusOf(response, answer), headers: {}, body: storedBody(answer) },
    }),
    ...(failure && { failure: { kind: failure } }),
    meta: { recordedAt: entry.startedDateTime ?? '', durationMs: 0 },
  };
}

const NO_BYTES = Buffer.alloc(0);

function storedBody(bytes: Found): StoredBody {
  if (bytes === undefined) return { omitted: 0 };
  return isUtf8(bytes) ? { text: bytes.toString('utf8') } : { base64: bytes.toString('base64') };
}

function storedHeaders(headers: RawHeaders): StoredHeaders {
  const stored: Record<string, string[]> = {};
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = (headers[i] as string).toLowerCase();
    stored[name] = [...(stored[name] ?? []), headers[i + 1] as string];
  }
  return stored;
}
