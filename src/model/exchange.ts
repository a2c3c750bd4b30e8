import type { JsonValue } from '../json/json.ts';

/**
 * A body as a recording keeps it. `json` only where that gives the very bytes back: compact, or with `indent` (spaces
 * per level, or the indenting text), `newline` (a line feed at the end) and `style` (what else JSON.stringify would
 * write differently); else `text` where it is valid UTF-8, else `base64`, or `file` where that would be long: the name of a file beside the exchange's
 * own, which holds the bytes. `omitted`: it had more bytes than a recording keeps; so many. No body at all: the member
 * is absent.
 */
export type StoredBody = InlineBody | { file: string } | { omitted: number };

/** A body that stands with its exchange. */
export type InlineBody = JsonBody | { text: string } | { base64: string };

export interface JsonBody {
  json: JsonValue;
  indent?: number | string;
  newline?: true;
  style?: JsonStyle;
}

/** How a JSON text is written, where that is not as JSON.stringify writes it. */
export interface JsonStyle {
  /** Between a name and its value: `": "`. */
  colon?: string;
  /** Between two values: `", "`. In this and the next two a line feed has the indent of its level behind it. */
  comma?: string;
  object?: JsonSpacing;
  array?: JsonSpacing;
  /** Lines end with CR LF. */
  crlf?: true;
  /** All that is not ASCII is escaped. */
  ascii?: true;
  /** Further characters that are escaped: `<>&`. */
  escaped?: string;
  /** The letters in `\u00FC` are capitals. */
  hex?: 'upper';
  /** Numbers that are written in another way, by the pointers of their places: `{ "/price": "1.0" }`. */
  numbers?: Readonly<Record<string, string>>;
}

/** What stands inside of brackets: behind the first, between two values, before the last, and in empty ones. */
export interface JsonSpacing {
  open?: string;
  comma?: string;
  close?: string;
  empty?: string;
}

export function isInline(body: StoredBody | undefined): body is InlineBody | undefined {
  return body === undefined || !('file' in body || 'omitted' in body);
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
  /** Without the `?`; `""` where there is none. */
  query: string;
  headers: StoredHeaders;
  body?: StoredBody;
}

/** One whose body stands with it, as every request that was just sent. */
export interface InlineRequest extends RecordedRequest {
  body?: InlineBody;
}

export interface RecordedResponse {
  status: number;
  headers: StoredHeaders;
  body?: StoredBody;
}

/**
 * Why there was no response, or no whole one. `refused`: no connection; `timeout`: the target did not answer in time;
 * `reset`: the connection broke before a response; `truncated`: it broke within one, of which `response` has what came.
 */
export const FAILURES = ['refused', 'timeout', 'reset', 'truncated'] as const;
export type FailureKind = (typeof FAILURES)[number];

/** One request with what became of it, as kept in a recording: docs/reference/formats.md. */
export interface Exchange {
  request: RecordedRequest;
  /** Absent where the failure came before it. */
  response?: RecordedResponse;
  failure?: { kind: FailureKind };
  meta: {
    /** ISO 8601, UTC. */
    recordedAt: string;
    /** From the request's head to the response's end, in milliseconds. */
    durationMs: number;
    /** Name of the session that it was recorded in; absent where that was the default one. */
    session?: string;
  };
}
