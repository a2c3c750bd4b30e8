import type { JsonValue } from '../json/json.ts';

/** Milliseconds that an answer waits before its first byte: each time others of a range. */
export interface Latency {
  readonly from: number;
  readonly to: number;
}

/** An answer that is given instead of the upstream's. */
export interface FaultAnswer {
  readonly status: number;
  /** Seconds, as `Retry-After` says them. */
  readonly retryAfter?: number;
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

  /** Of `answer` and `reset` there is one at most. */
  readonly answer?: FaultAnswer;
  /** The connection breaks before a byte of the answer. */
  readonly reset?: true;
  readonly latency?: Latency;

  /** From 0 to 1: how likely it is, each time. */
  readonly rate?: number;
  /** In a session, it happens so often at most. */
  readonly count?: number;
}

/** What the control API and programs set faults with. */
export type FaultsGiven = string | readonly string[] | { faults: string | readonly string[] };

/** A fault in one line of printable ASCII, as a flag takes it, but for its body: `PATCH status=503 retry-after=2 count=2` */
export function faultText(rule: FaultRule): string {
  const { method, path, operation, answer, reset, latency, rate, count } = rule;
  const parts = [
    method,
    path ?? operation,
    answer && `status=${answer.status}`,
    answer?.retryAfter !== undefined && `retry-after=${answer.retryAfter}`,
    reset && 'reset',
    latency && `latency=${latency.from}ms${latency.from === latency.to ? '' : `..${latency.to}ms`}`,
    rate !== undefined && `rate=${rate}`,
    count !== undefined && `count=${count}`,
  ];
  return parts.filter((part) => typeof part === 'string').join(' ');
}
