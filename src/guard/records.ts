import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../json/json.ts';
import { type Known, type RecordKind, type RecordName, recordKey } from '../model/record.ts';
import { unionOf } from '../state/lists.ts';
import { environmentsOf } from '../state/project.ts';
import { Locks } from './locks.ts';

/** An environment that a PATCH creates: it counts as known although a read lacks it, since a replica may lag. */
export interface Creation {
  id: number;
  name: string;
  isEnabled: boolean;
  /** ISO 8601: a minute after its PATCH ended; absent: the PATCH is on its way, or its gate has died. */
  until?: string | undefined;
}

/** What is kept of one record. */
export interface Kept {
  account: string;
  /** The last whole record that was read or accepted. */
  record?: JsonObject | undefined;
  /** The record may hold more by now: somebody has changed it in a way that is not known. */
  isPart?: boolean | undefined;
  /** ISO 8601. */
  seenAt?: string | undefined;
  creating?: readonly Creation[] | undefined;
}

/** A record whose lock is held: no PATCH of it is on its way through any gate. */
export interface LockedRecord {
  readonly kept: Kept | undefined;
  /** Milliseconds since 1970, by the clock of those who share the lock. */
  now(): number;
  /** Writes down what is about to be created. On disk or committed when it resolves. @throws PatchgateError, then nothing may be sent */
  note(kept: Kept): Promise<void>;
  /** The last look before a PATCH is sent. @throws PatchgateError `store-unavailable` where the lock is lost */
  confirm?(): Promise<void>;
  /** Gives the lock back. @param kept from now on; absent: nothing has changed */
  release(kept?: Kept): void;
}

/** Where locks, notes and remembered records are. */
export interface Records {
  /** Waits for the record's lock. @param key of the lock @throws PatchgateError `store-unavailable` */
  lock(name: RecordName, key: string): Promise<LockedRecord>;
  /** What is remembered of a record, at once. */
  of(name: RecordName): Known | undefined;
  /** An answer to somebody has shown the whole record. @returns whether that is news */
  saw(name: RecordName, record: JsonObject): boolean;
  /** Somebody may have changed it in a way that is not known. */
  spoil(name: RecordName): void;
  /** It is deleted. */
  forget(name: RecordName): void;
}

/** How long an environment that was created counts as known although a read lacks it. */
const MINUTE = 60_000;

/** Ends the wait of what a dead gate has left: who holds the lock knows that no PATCH is on its way. */
export function withDeadlines(kept: Kept | undefined, now: number): Kept | undefined {
  if (!kept?.creating?.length) return kept;
  const until = new Date(now + MINUTE).toISOString();
  const creating = kept.creating
    .map((one) => (one.until === undefined ? { ...one, until } : one))
    .filter((one) => Date.parse(one.until as string) > now);
  return { ...kept, creating };
}

/** What a PATCH is judged by: the record as read or remembered, and what was created a moment ago. */
export function knownOf(kept: Kept | undefined, read: JsonObject | undefined): Known | undefined {
  const remembered = kept?.record && { record: kept.record, isWhole: !kept.isPart, seenAt: seenAtOf(kept) };
  const base: Known | undefined = read ? { record: read, isWhole: true } : remembered;
  const shown = new Set(environmentsOf(base?.record).map(({ id }) => id));
  const created = (kept?.creating ?? []).filter(({ id }) => !shown.has(id));
  if (created.length === 0) return base;
  const environments = [
    ...environmentsOf(base?.record).map(({ id, name, isEnabled }) => ({ id, name, isEnabled })),
    ...created.map(({ id, name, isEnabled }) => ({ id, name, isEnabled })),
  ];
  return { ...base, isWhole: base?.isWhole ?? false, record: { ...base?.record, environments } };
}

function seenAtOf({ seenAt }: Kept): number {
  return seenAt === undefined ? 0 : Date.parse(seenAt);
}

/** What became of a PATCH or another change. `unsent`: it never left; `unclear`: it may have been applied, or not. */
export type Outcome = 'accepted' | 'refused' | 'unsent' | 'unclear';

export function outcomeOf(status: number | undefined): Outcome {
  if (status === undefined || status === 202 || status === 207) return 'unclear';
  if (status >= 200 && status < 300) return 'accepted';
  const isRefusal = status >= 400 && status < 500 && status !== 408 && status !== 425 && status !== 429;
  return isRefusal ? 'refused' : 'unclear';
}

interface Sent {
  kind: RecordKind;
  /** What the PATCH makes of the record, as far as that is known; undefined: it does not say. */
  record: JsonObject | undefined;
  /** Ids of the environments that the PATCH was to create. */
  created: ReadonlySet<number>;
  /** Ids of those that it leaves in. */
  left: ReadonlySet<number>;
}

/**
 * What is kept when a PATCH is over.
 *
 * @param status of the answer; 202 and the like are `unclear` and end the notes of what the PATCH has left out all the same
 * @param shown the whole record that the answer holds
 */
export function afterPatch(
  kept: Kept,
  { kind, record: sent, created, left }: Sent,
  outcome: Outcome,
  isApplied: boolean,
  shown: JsonObject | undefined,
  now: number,
): Kept {
  const isOver = outcome === 'refused' || outcome === 'unsent';
  const until = new Date(now + MINUTE).toISOString();
  const creating = (kept.creating ?? [])
    .filter(({ id }) => !(isOver && created.has(id)) && !(isApplied && !left.has(id)))
    .map((one) => (created.has(one.id) ? { ...one, until } : one));
  if (isOver) return { ...kept, creating };
  const seenAt = new Date(now).toISOString();
  const taken = shown ?? sent;
  if (outcome === 'accepted' && taken) return { ...kept, record: taken, isPart: false, seenAt, creating };
  if (!kept.record) return { ...kept, creating };
  const record = sent ? unionOf(kind, kept.record, sent) : kept.record;
  return { ...kept, record, isPart: kept.isPart || !sent, creating };
}

/** What writes records: on disk when it resolves, or a little later. */
interface Saving {
  now(): Promise<void>;
  later(): void;
}

/** Records in memory, and behind it in a file where there is one. */
export class MemoryRecords implements Records {
  readonly #locks = new Locks();
  readonly #all: Record<string, Kept>;
  readonly #save: Saving;
  #count: number;

  /** @param all by `recordKey`, the ones seen longest ago first: changed in place. @param save writes them */
  constructor(all: Record<string, Kept> = {}, save: Saving = NOWHERE) {
    this.#all = all;
    this.#save = save;
    this.#count = Object.keys(all).length;
  }

  get count(): number {
    return this.#count;
  }

  of(name: RecordName): Known | undefined {
    return knownOf(this.#kept(name), undefined);
  }

  async lock(name: RecordName, key: string): Promise<LockedRecord> {
    const release = await this.#locks.acquire(key);
    return {
      kept: withDeadlines(this.#kept(name), Date.now()),
      now: Date.now,
      note: (kept) => {
        this.#set(name, kept);
        return this.#save.now();
      },
      release: (kept) => {
        if (kept) this.#put(name, kept);
        release();
      },
    };
  }

  saw(name: RecordName, record: JsonObject): boolean {
    const before = this.#kept(name);
    const seenAt = new Date().toISOString();
    this.#put(name, { ...before, account: name.account, record, isPart: false, seenAt });
    return !isDeepStrictEqual(before?.record, record);
  }

  spoil(name: RecordName): void {
    const before = this.#kept(name);
    if (before?.record) this.#put(name, { ...before, isPart: true });
  }

  forget(name: RecordName): void {
    const key = recordKey(name);
    if (!(key in this.#all)) return;
    delete this.#all[key];
    this.#count--;
    this.#save.later();
  }

  #put(name: RecordName, kept: Kept): void {
    this.#set(name, kept);
    this.#save.later();
  }

  #set(name: RecordName, kept: Kept): void {
    const key = recordKey(name);
    if (key in this.#all) this.#count--;
    delete this.#all[key];
    this.#all[key] = kept;
    this.#count++;
    if (this.#count <= MOST_RECORDS) return;
    for (const oldest in this.#all) {
      delete this.#all[oldest];
      this.#count--;
      break;
    }
  }

  /** `current` may be any workspace; two numbers are two. */
  #kept(name: RecordName): Kept | undefined {
    const kept = this.#all[recordKey(name)];
    if (!kept || kept.account === name.account) return kept;
    return kept.account === 'current' || name.account === 'current' ? kept : undefined;
  }
}

/** Those seen longest ago go first. */
const MOST_RECORDS = 10_000;
const NOWHERE = { now: async () => undefined, later: () => undefined };

/** Each session of the fake has records of its own, and the fake itself is asked what they hold. */
export function fakeRecords(): Records {
  const locks = new Locks();
  return {
    of: () => undefined,
    saw: () => false,
    spoil: () => undefined,
    forget: () => undefined,
    async lock(_, key) {
      const release = await locks.acquire(key);
      return { kept: undefined, now: Date.now, note: async () => undefined, release };
    },
  };
}
