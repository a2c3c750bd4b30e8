import type { ApprovalStatus, KeptApproval } from '../model/approval.ts';
import { type ApprovalBook, isOpen, REMEMBERED, type Wanted } from './approvals.ts';

/** Approvals that are kept at a time: the oldest goes first. */
const MOST = 1000;

/** Approvals in memory, and in the state file where there is one. */
export class FileApprovals implements ApprovalBook {
  readonly #all: Record<string, KeptApproval>;
  readonly #saved: () => Promise<void>;

  /** @param all by id, in the order of coming: changed in place. @param saved writes them; they are on disk when it resolves */
  constructor(all: Record<string, KeptApproval> = {}, saved: () => Promise<void> = async () => undefined) {
    this.#all = all;
    this.#saved = saved;
  }

  async add(approval: KeptApproval, lifetime: number): Promise<KeptApproval> {
    const now = Date.now();
    const forgotten = now - REMEMBERED * lifetime;
    for (const [index, { id, expiresAt }] of Object.values(this.#all).reverse().entries())
      if (index >= MOST - 1 || Date.parse(expiresAt) < forgotten) delete this.#all[id];
    const [requestedAt, expiresAt] = [now, now + lifetime].map((time) => new Date(time).toISOString());
    const kept = { ...approval, requestedAt, expiresAt } as KeptApproval;
    this.#all[approval.id] = kept;
    // A notice tells that it is not on disk: the PATCH is blocked all the same.
    await this.#saved().catch(() => undefined);
    return kept;
  }

  async find(wanted: Wanted): Promise<KeptApproval | undefined> {
    return (await this.list()).find((one) => fits(one, wanted));
  }

  async change(
    id: string,
    from: readonly ApprovalStatus[],
    changes: Partial<KeptApproval>,
  ): Promise<KeptApproval | undefined> {
    const before = this.#all[id];
    if (!before || !from.includes(asOfNow(before).status)) return undefined;
    const changed = { ...before, ...changes };
    this.#all[id] = changed;
    await this.#saved();
    return changed;
  }

  async endOthers(record: string, state: string, reason: string): Promise<KeptApproval[]> {
    const ended: KeptApproval[] = [];
    for (const one of Object.values(this.#all)) {
      if (one.marks.record !== record || one.marks.state === state || !isOpen(asOfNow(one))) continue;
      const over = { ...one, status: 'expired' as const, reason };
      this.#all[one.id] = over;
      ended.push(over);
    }
    if (ended.length > 0) await this.#saved().catch(() => undefined);
    return ended;
  }

  async list(): Promise<KeptApproval[]> {
    return Object.values(this.#all).reverse().map(asOfNow);
  }
}

function fits({ id, marks }: KeptApproval, wanted: Wanted): boolean {
  if ('id' in wanted) return wanted.id === id;
  if ('token' in wanted) return wanted.token === marks.token;
  return wanted.request === marks.request && wanted.body === marks.body && wanted.state === marks.state;
}

function asOfNow(approval: KeptApproval): KeptApproval {
  const isOver = isOpen(approval) && Date.parse(approval.expiresAt) < Date.now();
  return isOver ? { ...approval, status: 'expired' } : approval;
}
