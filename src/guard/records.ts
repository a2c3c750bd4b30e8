import { type RecordName, recordKey } from '../model/record.ts';
import { isSameAccount, type Kept, withDeadlines } from './kept.ts';
import type { StateFile } from './state-file.ts';

/** A record whose lock is held: no PATCH of it is on its way through any gate. */
export interface LockedRecord {
  readonly kept: Kept | undefined;
  /** False: no approval of it is open. Absent: only the book knows. */
  readonly hasOpenApprovals?: boolean;
  /** Milliseconds since 1970, by the clock of those who share the lock. */
  now(): number;
  /** Writes down the environments to be created. On disk or committed when it resolves. @throws PatchgateError, then nothing may be sent */
  note(kept: Kept): Promise<void>;
  /** The last look before a PATCH is sent. @throws PatchgateError `store-unavailable` if the lock is lost */
  confirm?(): Promise<unknown>;
  /** Gives the lock back, once. @param kept from now on; absent: nothing has changed */
  release(kept?: Kept): void;
}

/** Where locks, notes and remembered records are. */
export interface Records {
  /** Waits for the record's lock. @param key of the lock @throws PatchgateError `store-unavailable` */
  lock(name: RecordName, key: string): LockedRecord | Promise<LockedRecord>;
  /** The remembered record, at once. */
  of(name: RecordName): Kept | undefined;
  /** A request without the lock has told something of it. */
  put(name: RecordName, kept: Kept): void;
  /** Nothing is remembered. */
  areNone?: boolean;
}

/** Locks by name, one holder at a time, in the order of asking. */
export class Locks {
  /** The last in each queue; `next` wakes the one behind it. */
  readonly #last = new Map<string, { next?: () => void }>();

  /** @returns gives it back */
  acquire(key: string): (() => void) | Promise<() => void> {
    const before = this.#last.get(key);
    const mine: { next?: () => void } = {};
    this.#last.set(key, mine);
    const leave = () => {
      if (this.#last.get(key) === mine) this.#last.delete(key);
      mine.next?.();
    };
    if (!before) return leave;
    return new Promise((resolve) => {
      before.next = resolve.bind(undefined, leave);
    });
  }
}

const MOST_RECORDS = 10_000;

/** Records in memory, and behind it in a file if there is one. */
export class MemoryRecords implements Records {
  readonly #locks = new Locks();
  /** By `recordKey`; once half full, those seen longest ago first. */
  readonly #all: Map<string, Kept>;

  /** @param areNone of the fake, which is asked itself what the records of a session hold */
  constructor(
    private readonly state?: Pick<StateFile, 'data' | 'now' | 'later'>,
    readonly areNone = false,
  ) {
    this.#all = state?.data.records ?? new Map();
  }

  of(name: RecordName): Kept | undefined {
    return seenFrom(name, this.#all.get(recordKey(name)));
  }

  put(name: RecordName, kept: Kept): void {
    if (this.areNone) return;
    const key = recordKey(name);
    // It moves to the end, which takes longer than all else here, and matters only once some must go.
    if (this.#all.size > MOST_RECORDS / 2) this.#all.delete(key);
    this.#all.set(key, kept);
    this.state?.later();
    if (this.#all.size <= MOST_RECORDS) return;
    // The one seen longest ago goes, unless it has what is being created: a read may still lack that.
    for (const [oldest, one] of this.#all)
      if (!withDeadlines(one, Date.now())?.creating?.length) return void this.#all.delete(oldest);
  }

  lock(name: RecordName, key: string): LockedRecord | Promise<LockedRecord> {
    const leave = this.#locks.acquire(key);
    const locked = (leave: () => void): LockedRecord => ({
      kept: withDeadlines(this.of(name), Date.now()),
      hasOpenApprovals: this.state?.data.approvals.size !== 0,
      now: Date.now,
      note: async (kept) => {
        this.put(name, kept);
        await this.state?.now();
      },
      release: (kept) => {
        if (kept) this.put(name, kept);
        leave();
      },
    });
    return leave instanceof Promise ? leave.then(locked) : locked(leave);
  }
}

/** What another workspace's number tells may not be all, so nothing is forgotten for it. */
export function seenFrom(name: RecordName, kept: Kept | undefined): Kept | undefined {
  return isSameAccount(name, kept) ? kept : ({ ...kept, isPart: true } as Kept);
}
