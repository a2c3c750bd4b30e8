import { LRUCache } from 'lru-cache';
import {
  type About,
  type ApprovalFilter,
  type Approvals,
  type Decided,
  hashOf,
  isId,
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
} from '../guard/approvals.ts';
import type { Approval, ApprovalStatus, KeptApproval } from '../model/approval.ts';
import type { Database } from './database.ts';

interface PgApprovalsOptions {
  database: Database;
  /** Origin of the target. */
  service: string;
  /** Milliseconds that a token may be used. */
  lifetime: number;
  /** Names of those who may decide; undefined: a token works at once. */
  approvers?: ReadonlySet<string> | undefined;
}

interface Row {
  approval: KeptApproval;
  status: ApprovalStatus;
  decidedBy: string | null;
  version: number;
  requestedAt: Date;
  expiresAt: Date;
  /** By the database's clock. */
  isOver: boolean;
}

interface Own {
  exchange: number | undefined;
  knownNow: Subject['knownNow'];
}

const COLUMNS = `approval, status, decided_by AS "decidedBy", version, requested_at AS "requestedAt",
  expires_at AS "expiresAt", expires_at <= now() AS "isOver"`;
/** Placeholders of what each statement begins with. */
const OWN = 'namespace = $1 AND service = $2';
/** Approvals that a list has, the newest. */
const MOST_LISTED = 1000;
/** Own ones of which is known what no other gate knows. */
const MOST_OWN = 1000;

/** Approvals that all gates of a service share. The table is the truth: only what no other gate can know stands in memory. */
export class PgApprovals implements Approvals {
  readonly #options: PgApprovalsOptions;
  readonly #listeners = new Set<(approval: Approval) => void>();
  /** What was issued here. */
  readonly #own = new LRUCache<string, Own>({ max: MOST_OWN });

  constructor(options: PgApprovalsOptions) {
    this.#options = options;
  }

  get needApprover(): boolean {
    return this.#options.approvers !== undefined;
  }

  /** Those that nobody remembers go meanwhile. */
  async issue(subject: Subject, about: About): Promise<{ id: string; token: string }> {
    const { exchange, ...kept } = about;
    const { lifetime } = this.#options;
    const token = newToken();
    const marks = { token: hashOf(token), ...marksOf(subject) };
    for (;;) {
      const id = newId();
      const [row] = await this.#query(
        `WITH gone AS (
           DELETE FROM patchgate_approval WHERE ctid = ANY (ARRAY(
             SELECT ctid FROM patchgate_approval
             WHERE ${OWN} AND expires_at < now() - $7 * interval '1 millisecond'
             LIMIT 100 FOR UPDATE SKIP LOCKED)))
         INSERT INTO patchgate_approval (namespace, service, id, token, approval, status, expires_at)
         VALUES ($1, $2, $3, $4, $5, 'pending', now() + $6 * interval '1 millisecond')
         ON CONFLICT DO NOTHING
         RETURNING ${COLUMNS}`,
        id,
        marks.token,
        JSON.stringify({ id, ...kept, marks }),
        lifetime,
        REMEMBERED * lifetime,
      );
      // Another one has that id.
      if (!row) continue;
      this.#own.set(id, { exchange, knownNow: subject.knownNow });
      this.#tell(row);
      return { id, token };
    }
  }

  async whyNot(token: string, subject: Subject): Promise<Refusal | undefined> {
    const [row] = await this.#query(
      `SELECT ${COLUMNS} FROM patchgate_approval WHERE ${OWN} AND token = $3`,
      hashOf(token),
    );
    if (!row) return NEVER_GIVEN;
    return refusalOf(this.#shown(row), row.approval.marks, subject, this.needApprover);
  }

  async use(token: string, subject: Subject): Promise<{ id: string } | Refusal> {
    const { approvers } = this.#options;
    const used = await this.#change(
      `status = 'used', used_at = now()`,
      `token = $3 AND used_at IS NULL AND expires_at > now() AND CASE
         WHEN $4::text[] IS NULL THEN status IN ('pending', 'approved')
         ELSE status = 'approved' AND decided_by = ANY ($4)
       END`,
      hashOf(token),
      approvers ? [...approvers] : null,
    );
    if (used) return { id: used.id };
    return (await this.whyNot(token, subject)) ?? { refused: 'the approval was used already' };
  }

  async decide(id: string, decided: Decided, by?: string): Promise<{ approval: Approval; isNew: boolean }> {
    const { approvers } = this.#options;
    if (approvers && (by === undefined || !approvers.has(by))) throw notAnApprover();
    for (;;) {
      const row = await this.#row(id);
      if (!row) throw noApproval(id);
      const shown = this.#shown(row);
      const outcome = outcomeOf(shown, decided, by, () =>
        isStale(row.approval.marks, this.#own.get(id)?.knownNow),
      );
      if (!outcome) return { approval: shown, isNew: false };
      const approval = await this.#change(
        'status = $5, decided_by = $6, approval = $7',
        'id = $3 AND version = $4',
        id,
        row.version,
        outcome.status,
        outcome.decidedBy ?? null,
        JSON.stringify({ ...row.approval, ...outcome }),
      );
      // Something else became of it meanwhile.
      if (!approval) continue;
      if (outcome.status === 'expired') throw ofNoUse(approval);
      return { approval, isNew: true };
    }
  }

  async get(id: string): Promise<Approval | undefined> {
    const row = await this.#row(id);
    return row && this.#shown(row);
  }

  async list({ limit = MOST_LISTED, status }: ApprovalFilter = {}): Promise<Approval[]> {
    const rows = await this.#query(
      `SELECT ${COLUMNS} FROM patchgate_approval WHERE ${OWN} ORDER BY requested_at DESC, id LIMIT $3`,
      // What has expired shows only here.
      status === undefined ? Math.min(limit, MOST_LISTED) : MOST_LISTED,
    );
    const all = rows.map((row) => this.#shown(row));
    return all.filter((one) => one.status === (status ?? one.status)).slice(0, limit);
  }

  subscribe(listener: (approval: Approval) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #row(id: string): Promise<Row | undefined> {
    if (!isId(id)) return undefined;
    const [row] = await this.#query(`SELECT ${COLUMNS} FROM patchgate_approval WHERE ${OWN} AND id = $3`, id);
    return row;
  }

  /** Changes one, where it is as it must be. @returns how it is now; undefined: it was not so */
  async #change(set: string, where: string, ...values: unknown[]): Promise<Approval | undefined> {
    const [row] = await this.#query(
      `UPDATE patchgate_approval SET version = version + 1, ${set} WHERE ${OWN} AND ${where} RETURNING ${COLUMNS}`,
      ...values,
    );
    return row && this.#tell(row);
  }

  #query(text: string, ...values: unknown[]): Promise<Row[]> {
    const { database, service } = this.#options;
    return database.query<Row>(text, [database.namespace, service, ...values]);
  }

  #tell(row: Row): Approval {
    const shown = this.#shown(row);
    for (const listener of this.#listeners) listener(shown);
    return shown;
  }

  #shown({ approval, status, decidedBy, requestedAt, expiresAt, isOver }: Row): Approval {
    const { marks: _, ...about } = approval;
    const times = { requestedAt: requestedAt.toISOString(), expiresAt: expiresAt.toISOString() };
    const by = decidedBy ?? undefined;
    const shown = withoutOthers({ ...about, ...times, status, decidedBy: by }, this.#options.approvers);
    if (isOver && isOpen(shown)) return { ...shown, status: 'expired' };
    const exchange = this.#own.get(approval.id)?.exchange;
    return exchange === undefined ? shown : { ...shown, exchange };
  }
}
