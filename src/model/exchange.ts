import type { JsonValue } from '../json/json.ts';

/**
 * A body as a recording keeps it. `json` only if one of three writers gives the very bytes back; else `text` if it is valid
 * UTF-8, else `base64`. No body at all: the member is absent.
 */
export type StoredBody = JsonBody | { text: string } | { base64: string };

/** As JSON.stringify writes it: compact, or with `indent`, spaces per level or a tab; or `spaced` as Python's json.dumps does. */
export interface JsonBody {
  json: JsonValue;
  indent?: number | string;
  spaced?: true;
  /** A line feed stands at the end. */
  newline?: true;
}

/** Names in lower case; a name that came several times has a list. */
export type StoredHeaders = Record<string, string | string[]>;

/** Each value of each header, with its name. */
export function headerPairs(headers: StoredHeaders): [name: string, value: string][] {
  return Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, value]),
  );
}

export interface RecordedRequest {
  method: string;
  /** As sent, without the query: `/api/v2/accounts/current/projects/42`. */
  path: string;
  /** Without the `?`; `""` if there is none. */
  query: string;
  headers: StoredHeaders;
  body?: StoredBody;
}

export interface RecordedResponse {
  status: number;
  headers: StoredHeaders;
  body?: StoredBody;
}

/** One request with its response, as kept in a recording: docs/reference/formats.md. */
export interface Exchange {
  request: RecordedRequest;
  response: RecordedResponse;
  meta: {
    /** ISO 8601, UTC. */
    recordedAt: string;
    /** From the request's head to the response's end, in milliseconds. */
    durationMs: number;
    /** Name of the session that it was recorded in; absent if that was the default one. */
    session?: string;
  };
}
