import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { PatchgateError } from '../errors.ts';
import { Locks } from '../guard/locks.ts';
import {
  type Kept,
  type LockedRecord,
  MemoryRecords,
  type Records,
  withDeadlines,
} from '../guard/records.ts';
import type { JsonObject } from '../json/json.ts';
import type { Known, RecordName } from '../model/record.ts';
import { CONNECTIONS, type Database, type Held } from './database.ts';

interface PgRecordsOptions {
  database: Database;
  /** Origin of the target. */
  service: string;
  /** Milliseconds that a PATCH waits for the database's lock. */
  patience: number;
}

interface Row {
  kept: Kept | null;
  /** The database's clock: milliseconds since 1970. */
  now: number;
}

/** Locks may hold half of the pool: the other half is for what is written under them. */
const MOST_LOCKS = CONNECTIONS / 2;

/**
 * Records of a fleet. The lock of a record is an advisory lock of a transaction that is open while a PATCH is on its way; each gate
 * queues the PATCHes of a record in memory, and only the head takes the database's lock.
 */
export class PgRecords implements Records {
  readonly #options: PgRecordsOptions;
  readonly #queues = new Locks();
  /** What answers have shown here, for what is judged at once. */
  readonly #memory = new MemoryRecords();
  #held = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(options: PgRecordsOptions) {
    this.#options = options;
  }

  async lock(name: RecordName, key: string): Promise<LockedRecord> {
    const leave = await this.#queues.acquire(key);
    await this.#slot();
    const over = () => {
      this.#held--;
      this.#waiting.shift()?.();
      leave();
    };
    const { patience } = this.#options;
    const locking = this.#lockInDatabase(name, key);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(tooSlow(patience)), patience);
    });
    try {
      const { held, kept, skew } = await Promise.race([locking, late]);
      return this.#locked(name, held, kept, skew, over);
    } catch (error) {
      // The lock may come all the same, and nobody waits for it any more.
      locking.then(({ held }) => held.end()).catch(() => undefined);
      over();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  of(name: RecordName): Known | undefined {
    return this.#memory.of(name);
  }

  saw(name: RecordName, record: JsonObject): boolean {
    return this.#memory.saw(name, record);
  }

  spoil(name: RecordName): void {
    this.forget(name);
  }

  forget(name: RecordName): void {
    this.#memory.forget(name);
    this.#write(`DELETE FROM patchgate_record WHERE ${ROW}`, name);
  }

  async #slot(): Promise<void> {
    while (this.#held >= MOST_LOCKS) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#held++;
  }

  async #lockInDatabase(
    name: RecordName,
    key: string,
  ): Promise<{ held: Held; kept: Kept | undefined; skew: number }> {
    const { database, service, patience } = this.#options;
    const held = await database.hold(
      `SET LOCAL lock_timeout = ${patience}; SELECT pg_advisory_xact_lock(${lockNumber(`${service} ${key}`)})`,
    );
    try {
      const [row] = await held.query<Row>(READ, [service, name.kind, name.id]);
      const { kept, now } = row as Row;
      const isSame =
        !kept || [kept.account, name.account].includes('current') || kept.account === name.account;
      return { held, kept: isSame ? (kept ?? undefined) : undefined, skew: now - Date.now() };
    } catch (error) {
      await held.end();
      throw error;
    }
  }

  #locked(
    name: RecordName,
    held: Held,
    stored: Kept | undefined,
    skew: number,
    over: () => void,
  ): LockedRecord {
    const { database, service } = this.#options;
    const values = (kept: Kept) => [service, name.kind, name.id, JSON.stringify(kept)];
    const now = () => Date.now() + skew;
    const giveBack = async (kept: Kept | undefined) => {
      try {
        if (kept && !isSameKept(stored, kept)) await held.query(WRITE, values(kept));
      } finally {
        await held.end();
      }
    };
    let isReleased = false;
    return {
      kept: withDeadlines(stored, now()),
      now,
      // Committed by itself: it must be there when this gate dies.
      note: async (kept) => {
        await database.query(WRITE, values(kept));
        stored = kept;
      },
      confirm: async () => {
        await held.query('SELECT 1');
      },
      release: (kept) => {
        if (isReleased) return;
        isReleased = true;
        if (kept?.record) this.#memory.saw(name, kept.record);
        // What could not be written is noted as being created, and read anew.
        giveBack(kept)
          .catch(() => undefined)
          .finally(over);
      },
    };
  }

  /** Behind the answer: the database tells by itself that it is away. */
  #write(text: string, { kind, id }: RecordName): void {
    const { database, service } = this.#options;
    database.query(text, [service, kind, id]).catch(() => undefined);
  }
}

/** What a fleet remembers of a record. @param service undefined: of any, the one seen last */
export async function keptIn(
  database: Pick<Database, 'query'>,
  { kind, id }: RecordName,
  service: string | undefined,
): Promise<Kept | undefined> {
  const [row] = await database.query<Pick<Row, 'kept'>>(
    `SELECT kept FROM patchgate_record WHERE kind = $1 AND id = $2 AND ($3::text IS NULL OR service = $3)
     ORDER BY kept->>'seenAt' DESC NULLS LAST LIMIT 1`,
    [kind, id, service ?? null],
  );
  return row?.kept ?? undefined;
}

/** That it was seen again is no reason to write it. */
function isSameKept(stored: Kept | undefined, kept: Kept): boolean {
  return (
    stored !== undefined && isDeepStrictEqual({ ...plain(stored), seenAt: 0 }, { ...plain(kept), seenAt: 0 })
  );
}

function plain(kept: Kept): Kept {
  return JSON.parse(JSON.stringify(kept)) as Kept;
}

/** A number that stands for a key, as PostgreSQL takes one. */
function lockNumber(key: string): bigint {
  return createHash('sha256').update(key).digest().readBigInt64BE();
}

function tooSlow(patience: number): PatchgateError {
  return new PatchgateError(
    'store-unavailable',
    `the database gave no lock of the record within ${patience} ms: it is slow, or another gate has a PATCH of the record on its way`,
    { hint: 'nothing was sent: send it again' },
  );
}

const ROW = '(service, kind, id) = ($1, $2, $3)';
const READ = `
  SELECT (SELECT kept FROM patchgate_record WHERE ${ROW}) AS kept,
    (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now`;
const WRITE = `
  INSERT INTO patchgate_record (service, kind, id, kept) VALUES ($1, $2, $3, $4::json)
  ON CONFLICT (service, kind, id) DO UPDATE SET kept = excluded.kept`;
