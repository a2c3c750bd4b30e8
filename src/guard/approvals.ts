import { createHash, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { PatchgateError } from '../errors.ts';
import { header, isOverride, type RequestHead } from '../http/http.ts';
import type { Approval, ApprovalMarks, ApprovalStatus, Decision, KeptApproval } from '../model/approval.ts';
import type { Known } from '../model/record.ts';
import { DEFAULT_REDACTION, type Redaction } from '../recordings/redact/redaction.ts';
import { environmentsOf, languagesOf } from '../state/project.ts';
import { hideRecord } from './kept.ts';

/** The request header that allows what was blocked. Never forwarded, kept or shown. */
export const APPROVE_HEADER = 'Patchgate-Approve';

/** The very request, and what it was judged by. */
export interface Subject extends RequestHead {
  /** The bytes as sent. */
  body: Uint8Array;
  /** The same after a restart. */
  session: string;
  /** `recordKey` of what it changes, with the session if each has its own. */
  record: string;
  known: Known | undefined;
}

/** What an approval shows of its request. */
export type About = Omit<
  Approval,
  'id' | 'status' | 'requestedAt' | 'expiresAt' | 'decidedAt' | 'decidedBy' | 'reason'
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

export interface Decided {
  decision: Decision;
  reason?: string | undefined;
}

/** Which approvals are meant: one by its id or its token, or those of one request. */
export type Wanted = { id: string } | { token: string } | Pick<ApprovalMarks, 'request' | 'body' | 'state'>;

/** What becomes of one. */
export type Changes = Pick<KeptApproval, 'status' | 'decidedAt' | 'decidedBy' | 'reason'>;

/** Keeps approvals. Those past their time are `expired` in all its answers. Rejects with `store-unavailable`, `cannot-write`. */
export interface ApprovalBook {
  /** @returns how it is kept: it begins now and ends after `lifetime` milliseconds, by the book's clock */
  add(approval: KeptApproval, lifetime: number): Promise<KeptApproval>;
  /** The newest that fits. */
  find(wanted: Wanted): Promise<KeptApproval | undefined>;
  /** Changes one if its status still is one of these, and it has not expired. Kept when it resolves. @returns undefined: it is not */
  change(id: string, from: readonly ApprovalStatus[], changes: Changes): Promise<KeptApproval | undefined>;
  /** Ends those of a record that are open and of another state than this. @returns them */
  endOthers(record: string, state: () => string, reason: string): Promise<KeptApproval[]>;
  /** The newest first. */
  list(): Promise<KeptApproval[]>;
}

interface ApprovalsOptions {
  book: ApprovalBook;
  /** Milliseconds that a token may be used. */
  lifetime: number;
  /** Names of those who may decide; undefined: a token works at once. */
  approvers?: ReadonlySet<string> | undefined;
  /** A record counts as the same before and after a restart, which knows no secrets. */
  redaction?: Redaction;
}

/** How long, in lifetimes, a book remembers what became of one. */
export const REMEMBERED = 5;
const OPEN: readonly ApprovalStatus[] = ['pending', 'approved'];

export function isOpen({ status }: Pick<Approval, 'status'>): boolean {
  return OPEN.includes(status);
}

/**
 * Questions for a yes, each for one request as it was judged: for its bytes, its record and what was known of that. Its token is made
 * from the request and a random salt, so that the same request gets it again and the book does not hold it.
 */
export class Approvals {
  readonly counts = { given: 0, used: 0 };
  readonly #listeners = new Set<(approval: Approval) => void>();
  /** Those of this run, by the ids of their approvals. */
  readonly #exchanges = new LRUCache<string, number>({ max: 1000 });

  constructor(private readonly options: ApprovalsOptions) {}

  /** Whether a token works only after an approver has approved it. */
  get needApprover(): boolean {
    return this.options.approvers !== undefined;
  }

  /** The open approval of the very request, or a new pending one. */
  async issue(subject: Subject, about: About): Promise<{ id: string; token: string }> {
    const { book, lifetime } = this.options;
    const own = this.#marksOf(subject);
    const found = await book.find(own);
    if (found && isOpen(found)) return { id: found.id, token: this.#tokenOf(subject, found.marks.salt) };
    const salt = randomBytes(18).toString('base64url');
    const token = this.#tokenOf(subject, salt);
    const marks = { ...own, salt, token: hashOf(token), record: subject.record };
    const { exchange, ...shown } = about;
    const id = randomBytes(4).toString('hex');
    if (exchange !== undefined) this.#exchanges.set(id, exchange);
    const times = { requestedAt: '', expiresAt: '' };
    this.#tell(await book.add({ id, status: 'pending', ...times, ...shown, marks }, lifetime));
    this.counts.given++;
    return { id, token };
  }

  /** The approval of a token, or why that approves nothing of this request. */
  async find(token: string, subject: Subject): Promise<{ id: string } | Refusal> {
    const kept = await this.options.book.find({ token: hashOf(token) });
    if (!kept)
      return { refused: 'the approval is not known: it is mistyped, or from another run', isUnknown: true };
    const { id, status, reason, decidedBy } = this.#shown(kept);
    const { request, body, state } = this.#marksOf(subject);
    if (kept.marks.request !== request) return { refused: 'the approval is for another request' };
    if (kept.marks.body !== body) return { refused: 'the approval is for another body' };
    if (status === 'declined')
      return { refused: `the approval ${id} was declined${byWhom(decidedBy, reason)}`, isDeclined: true };
    if (status === 'used') return { refused: 'the approval was used already' };
    if (kept.marks.state !== state) return { refused: 'the record has changed since the approval was given' };
    if (status === 'expired') return { refused: 'the approval has expired' };
    if (status === 'pending' && this.needApprover)
      return { refused: `no approver has approved ${id} yet`, pending: id };
    return { id };
  }

  /** The same, and uses it up: no restart and no other gate takes the token for valid. */
  async use(token: string, subject: Subject): Promise<{ id: string } | Refusal> {
    const { book, approvers } = this.options;
    const found = await this.find(token, subject);
    if ('refused' in found) return found;
    const used = await book.change(found.id, approvers ? ['approved'] : OPEN, { status: 'used' });
    if (!used) {
      const now = await this.find(token, subject);
      return 'refused' in now ? now : { refused: 'the approval was used already' };
    }
    this.#tell(used);
    this.counts.used++;
    return found;
  }

  /**
   * Says yes or no to a pending one.
   *
   * @param by name of the approver
   * @throws PatchgateError `not-allowed` if approvers are given and `by` is not one of them; `not-found`; `not-pending`
   */
  async decide(id: string, { decision, reason }: Decided, by?: string): Promise<Approval> {
    const { book, approvers } = this.options;
    if (approvers && (by === undefined || !approvers.has(by)))
      throw new PatchgateError('not-allowed', 'only an approver may do that here', {
        hint: 'send the token of an approver in the header Authorization, behind "Bearer"',
      });
    const kept = await this.#kept(id);
    if (!kept) throw noApproval(id);
    if (this.#shown(kept).status === 'pending') {
      const status = decision === 'approve' ? 'approved' : 'declined';
      const decidedAt = new Date().toISOString();
      const changed = await book.change(id, [kept.status], { status, decidedAt, decidedBy: by, reason });
      if (changed) return this.#tell(changed);
    }
    const now = this.#shown((await this.#kept(id)) ?? kept);
    const same = decision === 'decline' ? ['declined'] : ['approved', 'used'];
    if (same.includes(now.status) && now.decidedAt !== undefined && now.decidedBy === by) return now;
    const why = byWhom(now.decidedBy, now.status === 'expired' ? now.reason : undefined);
    throw new PatchgateError('not-pending', `the approval ${id} is not pending: it was ${now.status}${why}`, {
      hint: 'send the PATCH again: its 409 has a new one',
      details: { approval: id, approvalStatus: now.status },
    });
  }

  /** A record is known anew: approvals of another state of it end. */
  async seen(record: string, known: Known | undefined): Promise<void> {
    const why = 'the record has changed since it was asked';
    for (const one of await this.options.book.endOthers(record, () => this.#hashOfState(known), why))
      this.#tell(one);
  }

  async get(id: string): Promise<Approval | undefined> {
    const kept = await this.#kept(id);
    return kept && this.#shown(kept);
  }

  async list(filter: { limit?: number | undefined; status?: ApprovalStatus } = {}): Promise<Approval[]> {
    const all = (await this.options.book.list()).map((kept) => this.#shown(kept));
    return all.filter(({ status }) => status === (filter.status ?? status)).slice(0, filter.limit);
  }

  /** Told of each that is made or changes here; `expiresAt` says when one expires. The function returned ends that. */
  subscribe(listener: (approval: Approval) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #kept(id: string): Promise<KeptApproval | undefined> {
    return /^[\da-f]{8}$/.test(id) ? this.options.book.find({ id }) : undefined;
  }

  #tell(kept: KeptApproval): Approval {
    const shown = this.#shown(kept);
    for (const listener of this.#listeners) listener(shown);
    return shown;
  }

  #marksOf(subject: Subject): Pick<ApprovalMarks, 'request' | 'body' | 'state'> {
    const [request = '', ...body] = partsOf(subject);
    return { request: hashOf(request), body: hashOf(...body), state: this.#hashOfState(subject.known) };
  }

  #tokenOf(subject: Subject, salt: string): string {
    return hashOf(salt, ...partsOf(subject), this.#hashOfState(subject.known)).slice(0, 24);
  }

  /** Of the environments and languages that are known, in any order. */
  #hashOfState(known: Known | undefined): string {
    if (!known) return hashOf('');
    const record = hideRecord(known.record, this.options.redaction ?? DEFAULT_REDACTION);
    // One that was renamed has its last name.
    const current = new Map(environmentsOf(record).map((one) => [one.id, one]));
    const environments = Array.from(current.values(), (one) =>
      JSON.stringify([one.id, one.name, one.isEnabled]),
    );
    const lists = [environments.sort(), [...languagesOf(record)].sort()];
    return hashOf(`${known.isWhole} ${JSON.stringify(lists)}`);
  }

  /** Who may not decide here is no approver any more: then it is as if nobody had approved it. */
  #shown({ marks: _, ...kept }: KeptApproval): Approval {
    const { approvers } = this.options;
    const exchange = this.#exchanges.get(kept.id);
    const shown: Approval = exchange === undefined ? kept : { ...kept, exchange };
    if (shown.status !== 'approved' || !approvers || approvers.has(shown.decidedBy ?? '')) return shown;
    return { ...shown, status: 'pending', decidedAt: undefined, decidedBy: undefined, reason: undefined };
  }
}

/** ` by anna: not today` */
function byWhom(name: string | undefined, reason: string | undefined): string {
  return `${name === undefined ? '' : ` by ${name}`}${reason === undefined ? '' : `: ${reason}`}`;
}

export function noApproval(id: string): PatchgateError {
  return new PatchgateError('not-found', `there is no approval ${id.slice(0, 100)}`, {
    hint: 'GET /__patchgate/approvals lists those that there are',
  });
}

/** An approval is for the request, and for its body with the headers that say what that is, and what it is to do. */
function partsOf({ method, url, session, body, headers }: Subject): (string | Uint8Array)[] {
  const content = ['content-type', 'content-encoding'].map((name) => header(headers, name) ?? '');
  const overrides = headers.filter((_, i) => isOverride(headers[i - (i % 2)] as string));
  return [`${method} ${url} ${session}`, body, ...content, ...overrides];
}

function hashOf(...parts: (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(String(part.length)).update(' ').update(part).update('\0');
  return hash.digest('base64url');
}
