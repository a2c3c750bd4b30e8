import type { Difference } from './differences.ts';

/**
 * What no exchange matches, by what comes nearest to it.
 *
 * - `differs`: others are recorded for its method and path
 * - `other-base-path`, `other-account`: the rest of its path is recorded below another one
 * - `other-method`: its path is recorded for other methods
 * - `not-recorded`: none of these; `empty`: nothing is recorded at all
 */
export type MissReason =
  | 'differs'
  | 'other-base-path'
  | 'other-account'
  | 'other-method'
  | 'not-recorded'
  | 'empty';

/** Why no exchange answers a request. Redacted. */
export interface Miss {
  recording: string;
  reason: MissReason;
  /** All of it in one line, for the log and the answer. */
  text: string;
  /** What to do about it, in one sentence. */
  hint: string;
  /** The exchange that comes nearest; without `differences` it is one of another method or path. */
  nearest?: {
    method: string;
    path: string;
    query?: string;
    recordedAt?: string;
    differences?: Difference[];
    /** How many more differences there are; at 100 nobody counts further. */
    omitted?: number;
  };
}

/** What to do where it can be recorded. */
export function recordIt(recording: string): string {
  return `patchgate proxy <target> --record --recording ${recording}`;
}

/** A miss's hint for whoever records in another way. @param how of a kind with `recordIt` */
export function hintWith(hint: string, recording: string, how: string): string {
  return hint.replaceAll(recordIt(recording), how);
}
