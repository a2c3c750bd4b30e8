import type { Effect } from '../model/effect.ts';
import type { RecordKind } from '../model/record.ts';

/** A request for approval, as `GET approvals` has it. */
export interface Approval {
  id: string;
  /** `withdrawn`: the client of a held one is gone. */
  status: 'pending' | 'approved' | 'declined' | 'used' | 'expired' | 'withdrawn';
  /** The client's request is open, and waits. */
  held: boolean;
  /** ISO 8601. */
  requestedAt: string;
  expiresAt: string;
  method: string;
  url: string;
  operation?: string;
  record?: { account: string; kind: RecordKind; id: string };
  /** The client's address, the name that it proved, its session. */
  client?: string;
  who?: string;
  session?: string;
  effects: Effect[];
  /** Id of the blocked exchange, where it has been answered in this run. */
  exchange?: number;
  decidedAt?: string;
  /** The approver's name; absent where the control token decided. */
  decidedBy?: string;
  reason?: string;
}
