import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';
import { messageOf, PatchgateError } from '../errors.ts';
import type { KnownStore, Lease, LeaseWanted } from '../guard/known-store.ts';
import type { JsonObject } from '../json/json.ts';
import type { Known, RecordKind, RecordName } from '../model/record.ts';
import { merged, sentRecord, withUnclear } from '../state/known.ts';
import { KnownState } from '../state/known-state.ts';
import type { Database } from './database.ts';
import {
  areSame,
  byName,
  mergedStates,
  NO_STATES,
  type States,
  type StoredState,
  statesOf,
  textOf,
} from './states.ts';

export interface PgKnownOptions {
  database: Database;
  /** Origin of the target. */
  service: string;
  /** Milliseconds that an answer may be behind what the service holds. */
  lag: number;
  notice: (text: string) => void;
  /** What of a record may stand in the database. */
  hide?: ((record: JsonObject) => JsonObject) | undefined;
}

/** Milliseconds after which a lease is over that is not renewed, by the database's clock. */
const LIFE = 10_000;
const RENEWED_EVERY = 3000;
/** How long a lease that others have is not asked for again: at first, and at most. */
const FIRST_PAUSE = 20;
const LONGEST_PAUSE = 250;
/** Who waits to be alone keeps others from beginning to share until it asks again, and a little longer. */
const WANTED_FOR = 1000;
/** What an answer waits for at most, until others can know what it has shown. */
const LONGEST_WRITING = 1000;
/** What was learnt is written so much later; after a failure; and how often at the end. */
const BEHIND = 20;
const RETRY = 1000;
const CLOSING_TRIES = 3;
/** Records that are read at the start. */
const MOST_AT_START = 20_000;
/** More than memory has room for: of most, nothing is known. */
const MOST_ROWS = 100_000;

/** What is known of the records of one kind and id. */
interface Row {
  readonly kind: RecordKind;
  readonly id: string;
  /** As last seen in the database; 0: not yet. */
  version: number;
  /** What stood there then, and what is known here has come out of. */
  states: States;
  /** One write comes after the other. */
  written: Promise<unknown>;
}

interface StoredLease {
  fence: number;
  alone: boolean;
  /** For people who look into the table. */
  gate: string;
  /** What becomes of the record by the PATCH, as `textOf` gives it; of a body that was not read there is none. */
  sent: string;
  /** Milliseconds since 1970. */
  until: number;
}

interface Found {
  version: number;
  /** Null: there is nothing new. */
  states: StoredState[] | null;
}

interface Leased extends Found {
  fence: number;
}

interface FoundLeases extends Found {
  leases: StoredLease[];
  /** By the database's clock. */
  now: number;
}

/**
 * Keeps what is known of the service in a database, together with other gates. A gate's memory holds what it knows; with the lease of
 * a record, what others have learnt of it is taken in. What is learnt is written behind, and what a PATCH has changed when its
 * lease is given back.
 *
 * A write goes by what was known: where others have written meanwhile, theirs is merged in, and it is tried again.
 */
export class PgKnownStore implements KnownStore {
  readonly state: KnownState;
  /** Why something could not be written, unless the database is away: that says so itself. */
  trouble: Error | undefined;
  readonly #options: PgKnownOptions;
  readonly #gate = randomUUID();
  readonly #rows = new LRUCache<string, Row>({ max: MOST_ROWS });
  /** More may be known of them than was written. */
  readonly #changed = new Set<Row>();
  /** Leases that are still to be given back. */
  readonly #kept = new Set<{ row: Row; fence: number }>();
  readonly #hidden = new WeakMap<Known, Known>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  /** Writes that are not over. */
  #writes = 0;
  #isClosed = false;

  /** @throws PatchgateError `store-unavailable` */
  static async open(options: PgKnownOptions): Promise<PgKnownStore> {
    const store = new PgKnownStore(options);
    const { namespace, query } = options.database;
    const found = await query<Found & { kind: RecordKind; id: string }>(READ_ALL, [
      namespace,
      options.service,
      MOST_AT_START,
    ]);
    for (const row of found) store.#takeIn(store.#rowOf(row), row);
    return store;
  }

  private constructor(options: PgKnownOptions) {
    const { lag } = options;
    this.#options = options;
    this.state = new KnownState({
      live: { lag },
      onChange: (name) => this.#hasChanged(this.#rowOf(name)),
      onForget: (name) => this.#forgotten(name),
    });
  }

  async lease(name: RecordName, { isShared, body, isGone }: LeaseWanted): Promise<Lease | undefined> {
    const row = this.#rowOf(name);
    const sent = body === undefined ? [] : [{ name, known: this.#shown(sentRecord(name.kind, body)) }];
    const own = { alone: !isShared, gate: this.#gate, sent: textOf(byName(sent)) };
    for (let pause = FIRST_PAUSE; !isGone(); pause = Math.min(2 * pause, LONGEST_PAUSE)) {
      const askedAt = performance.now();
      const claimed = await this.#claim(row, own).catch(unavailable);
      const fence = claimed ?? (await inTurn(row, () => this.#takeOver(row, own)).catch(unavailable));
      if (fence === undefined) {
        await wait(pause * (0.5 + Math.random()));
        continue;
      }
      const lease = this.#leaseOf(row, fence, askedAt + LIFE);
      // Of one that was long in coming, too little is left.
      if (performance.now() - askedAt < LIFE / 3 && !isGone()) return lease;
      await lease.release();
    }
    return undefined;
  }

  refresh(name: RecordName): Promise<void> {
    const row = this.#rowOf(name);
    return inTurn(row, async () => {
      const found = await this.#read(row);
      if (found) this.#takeIn(row, found);
    });
  }

  written(): Promise<void> | undefined {
    if ((this.#changed.size === 0 && this.#writes === 0) || this.#options.database.trouble) return undefined;
    return Promise.race([this.#write(), wait(LONGEST_WRITING, undefined, { ref: false })]);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#rows.values()].map(({ written }) => written));
    for (let tries = 0; tries < CLOSING_TRIES && this.#isPending; tries++) {
      if (tries > 0) await wait(RETRY);
      await this.#write();
    }
    this.#isClosed = true;
    clearTimeout(this.#timer);
    if (!this.#isPending) return;
    const { notice, database } = this.#options;
    notice(`what was learnt last is not in ${database.name}: other gates do not know it`);
  }

  /** @returns the fence of the lease; undefined: others have one, or want to be alone */
  async #claim(row: Row, own: Omit<StoredLease, 'fence' | 'until'>): Promise<number | undefined> {
    const values = [...this.#keyOf(row), JSON.stringify(own), LIFE, row.version];
    const [claimed] = await this.#options.database.query<Leased>(CLAIM, values);
    // What was written here meanwhile may have been heard of first.
    if (claimed && claimed.version > row.version) this.#takeIn(row, claimed);
    return claimed?.fence;
  }

  /** Where only the leases of gates stand in the way that have not renewed them: what those have sent may have been applied, or not. */
  async #takeOver(row: Row, own: Omit<StoredLease, 'fence' | 'until'>): Promise<number | undefined> {
    const { query } = this.#options.database;
    const key = this.#keyOf(row);
    const [found] = own.alone
      ? await query<FoundLeases>(WANT, [...key, WANTED_FOR])
      : await query<FoundLeases>(READ, key);
    if (!found) return undefined;
    const { leases, now } = found;
    const dead = leases.filter(({ until }) => until <= now);
    const live = leases.filter(({ until }) => until > now);
    if (dead.length === 0 || live.some(({ alone }) => alone || own.alone)) return undefined;
    const { kind, id } = row;
    let states = this.#statesOf(row, found);
    for (const { sent } of dead)
      states = this.#withUnclear(states, statesOf({ kind, id, states: JSON.parse(sent) }));
    const [taken] = await query<Leased>(TAKE_OVER, [
      ...[...key, JSON.stringify(own), LIFE, found.version],
      ...[JSON.stringify(leases), JSON.stringify(live), textOf(states)],
    ]);
    if (taken) this.#takeIn(row, taken);
    return taken?.fence;
  }

  #withUnclear(states: States, sent: States): States {
    const now = Date.now();
    // Of a body that was not read it is not known which environments it has left.
    if (sent.size === 0)
      return mergedStates(states, states, states, (known) => known && { ...known, isWhole: false });
    return mergedStates(states, states, sent, (_, known, one) =>
      one ? withUnclear(known, one, now) : known,
    );
  }

  #leaseOf(row: Row, fence: number, until: number): Lease {
    const renew = async () => {
      const askedAt = performance.now();
      const values = [...this.#keyOf(row), fence, LIFE];
      const renewed = await this.#options.database.query(RENEW, values).catch(() => undefined);
      if (renewed) validUntil = renewed.length > 0 ? askedAt + LIFE : 0;
    };
    let validUntil = until;
    const timer = setInterval(() => void renew(), RENEWED_EVERY).unref();
    let released: Promise<unknown> | undefined;
    return {
      get isOver() {
        return performance.now() >= validUntil;
      },
      release: async () => {
        clearInterval(timer);
        released ??= this.#writeRow(row, fence);
        await released;
      },
    };
  }

  #hasChanged(row: Row): void {
    this.#changed.add(row);
    this.#writeLater(BEHIND);
  }

  #writeLater(delay: number): void {
    if (this.#timer || this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#write();
    }, delay).unref();
  }

  get #isPending(): boolean {
    return this.#changed.size > 0 || this.#kept.size > 0;
  }

  /** One time after the other. Never rejects. */
  #write(): Promise<void> {
    this.#writes++;
    this.#writing = this.#writing.then(async () => {
      const [rows, kept] = [[...this.#changed], [...this.#kept]];
      this.#changed.clear();
      this.#kept.clear();
      // Claims have the other connections.
      let isAll = true;
      for (const { row, fence } of kept) isAll = (await this.#writeRow(row, fence)) && isAll;
      for (const row of rows) isAll = (await this.#writeRow(row)) && isAll;
      if (isAll) this.trouble = undefined;
      this.#writes--;
    });
    return this.#writing;
  }

  /** Never rejects. @param fence of a lease that is given back with it @returns false: it is tried again later */
  async #writeRow(row: Row, fence?: number): Promise<boolean> {
    try {
      await inTurn(row, async () => {
        while (!(await this.#tryToWrite(row, fence))) {
          const found = await this.#read(row);
          const isOurs = fence === undefined || found?.leases.some((lease) => lease.fence === fence);
          if (found) this.#takeIn(row, found, !isOurs ? 'unclear' : fence === undefined ? 'beside' : 'alone');
          if (!isOurs) return;
        }
      });
      return true;
    } catch (error) {
      this.#failed(error);
      if (fence === undefined) this.#changed.add(row);
      else this.#kept.add({ row, fence });
      this.#writeLater(RETRY);
      return false;
    }
  }

  /** @returns false: others have written meanwhile, or the lease is not ours any more */
  async #tryToWrite(row: Row, fence: number | undefined): Promise<boolean> {
    const states = this.#own(row);
    const isNews = !areSame(states, row.states);
    if (!isNews && fence === undefined) return true;
    const { query } = this.#options.database;
    const values = [...this.#keyOf(row), isNews ? textOf(states) : null, row.version];
    const [written] = await (fence === undefined
      ? query<{ version: number }>(WRITE, values)
      : query<{ version: number }>(RELEASE, [...values, fence]));
    if (written && isNews) this.#wrote(row, states, written.version);
    return written !== undefined;
  }

  #wrote(row: Row, states: States, version: number): void {
    // A lease may have brought something newer before this was heard of.
    if (version <= row.version) return;
    row.version = version;
    row.states = states;
  }

  async #read(row: Row): Promise<FoundLeases | undefined> {
    const [found] = await this.#options.database.query<FoundLeases>(READ, this.#keyOf(row));
    return found;
  }

  /**
   * What others have learnt is known here, too.
   *
   * @param how what was learnt here meanwhile came about: beside what others did, while no other gate sent a PATCH, or while one may have
   */
  #takeIn(row: Row, found: Found, how: 'beside' | 'alone' | 'unclear' = 'beside'): void {
    if (!found.states || (found.version === row.version && how !== 'unclear')) return;
    const now = Date.now();
    const own = this.#own(row);
    const other = this.#statesOf(row, found);
    const all = mergedStates(row.states, own, other, (before, mine, theirs) => {
      if (how !== 'unclear') return merged(before, mine, theirs, how === 'alone' ? undefined : now);
      return isDeepStrictEqual(mine, before) ? theirs : withUnclear(theirs, mine, now);
    });
    row.version = found.version;
    row.states = other;
    if (!areSame(all, own)) this.state.replace(row, [...all.values()]);
    if (!areSame(all, other)) this.#hasChanged(row);
  }

  #statesOf({ kind, id }: Row, { states }: Found): States {
    return statesOf({ kind, id, states: states ?? [] });
  }

  /** What is known here, as far as others may see it. */
  #own(row: Row): States {
    return byName(this.state.namesOf(row).map(({ name, known }) => ({ name, known: this.#shown(known) })));
  }

  #shown(known: Known): Known {
    const { hide } = this.#options;
    if (!hide) return known;
    let shown = this.#hidden.get(known);
    if (!shown) {
      shown = { ...known, record: hide(known.record) };
      this.#hidden.set(known, shown);
    }
    return shown;
  }

  #rowOf({ kind, id }: Pick<RecordName, 'kind' | 'id'>): Row {
    const key = `${kind} ${id}`;
    let row = this.#rows.get(key);
    if (!row) {
      row = { kind, id, version: 0, states: NO_STATES, written: Promise.resolve() };
      this.#rows.set(key, row);
    }
    return row;
  }

  /** For lack of room: the database has it all the same, and the next lease brings it. */
  #forgotten(name: RecordName): void {
    const row = this.#rowOf(name);
    row.version = 0;
    row.states = this.#own(row);
    this.#changed.delete(row);
    this.#rows.delete(`${row.kind} ${row.id}`);
  }

  #keyOf({ kind, id }: Row): string[] {
    const { database, service } = this.#options;
    return [database.namespace, service, kind, id];
  }

  /** That the database is away is told by itself. */
  #failed(error: unknown): void {
    if (this.#options.database.trouble) return;
    if (!this.trouble)
      this.#options.notice(
        `WHAT IS KNOWN CANNOT BE WRITTEN to ${this.#options.database.name}: ${messageOf(error)}`,
      );
    this.trouble = error as Error;
  }
}

/** Tables are missing after a failover, say, or the right to them. */
function unavailable(cause: unknown): never {
  if (cause instanceof PatchgateError) throw cause;
  const message = `the database of the gates is of no use: ${messageOf(cause)}`;
  throw new PatchgateError('store-unavailable', message, {
    hint: 'send it again once that is mended',
    cause,
  });
}

function inTurn<T>(row: Row, work: () => Promise<T>): Promise<T> {
  const turn = row.written.then(work);
  row.written = turn.catch(() => undefined);
  return turn;
}

const ROW = '(namespace, service, kind, id) = ($1, $2, $3, $4)';
const NOW = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';
/** @param fence a placeholder */
const isThere = (fence: string) =>
  `leases @> jsonb_build_array(jsonb_build_object('fence', ${fence}::bigint))`;
const LEASED = 'version::float8, fence::float8';

/** A PATCH leaves a row of an id that the service does not have: nothing is known of it. */
const READ_ALL = `
  SELECT kind, id, version::float8, states FROM patchgate_record
  WHERE (namespace, service) = ($1, $2) AND states::text <> '[]' LIMIT $3`;

const READ = `
  SELECT version::float8, states, leases, (${NOW})::float8 AS now FROM patchgate_record WHERE ${ROW}`;

/** $5: milliseconds. */
const WANT = `
  UPDATE patchgate_record SET wanted_until = clock_timestamp() + $5::integer * interval '1 ms' WHERE ${ROW}
  RETURNING version::float8, states, leases, (${NOW})::float8 AS now`;

/** $5: the lease, without its fence and time; $6: its milliseconds. Who is alone goes by all leases, who shares by one that is alone. */
const LEASE = `$5::jsonb || jsonb_build_object('until', ${NOW} + $6::integer, 'fence', `;
/** $7: the version that is known. All that counts stands in the one row, which is locked when the conditions are looked at. */
const CLAIM = `
  INSERT INTO patchgate_record AS r (namespace, service, kind, id, fence, leases)
  VALUES ($1, $2, $3, $4, 1, jsonb_build_array(${LEASE} 1)))
  ON CONFLICT (namespace, service, kind, id) DO UPDATE SET
    fence = r.fence + 1,
    leases = r.leases || jsonb_build_array(${LEASE} r.fence + 1)),
    wanted_until = CASE WHEN $5::jsonb @> '{"alone": false}' THEN r.wanted_until END
  WHERE CASE WHEN $5::jsonb @> '{"alone": true}' THEN r.leases = '[]'
    ELSE NOT r.leases @> '[{"alone": true}]' AND coalesce(r.wanted_until <= clock_timestamp(), true) END
  RETURNING ${LEASED}, CASE WHEN version > $7::bigint THEN states END AS states`;

/** $7, $8: the version and the leases that were found; $9: those that stay; $10: what is known. */
const TAKE_OVER = `
  UPDATE patchgate_record SET
    fence = fence + 1,
    leases = $9::jsonb || jsonb_build_array(${LEASE} fence + 1)),
    states = $10::json,
    version = version + 1
  WHERE ${ROW} AND version = $7::bigint AND leases = $8::jsonb
  RETURNING ${LEASED}, states`;

/** $6: milliseconds. */
const RENEW = `
  UPDATE patchgate_record SET leases = (
    SELECT jsonb_agg(CASE WHEN (lease->>'fence')::bigint = $5 THEN lease || jsonb_build_object('until', ${NOW} + $6::integer)
      ELSE lease END) FROM jsonb_array_elements(leases) AS lease)
  WHERE ${ROW} AND ${isThere('$5')}
  RETURNING 1`;

/** $5: what is known, null: nothing new; $6: the version that it goes by; $7: the fence. */
const RELEASE = `
  UPDATE patchgate_record SET
    leases = jsonb_path_query_array(leases, '$[*] ? (@.fence != $fence)', jsonb_build_object('fence', $7::bigint)),
    states = coalesce($5::json, states),
    version = version + CASE WHEN $5::json IS NULL THEN 0 ELSE 1 END
  WHERE ${ROW} AND ${isThere('$7')} AND ($5::json IS NULL OR version = $6::bigint)
  RETURNING version::float8`;

/** $5: what is known; $6: the version that it goes by. */
const WRITE = `
  INSERT INTO patchgate_record AS r (namespace, service, kind, id, states, version)
  VALUES ($1, $2, $3, $4, $5::json, $6::bigint + 1)
  ON CONFLICT (namespace, service, kind, id) DO UPDATE SET states = EXCLUDED.states, version = EXCLUDED.version
  WHERE r.version = $6::bigint
  RETURNING version::float8`;
