import type { JsonValue } from '../json/json.ts';
import type { RecordName } from '../model/record.ts';
import type { KnownState } from '../state/known-state.ts';
import type { ApprovalStore } from './file-approvals.ts';

/** What is known of the service, and is known again after a restart. */
export interface KnownStore {
  readonly state: KnownState;
  /** Why what is known is not kept, for `health`. */
  readonly trouble: Error | undefined;
  /** Where approvals are kept; undefined: nothing is kept, or in tables of their own. */
  readonly approvals?: ApprovalStore | undefined;
  /** Where another process keeps it, learns what that has written. To be called before a PATCH is judged. Never throws. */
  follow?(): void;
  /**
   * Where several gates keep it together: waits until this one may send a PATCH of the record, and takes in what is known of it.
   *
   * @returns undefined: no client waits for it any more
   * @throws PatchgateError `store-unavailable`
   */
  lease?(name: RecordName, wanted: LeaseWanted): Promise<Lease | undefined>;
  /** Takes in what is known of a record by others, without a lease. @throws PatchgateError `store-unavailable` */
  refresh?(name: RecordName): Promise<void>;
  /** Where several gates keep it together: resolves once the others can know what was learnt by now, or soon if they cannot. Undefined:
   *  they can already. Never rejects. */
  written?(): Promise<void> | undefined;
  /** Writes out what is known. Never rejects: what could not be written is told by notice. */
  close(): Promise<void>;
}

export interface LeaseWanted {
  /** Others may have such a lease at the same time: the PATCH surely keeps all environments. */
  isShared: boolean;
  /** What is sent: what becomes of it is not known if this gate dies. Undefined: it was not read. */
  body: JsonValue | undefined;
  isGone(): boolean;
}

export interface Lease {
  /** It has not been renewed in time: another gate may have the next one. */
  readonly isOver: boolean;
  /** Gives it back with what is known now; more often does nothing. Never rejects: where the database is away, it is tried again
   *  behind. */
  release(): Promise<void>;
}
