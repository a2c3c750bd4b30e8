import type { Approval, ApprovalMarks, ApprovalStatus, KeptApproval } from '../model/approval.ts';
import {
  type About,
  type ApprovalFilter,
  type Approvals,
  type Decided,
  hashOf,
  isOpen,
  isStale,
  marksOf,
  NEVER_GIVEN,
  newId,
  newToken,
  noApproval,
  notAnApprover,
  ofNoUse,
  outcomeOf,
  REMEMBERED,
  type Refusal,
  refusalOf,
  type Subject,
  withoutOthers,
} from './approvals.ts';

/** Where approvals are kept for the next run. */
export interface ApprovalStore {
  /** Those of the run before, the oldest first. */
  readonly kept: Iterable<KeptApproval>;
  /** Keeps an approval as it is now. @returns false: a restart would know it as it was before */
  keep(approval: KeptApproval): boolean;
  /** There is no room for it any more. */
  forget(id: string): void;
}

interface ApprovalsOptions {
  /** Milliseconds that a token may be used. */
  lifetime: number;
  /** Names of those who may decide; undefined: a token works at once. */
  approvers?: ReadonlySet<string> | undefined;
  /** Absent: in memory alone. */
  store?: ApprovalStore | undefined;
}

interface Entry {
  shown: Approval;
  marks: ApprovalMarks;
  /** Whether the PATCH cannot pass by it any more, as far as that is known. */
  isStale(): boolean;
  /** From then on it has expired, by `performance.now()`. */
  deadline: number;
  /** Characters that it takes, about. */
  size: number;
}

/** Approvals that are kept at a time, and the characters that they take. The oldest goes first. */
const MOST_APPROVALS = 10_000;
const MOST_SIZE = 32 * 1024 * 1024;

/** Approvals of one gate, in its memory and in its state file. */
export class FileApprovals implements Approvals {
  readonly #lifetime: number;
  readonly #approvers: ReadonlySet<string> | undefined;
  readonly #store: ApprovalStore | undefined;
  /** In the order of coming. */
  readonly #byId = new Map<string, Entry>();
  /** By the token's hash. */
  readonly #byToken = new Map<string, Entry>();
  readonly #listeners = new Set<(approval: Approval) => void>();
  #size = 0;

  constructor({ lifetime, approvers, store }: ApprovalsOptions) {
    this.#lifetime = lifetime;
    this.#approvers = approvers;
    this.#store = store;
    if (store) this.#restore(store.kept);
  }

  get needApprover(): boolean {
    return this.#approvers !== undefined;
  }

  async issue(
    subject: Subject,
    about: About,
    now = performance.now(),
  ): Promise<{ id: string; token: string }> {
    this.#makeRoom(now);
    const token = newToken();
    const id = this.#freeId();
    const at = Date.now();
    const shown: Approval = {
      id,
      status: 'pending',
      requestedAt: new Date(at).toISOString(),
      expiresAt: new Date(at + this.#lifetime).toISOString(),
      ...about,
    };
    const deadline = now + this.#lifetime;
    const marks = { token: hashOf(token), ...marksOf(subject) };
    const { knownNow } = subject;
    this.#changed(this.#add(shown, marks, deadline, () => isStale(marks, knownNow)));
    return { id, token };
  }

  async whyNot(token: string, subject: Subject, now = performance.now()): Promise<Refusal | undefined> {
    return this.#refusal(token, subject, now);
  }

  /** @returns why it was not used, where that is not on disk */
  async use(token: string, subject: Subject, now = performance.now()): Promise<{ id: string } | Refusal> {
    const refusal = this.#refusal(token, subject, now);
    if (refusal) return refusal;
    const entry = this.#byToken.get(hashOf(token)) as Entry;
    entry.shown.status = 'used';
    if (this.#changed(entry)) return { id: entry.shown.id };
    return { refused: 'the approval cannot be used: it could not be written down that it was' };
  }

  async decide(
    id: string,
    decided: Decided,
    by?: string,
    now = performance.now(),
  ): Promise<{ approval: Approval; isNew: boolean }> {
    if (this.#approvers && (by === undefined || !this.#approvers.has(by))) throw notAnApprover();
    const entry = this.#byId.get(id);
    if (!entry) throw noApproval(id);
    const outcome = outcomeOf(shownAt(entry, now), decided, by, entry.isStale);
    if (!outcome) return { approval: shownAt(entry, now), isNew: false };
    Object.assign(entry.shown, outcome);
    this.#changed(entry);
    if (outcome.status === 'expired') throw ofNoUse(entry.shown);
    return { approval: shownAt(entry, now), isNew: true };
  }

  async get(id: string, now = performance.now()): Promise<Approval | undefined> {
    const entry = this.#byId.get(id);
    return entry && shownAt(entry, now);
  }

  async list({ limit, status }: ApprovalFilter = {}): Promise<Approval[]> {
    const now = performance.now();
    const all = [...this.#byId.values()].reverse().map((entry) => shownAt(entry, now));
    return all.filter((one) => one.status === (status ?? one.status)).slice(0, limit);
  }

  subscribe(listener: (approval: Approval) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #refusal(token: string, subject: Subject, now: number): Refusal | undefined {
    const entry = this.#byToken.get(hashOf(token));
    return entry ? refusalOf(shownAt(entry, now), entry.marks, subject, this.needApprover) : NEVER_GIVEN;
  }

  /** The time that is left has counted on. */
  #restore(kept: Iterable<KeptApproval>): void {
    const now = performance.now();
    for (const { marks, ...shown } of kept) {
      const left = Date.parse(shown.expiresAt) - Date.now();
      const deadline = left > 0 ? now + Math.min(left, this.#lifetime) : Number.NEGATIVE_INFINITY;
      this.#makeRoom(now);
      this.#add(withoutOthers(shown, this.#approvers), marks, deadline);
    }
  }

  #add(shown: Approval, marks: ApprovalMarks, deadline: number, isStale = () => false): Entry {
    const entry: Entry = { shown, marks, isStale, deadline, size: JSON.stringify(shown).length };
    this.#byId.set(shown.id, entry);
    this.#byToken.set(marks.token, entry);
    this.#size += entry.size;
    return entry;
  }

  /** @returns whether a restart knows it as it is now */
  #changed(entry: Entry): boolean {
    const { exchange: _, ...kept } = entry.shown;
    const isKept = this.#store?.keep({ ...kept, marks: entry.marks }) ?? true;
    if (this.#listeners.size > 0) {
      const shown = shownAt(entry, performance.now());
      for (const listener of this.#listeners) listener(shown);
    }
    return isKept;
  }

  /** The oldest go first. */
  #makeRoom(now: number): void {
    for (const [id, { marks, deadline, size }] of this.#byId) {
      const isFull = this.#byId.size >= MOST_APPROVALS || this.#size > MOST_SIZE;
      if (!isFull && now - deadline <= REMEMBERED * this.#lifetime) break;
      this.#byId.delete(id);
      this.#byToken.delete(marks.token);
      this.#size -= size;
      this.#store?.forget(id);
    }
  }

  #freeId(): string {
    let id = newId();
    while (this.#byId.has(id)) id = newId();
    return id;
  }
}

function statusOf({ shown, deadline }: Entry, now: number): ApprovalStatus {
  return isOpen(shown) && now > deadline ? 'expired' : shown.status;
}

function shownAt(entry: Entry, now: number): Approval {
  return { ...entry.shown, status: statusOf(entry, now) };
}
