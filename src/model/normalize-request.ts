/** What the config's own function gets, a copy of a request that was recorded or sent, and gives back. */
export interface NormalizedRequest {
  method: string;
  path: string;
  /** Without the `?`. */
  query: string;
  /** Names in lower case; only those that recordings keep and that matching looks at. Secret ones are redacted. */
  headers: Record<string, string | string[]>;
  /** A JSON body as a value, a text as itself, any other as `bytes` and their hash; absent where there is none. */
  body?: unknown;
}

/**
 * Gives a request the form in which it is compared. It may change what it gets. What was recorded for another method or path, as
 * it was sent, is not compared to it at all: that can make two requests different, but none the same.
 */
export type NormalizeRequest = (request: NormalizedRequest) => NormalizedRequest;
