import { type ApprovalBook, isOpen, REMEMBERED, type Wanted } from '../guard/approvals.ts';
import type { ApprovalStatus, KeptApproval } from '../model/approval.ts';
import type { Database } from './database.ts';

interface Row {
  approval: KeptApproval;
  requestedAt: Date;
  expiresAt: Date;
  /** By the database's clock. */
  isOver: boolean;
}

/** Approvals that a list has, the newest. */
const MOST_LISTED = 1000;
const COLUMNS = `approval, requested_at AS "requestedAt", expires_at AS "expiresAt", expires_at <= now() AS "isOver"`;
const OPEN = `status IN ('pending', 'approved') AND expires_at > now()`;

/** Approvals that all gates of a service share. */
export class PgApprovals implements ApprovalBook {
  readonly #database: Pick<Database, 'query'>;
  readonly #service: string;

  /** @param service origin of the target */
  constructor(database: Pick<Database, 'query'>, service: string) {
    this.#database = database;
    this.#service = service;
  }

  /** Those that nobody remembers go meanwhile. */
  async add(approval: KeptApproval, lifetime: number): Promise<KeptApproval> {
    const { token, request, body, state, record } = approval.marks;
    const [added] = await this.#ask(
      `WITH gone AS (DELETE FROM patchgate_approval WHERE service = $1 AND expires_at < now() - $9 * interval '1 ms')
       INSERT INTO patchgate_approval (service, id, token, request, body, state, record, approval, status, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $10, 'pending', now() + $8 * interval '1 ms')
       RETURNING ${COLUMNS}`,
      ...[approval.id, token, request, body, state, record],
      ...[lifetime, REMEMBERED * lifetime, JSON.stringify(approval)],
    );
    return added as KeptApproval;
  }

  async find(wanted: Wanted): Promise<KeptApproval | undefined> {
    const marks = Object.entries(wanted);
    const fits = marks.map(([column], index) => `${column} = $${index + 2}`).join(' AND ');
    const [found] = await this.#ask(
      `SELECT ${COLUMNS} FROM patchgate_approval WHERE service = $1 AND ${fits} ORDER BY requested_at DESC LIMIT 1`,
      ...marks.map(([, value]) => value),
    );
    return found;
  }

  async change(
    id: string,
    from: readonly ApprovalStatus[],
    changes: Partial<KeptApproval>,
  ): Promise<KeptApproval | undefined> {
    const before = await this.find({ id });
    if (!before || !from.includes(before.status)) return undefined;
    const [changed] = await this.#ask(
      `UPDATE patchgate_approval SET approval = $3, status = $4
       WHERE service = $1 AND id = $2 AND status = $5 AND ${OPEN} RETURNING ${COLUMNS}`,
      ...[id, JSON.stringify({ ...before, ...changes }), changes.status ?? before.status, before.status],
    );
    return changed;
  }

  async endOthers(record: string, state: string, reason: string): Promise<KeptApproval[]> {
    const others = await this.#ask(
      `SELECT ${COLUMNS} FROM patchgate_approval WHERE service = $1 AND record = $2 AND state <> $3 AND ${OPEN}`,
      ...[record, state],
    );
    const ended: KeptApproval[] = [];
    for (const { id, status } of others) {
      const one = await this.change(id, [status], { status: 'expired', reason });
      if (one) ended.push(one);
    }
    return ended;
  }

  list(): Promise<KeptApproval[]> {
    return this.#ask(
      `SELECT ${COLUMNS} FROM patchgate_approval WHERE service = $1 ORDER BY requested_at DESC, id LIMIT ${MOST_LISTED}`,
    );
  }

  async #ask(text: string, ...values: unknown[]): Promise<KeptApproval[]> {
    const rows = await this.#database.query<Row>(text, [this.#service, ...values]);
    return rows.map(({ approval, requestedAt, expiresAt, isOver }) => ({
      ...approval,
      requestedAt: requestedAt.toISOString(),
      expiresAt: expiresAt.toISOString(),
      ...(isOver && isOpen(approval) && { status: 'expired' as const }),
    }));
  }
}
