import { createHash, randomBytes, randomInt } from 'node:crypto';
import { PatchgateError } from '../errors.ts';
import { header, type RawHeaders } from '../http/http.ts';
import { isObject, type JsonValue } from '../json/json.ts';
import type { Approval, ApprovalMarks, ApprovalStatus, Decision, KeptApproval } from '../model/approval.ts';
import type { Known } from '../model/record.ts';

/** The request header that allows what was blocked. Never forwarded, kept or shown. */
export const APPROVE_HEADER = 'Patchgate-Approve';

/** The very request, and what it was judged against. */
export interface Subject {
  method: string;
  url: string;
  /** The bytes as sent. */
  body: Uint8Array;
  headers: RawHeaders;
  /** The same after a restart, where what is known is. */
  session: string;
  /** As it is kept: a restart knows no more of it. */
  known: Known | undefined;
  /** The same by now; undefined where it is not known for sure. */
  knownNow?(): Known | undefined;
}

/** What an approval shows of its request. */
export type About = Omit<
  Approval,
  'id' | 'status' | 'held' | 'requestedAt' | 'expiresAt' | 'decidedAt' | 'decidedBy' | 'reason'
>;

/** Why a token approves nothing. */
export interface Refusal {
  refused: string;
  /** The token was never given out, or too long ago. */
  isUnknown?: true;
  /** Id of the approval: once an approver has approved it, the same token lets the request pass. */
  pending?: string;
  isDeclined?: true;
}

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
  /** From then on it has expired, by `performance.now()`; a held one does not expire. */
  deadline: number;
  /** Characters that it takes, about. */
  size: number;
}

/** Approvals that are kept at a time, and the characters that they take. The oldest goes first. */
const MOST_APPROVALS = 10_000;
const MOST_SIZE = 32 * 1024 * 1024;
/** How long, in lifetimes, it is remembered what became of one that has expired. */
const REMEMBERED = 5;
/** Characters of an id: no two look alike. */
const ID_LETTERS = '23456789abcdefghjkmnpqrstuvwxyz';
const ID_LENGTH = 8;

/** Questions for a yes, each with a random token for one request as it was judged: for its bytes, its record and what was known of that. */
export class Approvals {
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

  /** Whether a token works only after an approver has approved it. */
  get needApprover(): boolean {
    return this.#approvers !== undefined;
  }

  /** Makes a pending one. @param hold milliseconds that its request is held; undefined: it is answered */
  issue(
    subject: Subject,
    about: About,
    hold?: number,
    now = performance.now(),
  ): { id: string; token: string } {
    this.#makeRoom(now);
    const token = randomBytes(18).toString('base64url');
    const id = this.#freeId();
    const at = Date.now();
    const shown: Approval = {
      id,
      status: 'pending',
      held: hold !== undefined,
      requestedAt: new Date(at).toISOString(),
      expiresAt: new Date(at + (hold ?? this.#lifetime)).toISOString(),
      ...about,
    };
    const deadline = hold === undefined ? now + this.#lifetime : Number.POSITIVE_INFINITY;
    const marks = { token: hashOf(token), ...marksOf(subject) };
    const { knownNow } = subject;
    const isStale = () => {
      const known = knownNow?.();
      return known !== undefined && hashOfState(known) !== marks.state;
    };
    const entry = this.#add(shown, marks, deadline, isStale);
    this.#changed(entry);
    return { id, token };
  }

  /** Undefined where the token approves of the request. */
  whyNot(token: string, subject: Subject, now = performance.now()): Refusal | undefined {
    const entry = this.#byToken.get(hashOf(token));
    if (!entry)
      return { refused: 'the approval is not known: it is mistyped, or from another run', isUnknown: true };
    const { id, reason, decidedBy } = entry.shown;
    const { request, body, state } = marksOf(subject);
    if (entry.marks.request !== request) return { refused: 'the approval is for another request' };
    if (entry.marks.body !== body) return { refused: 'the approval is for another body' };
    const status = statusOf(entry, now);
    if (status === 'declined') {
      const by = decidedBy === undefined ? '' : ` by ${decidedBy}`;
      const why = reason === undefined ? '' : `: ${reason}`;
      return { refused: `the approval ${id} was declined${by}${why}`, isDeclined: true };
    }
    if (status === 'used') return { refused: 'the approval was used already' };
    if (entry.marks.state !== state)
      return { refused: 'the record has changed since the approval was given' };
    if (status === 'expired' || status === 'withdrawn') return { refused: 'the approval has expired' };
    if (status === 'pending' && this.#approvers)
      return { refused: `no approver has approved ${id} yet`, pending: id };
    return undefined;
  }

  /**
   * It is not valid any more, and no restart takes it for valid.
   *
   * @returns its id, or why it was not used: that is not on disk
   */
  use(token: string): { id: string } | Refusal {
    const entry = this.#byToken.get(hashOf(token)) as Entry;
    entry.shown.status = 'used';
    entry.shown.held = false;
    if (this.#changed(entry)) return { id: entry.shown.id };
    return { refused: 'the approval cannot be used: it could not be written down that it was' };
  }

  /**
   * Says yes or no to a pending one.
   *
   * @param by name of the approver
   * @throws PatchgateError `not-allowed` where approvers are given and `by` is not one of them; `not-found`; `not-pending`, and
   *   then it is over where the record has changed since it was asked
   */
  decide(
    id: string,
    { decision, reason }: { decision: Decision; reason?: string | undefined },
    by?: string | undefined,
    now = performance.now(),
  ): { approval: Approval; isNew: boolean } {
    if (this.#approvers && (by === undefined || !this.#approvers.has(by))) throw notAnApprover();
    const entry = this.#byId.get(id);
    if (!entry) throw noApproval(id);
    const { shown } = entry;
    const status = statusOf(entry, now);
    if (isDecided(shown, status, decision) && shown.decidedBy === by)
      return { approval: shownAt(entry, now), isNew: false };
    if (status !== 'pending') {
      const who = shown.decidedBy === undefined ? '' : ` by ${shown.decidedBy}`;
      throw new PatchgateError('not-pending', `the approval ${id} is not pending: it was ${status}${who}`, {
        hint: 'send the PATCH again: its 409 has a new one',
        details: { approval: id, approvalStatus: status },
      });
    }
    if (decision === 'approve' && entry.isStale()) {
      shown.status = 'expired';
      shown.reason = 'the record has changed since it was asked';
      this.#changed(entry);
      throw new PatchgateError('not-pending', `the approval ${id} is of no use: ${shown.reason}`, {
        hint: 'the PATCH must be sent again: its 409 has a new one',
        details: { approval: id, approvalStatus: shown.status },
      });
    }
    shown.status = decision === 'approve' ? 'approved' : 'declined';
    shown.decidedAt = new Date().toISOString();
    shown.decidedBy = by;
    shown.reason = reason;
    this.#changed(entry);
    return { approval: shownAt(entry, now), isNew: true };
  }

  /** The request of a held one is answered with its token, which may be used from now on. */
  answered(id: string, now = performance.now()): void {
    const entry = this.#byId.get(id);
    if (!entry) return;
    entry.shown.held = false;
    entry.shown.expiresAt = new Date(Date.now() + this.#lifetime).toISOString();
    entry.deadline = now + this.#lifetime;
    this.#changed(entry);
  }

  /** Of a held one, whose token no client has: it is of no use any more, unless it was used. */
  end(id: string, status: 'withdrawn' | 'expired', now = performance.now()): void {
    const entry = this.#byId.get(id);
    if (!entry) return;
    entry.shown.held = false;
    if (entry.shown.status === 'pending' || entry.shown.status === 'approved') entry.shown.status = status;
    entry.deadline = now + this.#lifetime;
    this.#changed(entry);
  }

  get(id: string, now = performance.now()): Approval | undefined {
    const entry = this.#byId.get(id);
    return entry && shownAt(entry, now);
  }

  /** Newest first. */
  list({
    limit,
    status,
  }: {
    limit?: number | undefined;
    status?: ApprovalStatus | undefined;
  } = {}): Approval[] {
    const now = performance.now();
    const all = [...this.#byId.values()].reverse().map((entry) => shownAt(entry, now));
    return all.filter((one) => one.status === (status ?? one.status)).slice(0, limit);
  }

  /** Told of each that is made or changes; not that one expires, which its `expiresAt` says. The function returned ends that. */
  subscribe(listener: (approval: Approval) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The time that is left has counted on. The client of a held one is gone. */
  #restore(kept: Iterable<KeptApproval>): void {
    const now = performance.now();
    for (const { marks, ...shown } of kept) {
      const left = Date.parse(shown.expiresAt) - Date.now();
      const deadline = left > 0 ? now + Math.min(left, this.#lifetime) : Number.NEGATIVE_INFINITY;
      const isByAnother = this.#approvers && !this.#approvers.has(shown.decidedBy ?? '');
      if (shown.status === 'approved' && isByAnother) {
        shown.status = 'pending';
        shown.decidedAt = shown.decidedBy = shown.reason = undefined;
      }
      this.#makeRoom(now);
      this.#add(shown, marks, deadline);
      if (shown.held) this.end(shown.id, 'withdrawn', now);
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

  /** The oldest go first, but those that are held. */
  #makeRoom(now: number): void {
    for (const [id, { shown, marks, deadline, size }] of this.#byId) {
      const isFull = this.#byId.size >= MOST_APPROVALS || this.#size > MOST_SIZE;
      if (!isFull && now - deadline <= REMEMBERED * this.#lifetime) break;
      if (shown.held) continue;
      this.#byId.delete(id);
      this.#byToken.delete(marks.token);
      this.#size -= size;
      this.#store?.forget(id);
    }
  }

  #freeId(): string {
    let id: string;
    do id = Array.from({ length: ID_LENGTH }, () => ID_LETTERS[randomInt(ID_LETTERS.length)]).join('');
    while (this.#byId.has(id));
    return id;
  }
}

export function noApproval(id: string): PatchgateError {
  return new PatchgateError('not-found', `there is no approval ${id.slice(0, 100)}`, {
    hint: 'GET /__patchgate/approvals lists those that there are',
  });
}

export function notAnApprover(): PatchgateError {
  return new PatchgateError('not-allowed', 'only an approver may do that here', {
    hint: 'send Authorization: Bearer with the token of an approver',
  });
}

function statusOf({ shown, deadline }: Entry, now: number): ApprovalStatus {
  return isOpen(shown) && now > deadline ? 'expired' : shown.status;
}

function isOpen({ status }: Pick<Approval, 'status'>): boolean {
  return status === 'pending' || status === 'approved';
}

/** Whether the same was decided, and it still holds or did its work. */
function isDecided({ decidedAt }: Approval, status: ApprovalStatus, decision: Decision): boolean {
  if (decidedAt === undefined) return false;
  return decision === 'decline' ? status === 'declined' : status === 'approved' || status === 'used';
}

/** The exchange of a held one is not over. */
function shownAt(entry: Entry, now: number): Approval {
  const { exchange, ...shown } = entry.shown;
  const answered = exchange !== undefined && !shown.held ? { exchange } : {};
  return { ...shown, status: statusOf(entry, now), ...answered };
}

function marksOf({ method, url, body, headers, session, known }: Subject): Omit<ApprovalMarks, 'token'> {
  return {
    request: hashOf(`${method} ${url} ${session}`),
    body: hashOf(body, ...CONTENT.map((name) => header(headers, name) ?? '')),
    state: hashOfState(known),
  };
}

function hashOfState(known: Known | undefined): string {
  return hashOf(known ? `${known.isWhole} ${canonicalText(known.record)}` : '');
}

/** Headers that say what the bytes are. */
const CONTENT = ['content-type', 'content-encoding'] as const;

/**
 * The same text for what is known before and after a restart: members in the order of their names, items in that of their
 * texts. Since when an environment is only possible makes no difference.
 */
function canonicalText(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).sort().join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  const texts = members.map(([name, member]) =>
    name === 'possibleSince' ? '"possible"' : `${JSON.stringify(name)}:${canonicalText(member)}`,
  );
  return `{${texts.sort().join(',')}}`;
}

function hashOf(...parts: (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('base64url');
}
