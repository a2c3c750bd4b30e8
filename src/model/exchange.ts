import type { JsonValue } from './json.ts';

/**
 * A body as a recording keeps it. `json` only where that gives the very bytes back: compact, or with `indent` (spaces
 * per level, or the indenting text) and `newline` (a line feed at the end) where it was pretty-printed; else `text`
 * where it is valid UTF-8, else `base64`. No body at all: the member is absent.
 */
export type StoredBody =
  | { json: JsonValue; indent?: number | string; newline?: true }
  | { text: string }
  | { base64: string };

/** Names in lower case; a name that came several times has a list. */
export type StoredHeaders = Record<string, string | string[]>;

export interface RecordedRequest {
  method: string;
  /** As sent, without the query: `/api/v2/accounts/current/projects/42`. */
  path: string;
  /** Without the `?`; `""` where there is none. */
  query: string;
  headers: StoredHeaders;
  body?: StoredBody;
}

export interface RecordedResponse {
  status: number;
  headers: StoredHeaders;
  body?: StoredBody;
}

/** One request with its response, as kept in a recording. Design section 6. */
export interface Exchange {
  request: RecordedRequest;
  response: RecordedResponse;
  meta: {
    /** ISO 8601, UTC. */
    recordedAt: string;
    /** From the request's head to the response's end, in milliseconds. */
    durationMs: number;
  };
}
