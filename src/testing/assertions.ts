/** What `expect` can say of a body and of a gate. @typeParam R result of a matcher that waits for nothing */
export interface GateAssertions<R> {
  /** The gate lets a body pass: an object, text or bytes. */
  toPassGate(operation: string, options?: PassOptions): R;
  /** The gate has such a finding of a body. */
  toHaveFinding(operation: string, finding: ExpectedFinding, options?: JudgedWith): R;
  /** The PATCH with a body deletes exactly these of a project. @param state the project before it */
  toDelete(deletions: ExpectedDeletions, state: object): R;
  /** A gate or a session let such a request pass, and target, fake, recording or a fault answered it. */
  toHaveServed(exchange: ExpectedExchange): Promise<void>;
}

export interface JudgedWith {
  /** The path that it is sent to, for the rules that look at it: `/accounts/current/drafts/7` */
  path?: string | undefined;
  /** By name. Without it, those of JSON. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** The record before it, for the rules on deletions. */
  state?: object | undefined;
}

export interface PassOptions extends JudgedWith {
  /** `warn`: without warnings, too. Without it, as in the settings. */
  failOn?: 'error' | 'warn' | undefined;
}

/** A text, a pattern, or `expect.stringContaining('x')` and the like. */
type ExpectedText = string | RegExp | { asymmetricMatch(actual: unknown): boolean };

/** At least one of these. */
export interface ExpectedFinding {
  rule?: ExpectedText;
  severity?: 'error' | 'warn';
  /** JSON Pointer in the body: `/environments/0/id` */
  pointer?: ExpectedText;
  message?: ExpectedText;
  hint?: ExpectedText;
}

/** Any of these, as `exchanges()` has them: redacted. */
export interface ExpectedExchange {
  method?: ExpectedText;
  /** As sent, without the query: `/api/v2/accounts/current/projects/42` */
  path?: ExpectedText;
  /** By name; a name that comes several times has a list. */
  query?: object;
  /** Of the request, by name; there may be others. */
  headers?: Readonly<Record<string, ExpectedText | undefined>>;
  /** Of the request: the value of its JSON, or text; `''`: none. */
  body?: unknown;
  /** Of the response. */
  status?: unknown;
  /** `''`: none. */
  session?: ExpectedText;
  /** Exactly so often; without it, at least once. */
  times?: number;
}

export interface ExpectedDeletions {
  /** By id or name. One that is replaced under a new id counts. */
  environments: readonly (number | string)[];
  /** Without it, any. */
  languages?: readonly string[];
}
