import type { Approval, Decision } from './approval.ts';
import type { Effect } from './effect.ts';
import type { Finding, Verdict } from './finding.ts';
import type { RecordName } from './record.ts';

/** A line of the audit file: what was asked, what the gate said, and what came of it. Redacted. docs/reference/formats.md */
export interface AuditLine {
  /** Version of the format. The first member: it tells what the file is. */
  audit: 1;
  /** When the request came: ISO 8601, UTC. */
  time: string;
  /** Address of the client; absent where it was gone. */
  client?: string | undefined;
  /** Absent: the request named none. */
  session?: string | undefined;
  method: string;
  path: string;
  query?: string | undefined;
  operation?: string | undefined;
  /** Absent where the path does not say. */
  record?: RecordName | undefined;
  verdict: Verdict['outcome'];
  findings: readonly AuditFinding[];
  /** Findings that were left out, where there were more than a line holds. */
  findingsOmitted?: number | undefined;
  /** All that lose an environment, then others. */
  effects?: readonly Effect[] | undefined;
  effectsOmitted?: number | undefined;
  /** A token was used for it. */
  approved: boolean;
  /** Nobody can say what it deletes; absent: the guard could. */
  unguarded?: boolean | undefined;
  /** Id of that approval; of a blocked one, of the approval that would let it pass. */
  approval?: string | undefined;
  /** The gate sent it to the target, or tried to. */
  forwarded: boolean;
  /** Whose answer the client got. */
  answeredBy: 'gate' | 'target' | 'fake' | 'recording' | 'fault';
  /** Absent where there was no answer. */
  status?: number | undefined;
  /** Why there was none, or no whole one. */
  failure?: string | undefined;
  /** The fault that was injected. */
  fault?: string | undefined;
}

type AuditFinding = Pick<Finding, 'rule' | 'severity' | 'pointer' | 'message'>;

/** A line that tells of a decision in the place of a request. */
export interface DecisionLine
  extends Pick<
    Approval,
    'client' | 'session' | 'method' | 'operation' | 'record' | 'effects' | 'effectsOmitted' | 'reason'
  > {
  audit: 1;
  /** When it was decided. */
  time: string;
  event: 'decision';
  /** Id of the approval. */
  approval: string;
  decision: Decision;
  /** Name of the approver; absent where none was asked for. */
  by?: string | undefined;
  path: string;
  query?: string | undefined;
}
