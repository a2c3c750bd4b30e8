import type { Effect } from './effect.ts';

/** Why we may say it: `stated` in the service's description, `inferred` from it, `observed` in its samples,
 *  `protocol`: the HTTP, JSON and URL standards. */
export type Basis = 'stated' | 'inferred' | 'observed' | 'protocol';

export type Severity = 'error' | 'warn';

/** What a rule can be set to, as in ESLint. */
export type SeveritySetting = Severity | 'off';

/** The steps of judging, in order. A blocked request is answered with the status of the first one that failed. */
export const STAGES = ['request', 'size', 'media-type', 'json', 'contract', 'guard'] as const;
type Stage = (typeof STAGES)[number];

/** A rule, apart from its findings. */
export interface RuleInfo {
  /** `draft.id-matches-path` */
  name: string;
  severity: SeveritySetting;
  basis: Basis;
  stage: Stage;
  /** HTTP status of a request that is blocked for this rule alone. */
  status: number;
  /** One sentence: the fault that it finds. */
  says: string;
  /** The paragraph or standard that it rests on: `service-api 4.1 rule 4`, `RFC 8259`. */
  source: string;
}

/** What a schema or rule has to say of one place in a request. Data, never an exception. */
export interface Finding {
  rule: string;
  severity: Severity;
  basis: Basis;
  /** JSON Pointer of the place in the body; a missing member's is where it should be; `""` for the request's own. */
  pointer: string;
  message: string;
  /** What to do about it. */
  hint?: string;
  /** The paragraph or standard that it rests on. */
  source?: string;
  /** Place in the bytes that were sent, both from 1; columns count UTF-16 code units, as editors do. */
  line?: number;
  column?: number;
}

/** What the policy must know of a place that a rule finds. */
export interface GuardMarks {
  /** The change loses something for good: under the guard it is an error, whatever the rule's severity. */
  isDestructive?: true;
  /** No approval lets that happen. */
  isProtected?: true;
  /** It is not known what the change loses: a warning under the guard; an error if the guard is strict, or something is protected. */
  isUnknown?: true;
  /** The record could not be read: under the guard it is an error that no approval lets pass. */
  isUnread?: true;
  /** Judged by a former state of the record: under the guard it is a warning. */
  isRemembered?: true;
}

/** A finding before the policy, with its rule's own severity. */
export interface RawFinding extends Omit<Finding, 'severity'>, GuardMarks {
  severity: SeveritySetting;
  /** Because of it, what the change loses cannot be said: under the guard it is an error as well. */
  isBlinding?: true;
  /** The rule itself failed: an error that no setting makes milder. */
  isFailure?: true;
}

/** The gate's answer for one request. */
export interface Verdict {
  outcome: 'pass' | 'block';
  /** Absent if no operation of the contract was meant. */
  operation?: string;
  findings: readonly Finding[];
  /** What the request does to its record, what is lost first; absent if that is nothing, or nothing is known of it. */
  effects?: readonly Effect[];
  /** How many effects were left out, if there were more than are reported. */
  effectsOmitted?: number;
  /** How many findings were left out, if there were more than are reported. */
  omitted: number;
  /** Where blocked: the HTTP status and the problem's type. */
  status?: number;
  problem?: 'invalid-request' | 'destructive-change' | 'not-allowed';
}
