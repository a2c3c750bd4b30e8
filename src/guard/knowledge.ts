import type { Known, RecordKind, RecordName } from '../model/record.ts';
import type { KnownState } from '../state/known-state.ts';
import type { Fake } from '../upstreams/fake/start-fake.ts';
import type { Session } from '../upstreams/session.ts';
import type { AnsweredBy, UpstreamRequest } from '../upstreams/upstream.ts';
import type { ApprovalStore } from './file-approvals.ts';
import type { KnownStore } from './known-store.ts';

/** What is known of the records that an upstream answers for. */
export interface Knowledge {
  /** Each session has records of its own. */
  isOfSession?: true;
  /** Undefined where nothing is known. */
  of(name: RecordName, session: Session): Known | undefined;
  /** Looks for a record of which nothing is known, where there is somewhere to look. Never rejects. Undefined: it has looked. */
  find?(name: RecordName, asker: Asker): Promise<void> | undefined;
  /** Looks whether what is only possible is there. Never rejects. */
  confirm?(name: RecordName, asker: Asker): Promise<void>;
  /** Where several gates know it together: without it, a PATCH of a guarded record does not pass. */
  lease?: KnownStore['lease'] | undefined;
  /** What is only asked what it would do with a PATCH looks there without a lease. */
  refresh?: KnownStore['refresh'] | undefined;
  /** What learns from the answers; absent where the upstream itself is asked each time. */
  learner?: Learner;
  /** What is known of a real service, the same for every session, and the file or database in which it is kept; `""`: in none. */
  readonly ledger?: { state: KnownState; file: string };
  /** Where approvals are kept; absent: in memory alone. */
  readonly approvals?: ApprovalStore | undefined;
  /** What keeps it from being kept, for `health`. */
  readonly trouble?: Error | undefined;
  /** Frees what was kept for a session that is not used any more. */
  end?(session: Session): void;
  /** Writes out what is to be kept. */
  close?(): Promise<void>;
}

/** A PATCH of a record of which nothing is known: a look for it takes its credentials. */
export interface Asker extends Pick<UpstreamRequest, 'method' | 'url' | 'headers' | 'stream' | 'session'> {
  /** When it came, by `performance.now()`. */
  cameAt: number;
}

export interface Learner {
  stateOf(session: Session): KnownState;
  /** Of which records there is something to learn. */
  kinds: readonly RecordKind[];
  /** Whether an answer says what the service holds: one out of a recording changes nothing there. */
  counts(answeredBy: AnsweredBy): boolean;
  /** The same answer is the same object each time. */
  areAnswersKept?: boolean;
  written?: KnownStore['written'] | undefined;
}

/** Nothing has to be learnt of the fake: it is asked what it holds. */
export function fakeKnowledge(fake: Pick<Fake, 'recordOf'>): Knowledge {
  return {
    isOfSession: true,
    of(name, session) {
      const record = fake.recordOf(session, name);
      return record && { record, isWhole: true };
    },
  };
}
