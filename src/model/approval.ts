import type { Effect } from './effect.ts';
import type { RecordKind } from './record.ts';

export type ApprovalStatus = 'pending' | 'approved' | 'declined' | 'used' | 'expired';
export type Decision = 'approve' | 'decline';

/** A question for a yes: what a PATCH would lose, who sent it, and what was decided. Redacted. docs/reference/control-api.md */
export interface Approval {
  /** Short and no secret: `k3f9x2ab`. */
  id: string;
  status: ApprovalStatus;
  /** ISO 8601, UTC. */
  requestedAt: string;
  expiresAt: string;
  method: string;
  url: string;
  operation?: string | undefined;
  record?: { account: string; kind: RecordKind; id: string } | undefined;
  /** Address of the client. */
  client?: string | undefined;
  /** Absent if the request named none. */
  session?: string | undefined;
  /** All that lose an environment, then others. */
  effects: readonly Effect[];
  /** How many others were left out. */
  effectsOmitted?: number | undefined;
  /** Id of the blocked exchange, if it was answered in this run. */
  exchange?: number | undefined;
  decidedAt?: string | undefined;
  /** Name of the approver; absent if none was asked for. */
  decidedBy?: string | undefined;
  reason?: string | undefined;
}

/** The same as it is kept for the next run. */
export interface KeptApproval extends Omit<Approval, 'exchange'> {
  marks: ApprovalMarks;
}

/** Hashes of the token, and of what it is for. */
export interface ApprovalMarks {
  /** `recordKey` of what the request changes, with the session if each has its own. */
  record: string;
  /** The token is made with it, and with the request. */
  salt: string;
  token: string;
  /** Method, URL and session. */
  request: string;
  /** The bytes, and the headers that say what they are. */
  body: string;
  /** The environments and languages that were known. */
  state: string;
}
