import type { JsonValue } from '../json/json.ts';

/** Milliseconds that an answer waits before its first byte: of a range, each in its turn another. `recorded`: as long as it
 *  took when it was recorded; no time where it was not. */
export type Latency = { readonly from: number; readonly to: number } | 'recorded';

/** Of a body: so many bytes, or so much of it. */
export type Share = { readonly bytes: number } | { readonly percent: number };

/** An answer that is given instead of the upstream's. */
export interface FaultAnswer {
  readonly status: number;
  /** Seconds, as `Retry-After` says them. */
  readonly retryAfter?: number;
  /** Name, value, name, value, … */
  readonly headers?: readonly string[];
  /** A text goes out as it is, any other value as JSON; without one, the answer is a problem that names the fault. */
  readonly body?: JsonValue;
}

/** One way in which answers fail, and which: those of all requests that fit whatever it says of them. */
export interface FaultRule {
  readonly method?: string;
  /** Glob of request paths: `/accounts/**`. What stands before that, the query and a slash at the end count for nothing. */
  readonly path?: string;
  /** Of the contract: `updateProject`. */
  readonly operation?: string;

  /** Of these four there is one at most, but for `truncate` with `trickle`. */
  readonly answer?: FaultAnswer;
  /** The connection breaks before a byte of the answer. */
  readonly reset?: true;
  /** How much of the answer's body goes out before the connection breaks. */
  readonly truncate?: Share;
  /** Bytes of the answer's body a second. */
  readonly trickle?: number;
  readonly latency?: Latency;

  /** From 0 to 1: how likely it is, each time. */
  readonly rate?: number;
  /** In a session, it happens so often at most. */
  readonly count?: number;
  /** In a session, so many requests that fit go by first. */
  readonly after?: number;
}

/** All that makes answers fail. Of the rules, the first one that holds for a request applies. */
export interface FaultPlan {
  /** What is drawn depends on it, the session's name, the rule and how many requests there were: a run can be repeated. */
  readonly seed: number;
  /** Of answers whose rule says nothing of it. */
  readonly latency: Latency | undefined;
  readonly rules: readonly FaultRule[];
}

/** A fault as a config file, the control API or a program writes it down; a text says the same in one line. */
export interface UserFault {
  method?: string | undefined;
  /** Glob: `/accounts/**`. What stands before that, the query and a slash at the end count for nothing. */
  path?: string | undefined;
  operation?: string | undefined;
  /** Answers with it, in place of the upstream. */
  status?: number | undefined;
  /** Seconds, for the header `Retry-After`. */
  retryAfter?: number | undefined;
  headers?: Readonly<Record<string, string | readonly string[]>> | undefined;
  /** A text as it is, any other value as JSON. */
  body?: JsonValue | undefined;
  /** Breaks the connection before a byte of the answer. */
  reset?: true | undefined;
  /** Breaks it after so much of the body: `50%`, or bytes. */
  truncate?: `${number}%` | number | undefined;
  /** Bytes of the body a second: `100B/s`, `1KiB/s`. */
  trickle?: `${number}${string}` | number | undefined;
  /** Milliseconds, `2s`, `50ms..200ms`, or `recorded`. */
  latency?: string | number | undefined;
  /** From 0 to 1: how likely it is, each time. */
  rate?: number | undefined;
  /** It happens so often at most, in each session. */
  count?: number | undefined;
  /** So many requests that fit go by first, in each session. */
  after?: number | undefined;
}

/** `PATCH /accounts/** status=503 count=2`: a text, or its parts. */
export type FaultGiven = string | UserFault;

/** All faults at once. What is left out is not there, but for the seed: it stays as it is. */
export interface FaultsGiven {
  seed?: number | undefined;
  /** Of answers whose fault says nothing of it: milliseconds, `2s`, `50ms..200ms`, `recorded`. */
  latency?: string | number | undefined;
  faults?: string | readonly FaultGiven[] | undefined;
}

/** A fault in one line of printable ASCII, as a flag takes it, but for headers and body: `PATCH status=503 retry-after=2 count=2` */
export function faultText(rule: FaultRule): string {
  const { method, path, operation, answer, reset, truncate, trickle, latency } = rule;
  const { rate, count, after } = rule;
  const parts = [
    method,
    path ?? operation,
    answer && `status=${answer.status}`,
    answer?.retryAfter !== undefined && `retry-after=${answer.retryAfter}`,
    reset && 'reset',
    truncate && `truncate=${'percent' in truncate ? `${truncate.percent}%` : truncate.bytes}`,
    trickle !== undefined && `trickle=${trickle}B/s`,
    latency && `latency=${latencyText(latency)}`,
    rate !== undefined && `rate=${rate}`,
    count !== undefined && `count=${count}`,
    after !== undefined && `after=${after}`,
  ];
  return parts.filter((part) => typeof part === 'string').join(' ');
}

/** `100ms`, `50ms..200ms`, `recorded` */
export function latencyText(latency: Latency): string {
  if (latency === 'recorded') return latency;
  const { from, to } = latency;
  return from === to ? `${from}ms` : `${from}ms..${to}ms`;
}
