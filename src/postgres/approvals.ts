import { type ApprovalBook, type Changes, REMEMBERED, type Wanted } from '../guard/approvals.ts';
import type { ApprovalStatus, KeptApproval } from '../model/approval.ts';
import type { Database } from './database.ts';

interface Row {
  asked: KeptApproval;
  status: ApprovalStatus;
  decided: Omit<Changes, 'status'> | null;
  requestedAt: Date;
  expiresAt: Date;
}

/** Approvals that a list has, the newest. */
const MOST_LISTED = 1000;
/** Of those that may be decided or used. */
export const OPEN = `status IN ('pending', 'approved') AND expires_at > now()`;
const COLUMNS = `asked, decided, requested_at AS "requestedAt", expires_at AS "expiresAt",
  CASE WHEN ${OPEN} OR status IN ('declined', 'used') THEN status ELSE 'expired' END AS status`;

/** Approvals that all gates of a service share. */
export class PgApprovals implements ApprovalBook {
  readonly #database: Pick<Database, 'query'>;
  readonly #service: string;
  readonly #patience: number | undefined;

  /** @param service URL of the target @param patience milliseconds that a statement may take */
  constructor(database: Pick<Database, 'query'>, service: string, patience?: number) {
    this.#database = database;
    this.#service = service;
    this.#patience = patience;
  }

  /** Those that nobody remembers go meanwhile. */
  async add(approval: KeptApproval, lifetime: number): Promise<KeptApproval> {
    const { token, request, body, state, record } = approval.marks;
    const [added] = await this.#ask(
      `WITH gone AS (DELETE FROM patchgate_approvals WHERE service = $1 AND expires_at < now() - $9 * interval '1 ms')
       INSERT INTO patchgate_approvals (service, id, token, request, body, state, record, asked, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $10, now() + $8 * interval '1 ms') RETURNING ${COLUMNS}`,
      ...[approval.id, token, request, body, state, record],
      ...[lifetime, REMEMBERED * lifetime, JSON.stringify(approval)],
    );
    return added as KeptApproval;
  }

  async find(wanted: Wanted): Promise<KeptApproval | undefined> {
    const marks = Object.entries(wanted);
    const fits = marks.map(([column], index) => `${column} = $${index + 2}`).join(' AND ');
    const [found] = await this.#ask(
      `SELECT ${COLUMNS} FROM patchgate_approvals WHERE service = $1 AND ${fits} ORDER BY requested_at DESC LIMIT 1`,
      ...marks.map(([, value]) => value),
    );
    return found;
  }

  async change(
    id: string,
    from: readonly ApprovalStatus[],
    { status, ...decided }: Changes,
  ): Promise<KeptApproval | undefined> {
    const [changed] = await this.#ask(
      `UPDATE patchgate_approvals SET status = $4, decided = coalesce($5::json, decided)
       WHERE service = $1 AND id = $2 AND status = ANY($3) AND ${OPEN} RETURNING ${COLUMNS}`,
      ...[id, from, status, decided.decidedAt === undefined ? null : JSON.stringify(decided)],
    );
    return changed;
  }

  endOthers(record: string, state: () => string, reason: string): Promise<KeptApproval[]> {
    return this.#ask(
      `UPDATE patchgate_approvals SET status = 'expired', decided = $4
       WHERE service = $1 AND record = $2 AND state <> $3 AND ${OPEN} RETURNING ${COLUMNS}`,
      ...[record, state(), JSON.stringify({ reason })],
    );
  }

  list(): Promise<KeptApproval[]> {
    return this.#ask(
      `SELECT ${COLUMNS} FROM patchgate_approvals WHERE service = $1 ORDER BY requested_at DESC, id LIMIT ${MOST_LISTED}`,
    );
  }

  async #ask(text: string, ...values: unknown[]): Promise<KeptApproval[]> {
    const rows = await this.#database.query<Row>(text, [this.#service, ...values], this.#patience);
    return rows.map(({ asked, status, decided, requestedAt, expiresAt }) => {
      const times = { requestedAt: requestedAt.toISOString(), expiresAt: expiresAt.toISOString() };
      return { ...asked, status, ...decided, ...times };
    });
  }
}
