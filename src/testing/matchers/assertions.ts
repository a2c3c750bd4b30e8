/** What `expect` can say of a body and of a gate. @typeParam R what such a call gives: nothing, or a matcher to be put into another */
export interface GateAssertions<R> {
  /** That the gate lets a body pass as that of an operation: an object, the very text or bytes that are sent, or what
   *  `exchanges()` shows of a body (`{ json, size }`); so with the matchers below. */
  toPassGate(operation: string, options?: PassOptions): R;
  /** That the gate has this finding of a body. What is left out may be anything. */
  toHaveFinding(operation: string, finding: ExpectedFinding, options?: JudgedWith): R;
  /** That a gate, or one of its sessions, let such a request pass and answered it: from the target, the fake, the recording, or
   *  by a fault (`{ status: 429 }`). What was blocked or missed is none. What is left out may be anything. */
  toHaveServed(exchange: ExpectedExchange): R;
  /** That the PATCH with a body deletes exactly these of a project. @param state the project before it, as the service shows it */
  toDelete(deletions: ExpectedDeletions, state: object): R;
}

/** What the gate is told beside a body. */
export interface JudgedWith {
  /** The path that it is sent to, for the rules that look at it: `/accounts/current/drafts/7` */
  path?: string | undefined;
  /** All that it is sent with, for the rules on them: by name, or `Headers`. Without it, those of JSON. */
  headers?: Readonly<Record<string, string>> | Iterable<readonly [string, string]> | undefined;
  /** The record before it, as the service shows it, for the rules on what is lost. */
  state?: object | undefined;
}

export interface PassOptions extends JudgedWith {
  /** `warn`: it must not even have warnings. Without it, what the settings say: `error`. */
  failOn?: 'error' | 'warn' | undefined;
}

/** `expect.stringContaining('x')` and the like. */
interface AsymmetricMatcher {
  asymmetricMatch(actual: unknown): boolean;
}
type ExpectedText = string | RegExp | AsymmetricMatcher;

/** At least one of these. */
export interface ExpectedFinding {
  /** `schema.required` */
  rule?: ExpectedText;
  severity?: 'error' | 'warn';
  basis?: 'stated' | 'inferred' | 'observed' | 'protocol';
  /** JSON Pointer of its place in the body: `/environments/0/id` */
  pointer?: ExpectedText;
  message?: ExpectedText;
  hint?: ExpectedText;
  source?: ExpectedText;
  /** Both from 1, in the text that was given, or in the JSON with two spaces a level that an object is written as. */
  line?: number;
  column?: number;
}

/** At least one of these. */
export interface ExpectedExchange {
  /** In any letter case. */
  method?: ExpectedText;
  /** As sent, without the query: `/api/v2/accounts/current/projects/42` */
  path?: ExpectedText;
  /** As text, or by name; a name that comes several times has a list. */
  query?: string | URLSearchParams | AsymmetricMatcher | Readonly<Record<string, unknown>>;
  /** Of the request, by name in any letter case; one that comes several times has a list. Undefined: it has none. There may be
   *  others. */
  headers?:
    | AsymmetricMatcher
    | Readonly<Record<string, ExpectedText | number | readonly string[] | undefined>>;
  /** Of the request: a value that its JSON is, or text. `''`: it has none. */
  body?: unknown;
  /** Of the response. */
  status?: number | AsymmetricMatcher;
  /** `''` is the default one. */
  session?: ExpectedText;
  /** Exactly so often; without it, at least once. */
  times?: number;
}

export interface ExpectedDeletions {
  /** Environments by their ids or names; `[]`: none is deleted. One that is replaced under a new id counts. */
  environments: readonly (number | string)[];
  /** Languages that are removed. Without it, they may be any. */
  languages?: readonly string[];
}
