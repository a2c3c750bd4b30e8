import { type Exchange, headerPairs, type StoredBody, type StoredHeaders } from '../../src/model/exchange.ts';
import { bodyBytes } from '../../src/recordings/body.ts';
import type { PlainExchange } from '../../src/recordings/plain-exchange.ts';

export interface ExchangeParts {
  method?: string;
  path?: string;
  query?: string;
  /** The request's body. */
  body?: StoredBody;
  requestHeaders?: StoredHeaders;
  status?: number;
  headers?: StoredHeaders;
  /** The response's body. */
  answer?: StoredBody;
  recordedAt?: string;
  /** Absent: the default one. */
  session?: string;
}

export const PROJECT_PATH = '/api/v2/accounts/current/projects/42';

/** An exchange with everything that a test does not care about filled in. */
export function exchange(parts: ExchangeParts = {}): Exchange {
  const { body, answer, session } = parts;
  return {
    request: {
      method: parts.method ?? 'PATCH',
      path: parts.path ?? PROJECT_PATH,
      query: parts.query ?? '',
      headers: parts.requestHeaders ?? { 'content-type': 'application/json' },
      ...(body && { body }),
    },
    response: {
      status: parts.status ?? 200,
      headers: parts.headers ?? { 'content-type': 'application/json' },
      ...(answer && { body: answer }),
    },
    meta: {
      recordedAt: parts.recordedAt ?? '2026-11-20T12:00:00.000Z',
      durationMs: 12,
      ...(session !== undefined && { session }),
    },
  };
}

/** Raw headers from an object. */
export function rawHeaders(headers: Record<string, string>): string[] {
  return Object.entries(headers).flat();
}

/** An exchange as it is handed to a store. */
export function plainOf({ request, response, meta }: Exchange): PlainExchange {
  const { method, path, query, headers, body } = request;
  return {
    request: { method, path, query, headers: headerPairs(headers).flat(), body: bodyBytes(body) },
    response: {
      status: response.status,
      headers: headerPairs(response.headers).flat(),
      body: bodyBytes(response.body),
    },
    meta,
  };
}

/** The text of a recording's file that holds these. */
export function stringifyRecording(exchanges: readonly Exchange[]): string {
  return `${JSON.stringify({ formatVersion: 1, exchanges }, null, 2)}\n`;
}
