import type { ApprovalStatus, KeptApproval } from '../model/approval.ts';
import { type ApprovalBook, type Changes, isOpen, REMEMBERED, type Wanted } from './approvals.ts';

/** Approvals that are kept at a time: the oldest goes first. */
const MOST = 1000;

/** Approvals in memory, and in the state file if there is one. */
export class FileApprovals implements ApprovalBook {
  /** @param all by id, in the order of coming: changed in place. @param saved writes them; they are on disk when it resolves */
  constructor(
    private readonly all = new Map<string, KeptApproval>(),
    private readonly saved = async (): Promise<void> => undefined,
  ) {}

  async add(approval: KeptApproval, lifetime: number): Promise<KeptApproval> {
    const now = Date.now();
    for (const { id, expiresAt } of this.all.values())
      if (this.all.size >= MOST || Date.parse(expiresAt) < now - REMEMBERED * lifetime) this.all.delete(id);
    const [requestedAt, expiresAt] = [now, now + lifetime].map((time) => new Date(time).toISOString());
    const kept = { ...approval, requestedAt, expiresAt } as KeptApproval;
    this.all.set(kept.id, kept);
    // A notice tells that it is not on disk: the PATCH is blocked all the same.
    await this.saved().catch(() => undefined);
    return kept;
  }

  async find(wanted: Wanted): Promise<KeptApproval | undefined> {
    const marks = Object.entries(wanted);
    const fits = (one: KeptApproval) =>
      marks.every(([name, value]) => ({ ...one.marks, id: one.id })[name as 'id'] === value);
    return (await this.list()).find(fits);
  }

  async change(id: string, from: readonly ApprovalStatus[], changes: Changes) {
    const before = this.all.get(id);
    if (!before || !from.includes(asOfNow(before).status)) return undefined;
    const changed = { ...before, ...changes };
    this.all.set(id, changed);
    // What is not on disk has not happened: a token is not used up, and nobody has decided.
    await this.saved().catch((error) => {
      if (this.all.get(id) === changed) this.all.set(id, before);
      throw error;
    });
    return changed;
  }

  async endOthers(record: string, state: () => string, reason: string): Promise<KeptApproval[]> {
    const open = [...this.all.values()].filter((one) => one.marks.record === record && isOpen(asOfNow(one)));
    const now = open.length > 0 ? state() : '';
    const others = open.filter((one) => one.marks.state !== now);
    const ended = others.map((one) => ({ ...one, status: 'expired' as const, reason }));
    for (const one of ended) this.all.set(one.id, one);
    if (ended.length > 0) await this.saved().catch(() => undefined);
    return ended;
  }

  async list(): Promise<KeptApproval[]> {
    return [...this.all.values()].reverse().map(asOfNow);
  }
}

function asOfNow(approval: KeptApproval): KeptApproval {
  const isOver = isOpen(approval) && Date.parse(approval.expiresAt) < Date.now();
  return isOver ? { ...approval, status: 'expired' } : approval;
}
