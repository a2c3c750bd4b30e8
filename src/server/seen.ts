import type { RequestHead } from '../http/http.ts';
import type { Verdict } from '../model/finding.ts';
import type { AnsweredBy } from '../upstreams/upstream.ts';
import type { KeptBody } from './kept-body.ts';

/**
 * One request that the data path has finished with, whatever became of it: for the access log, the list of exchanges
 * and the event stream. Not redacted: whoever shows it does that first.
 */
export interface Seen {
  /** Counts up from 1 within a run. */
  id: number;
  /** Milliseconds since the epoch. */
  startedAt: number;
  durationMs: number;
  request: RequestHead;
  requestBody: KeptBody;
  /** Undefined where the request was not judged. */
  verdict: Verdict | undefined;
  /** Who answered: the gate itself where it blocked, injected a fault, or nothing else did. */
  answeredBy: AnsweredBy;
  /** Undefined where the client went away before there was a response. */
  response: { status: number; headers: readonly string[]; body: KeptBody } | undefined;
  /** What went wrong, in one sentence: target unreachable, response cut off, client gone, no recording. */
  failure: string | undefined;
  /** The fault that was injected into its answer, in one line. */
  fault?: string | undefined;
  /** The name of its session; absent or `""` where it named none. */
  session?: string | undefined;
}
