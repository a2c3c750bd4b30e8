import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { hideKept, type Kept, withDeadlines } from '../guard/kept.ts';
import { type LockedRecord, Locks, MemoryRecords, type Records, seenFrom } from '../guard/records.ts';
import { type RecordName, recordKey } from '../model/record.ts';
import type { Redaction } from '../recordings/redact/redaction.ts';
import { OPEN } from './approvals.ts';
import { CONNECTIONS, type Database, type Held } from './database.ts';

interface PgRecordsOptions {
  database: Database;
  /** Origin of the target. */
  service: string;
  /** Milliseconds that a PATCH waits for the database's lock. */
  patience: number;
  /** Of what all gates read. */
  redaction: Redaction;
}

interface Row {
  kept: Kept | null;
  /** The database's clock: milliseconds since 1970. */
  now: number;
  hasOpenApprovals: boolean;
}

/** Locks may hold half of the pool: the other half writes under them. */
const MOST_LOCKS = CONNECTIONS / 2;

/**
 * Records of a fleet. The lock of a record is an advisory lock of a transaction that is open while a PATCH is on its way; each gate
 * queues the PATCHes of a record in memory, and only the head takes the database's lock.
 */
export class PgRecords implements Records {
  readonly #options: PgRecordsOptions;
  readonly #queues = new Locks();
  /** Records that answers have shown here, for requests that are judged at once. */
  readonly #memory = new MemoryRecords();
  #held = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(options: PgRecordsOptions) {
    this.#options = options;
  }

  of(name: RecordName): Kept | undefined {
    return this.#memory.of(name);
  }

  put(name: RecordName, kept: Kept): void {
    this.#memory.put(name, kept);
    // What was read stays here; that a record is deleted or may hold more is for all.
    if (kept.record && !kept.isPart) return;
    this.lock(name, recordKey(name))
      .then((locked) => locked.release(kept.record ? { ...kept, ...locked.kept, isPart: true } : kept))
      .catch(() => undefined);
  }

  async lock(name: RecordName, key: string): Promise<LockedRecord> {
    const { database, service, patience, redaction } = this.#options;
    const leave = await this.#queues.acquire(key);
    while (this.#held >= MOST_LOCKS) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#held++;
    const over = () => {
      this.#held--;
      this.#waiting.shift()?.();
      leave();
    };
    // One patience for all steps: a slow database may not take it for each.
    let left = patience;
    const within = async <T>(step: (most: number) => Promise<T>): Promise<T> => {
      const from = performance.now();
      return step(Math.max(1, Math.round(left))).finally(() => {
        left -= performance.now() - from;
      });
    };
    const about = [service, name.kind, name.id];
    const values = (kept: Kept) => [...about, JSON.stringify(kept)];
    let held: Held | undefined;
    try {
      const number = createHash('sha256').update(`${service} ${key}`).digest().readBigInt64BE();
      // A gate that stands still, or whose host is gone, holds nobody up for ever.
      const idle = `SET LOCAL idle_in_transaction_session_timeout = ${3 * patience}`;
      const lock = `SET LOCAL lock_timeout = ${patience}; ${idle}; SELECT pg_advisory_xact_lock(${number})`;
      held = await within((most) => database.begin(lock, most));
      const { query, commit } = held;
      const [row] = (await within((most) => query<Row>(READ, [...about, key], most))) as [Row];
      const skew = row.now - Date.now();
      const now = () => Date.now() + skew;
      let stored = seenFrom(name, row.kept ?? undefined);
      // What a GET has shown here alone may be newer; one that was deleted has no time.
      const shown = this.#memory.of(name);
      const isNewer = shown?.record && (!stored || (stored.seenAt ?? Infinity) < (shown.seenAt ?? 0));
      const { isPart, creating } = stored ?? {};
      const latest = isNewer ? { ...shown, isPart: shown.isPart || isPart, creating } : stored;
      return {
        kept: withDeadlines(latest, now()),
        now,
        hasOpenApprovals: row.hasOpenApprovals,
        // Committed by itself: it must be there when this gate dies.
        note: async (kept) => {
          const hidden = hideKept(kept, redaction);
          await within((most) => database.query(WRITE, values(hidden), most));
          stored = hidden;
        },
        confirm: () => within((most) => query('SELECT 1', [], most)),
        release: async (kept) => {
          if (kept) this.#memory.put(name, kept);
          const hidden = kept && hideKept(kept, redaction);
          // What cannot be written is noted as being created, and read anew.
          if (hidden && !isSame(stored, hidden)) await query(WRITE, values(hidden)).catch(() => undefined);
          await commit().catch(() => undefined);
          over();
        },
      };
    } catch (error) {
      await held?.rollback();
      over();
      throw error;
    }
  }
}

/** What a fleet remembers of a record. @param service undefined: of any, the one seen last */
export async function keptIn(
  { query }: Pick<Database, 'query'>,
  { kind, id }: RecordName,
  service: string | undefined,
): Promise<Kept | undefined> {
  const [row] = await query<Pick<Row, 'kept'>>(
    `SELECT kept FROM patchgate_records WHERE kind = $1 AND id = $2 AND ($3::text IS NULL OR service = $3)
     ORDER BY kept->>'seenAt' DESC NULLS LAST LIMIT 1`,
    [kind, id, service ?? null],
  );
  return row?.kept ?? undefined;
}

/** That it was seen again is no reason to write it. */
function isSame(stored: Kept | undefined, kept: Kept): boolean {
  const plain = (one: Kept | undefined): unknown => one && JSON.parse(JSON.stringify({ ...one, seenAt: 0 }));
  return isDeepStrictEqual(plain(stored), plain(kept));
}

const ROW = '(service, kind, id) = ($1, $2, $3)';
const READ = `
  SELECT (SELECT kept FROM patchgate_records WHERE ${ROW}) AS kept,
    (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now,
    EXISTS (SELECT FROM patchgate_approvals WHERE (service, record) = ($1, $4) AND ${OPEN}) AS "hasOpenApprovals"`;
const WRITE = `
  INSERT INTO patchgate_records (service, kind, id, kept) VALUES ($1, $2, $3, $4::json)
  ON CONFLICT (service, kind, id) DO UPDATE SET kept = excluded.kept`;
