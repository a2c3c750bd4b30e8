import { randomUUID } from 'node:crypto';
import { messageOf, PatchgateError } from '../errors.ts';
import type { Exchange } from '../model/exchange.ts';
import type { Place } from '../recordings/files.ts';
import { ExchangeIndex, type SentRequest } from '../recordings/match.ts';
import type { MatchRules } from '../recordings/match-rules.ts';
import { type PlainExchange, toStoredExchange } from '../recordings/plain-exchange.ts';
import { inOrder } from '../recordings/store/file-format.ts';
import type { ExchangesOfPath, RecordingStore } from '../recordings/store.ts';
import { StoredExchange } from '../recordings/stored-exchange.ts';
import { yieldToEventLoop } from '../recordings/yield-to-event-loop.ts';
import type { Database } from './database.ts';
import type { Outbox } from './outbox.ts';
import { sequenceOf } from './sequence.ts';
import type { Row } from './ship.ts';
import { LONGEST_PATH } from './tables.ts';

export interface PgRecordingOptions {
  database: Database;
  rules: MatchRules;
  /** What it is recorded into by; without it, it is only read. */
  outbox?: Outbox | undefined;
  /** The first answer of the run to a request drops what other runs recorded for it in its session. */
  replaces?: boolean | undefined;
  /** Told how many exchanges are with the system now. */
  onKept?: ((count: number) => void) | undefined;
}

/** Of the rows in memory at a time. */
const BATCH_ROWS = 1000;
const BATCH_BYTES = 8 * 1024 * 1024;
/** What is read before it is asked for: paths with so many exchanges, and bytes of all. What is asked for is read all the same. */
const AHEAD = { rows: 5000, bytes: 64 * 1024 * 1024 };
/** Sequences of which it is remembered that this run has answered them. What is forgotten is only dropped once more. */
const MOST_ANSWERED = 100_000;

/**
 * A recording in the database: the names of its paths are in memory from the opening on, and the exchanges of a path once they are asked
 * for. Both follow what others change, as far as NOTIFY comes through.
 */
export class PgRecordingStore implements RecordingStore {
  readonly name: string;
  readonly isWritable: boolean;
  readonly #options: PgRecordingOptions;
  readonly #run = randomUUID();
  /** By `placeKey`. */
  readonly #paths = new Map<string, PathInDatabase>();
  /** Of the run. */
  readonly #answered = new Set<string>();
  /** Something was asked for: what is recorded is to be found. */
  #isAsked = false;
  #endListening: () => void = () => undefined;
  #isClosed = false;

  private constructor(name: string, options: PgRecordingOptions) {
    this.name = name;
    this.isWritable = options.outbox !== undefined;
    this.#options = options;
  }

  /** Opens the recording `name`, which is empty where it is not there. @throws PatchgateError `store-unavailable` */
  static async open(name: string, options: PgRecordingOptions): Promise<PgRecordingStore> {
    const store = new PgRecordingStore(name, options);
    await store.#readNames();
    store.#endListening = options.database.listen('patchgate_path', (payload) => store.#hear(payload));
    return store;
  }

  isEmpty(): boolean {
    for (const _ of this.places()) return false;
    return true;
  }

  *places(): Iterable<Place> {
    for (const found of this.#paths.values()) if (found.length > 0) yield found;
  }

  exchanges(method: string, path: string): ExchangesOfPath {
    this.#isAsked = true;
    return this.#paths.get(placeKey(method, path)) ?? new PathInDatabase(method, path, this.#options.rules);
  }

  ready(method: string, path: string): Promise<void> | undefined {
    const found = this.#paths.get(placeKey(method, path));
    return !found || found.isCurrent ? undefined : this.#update(found);
  }

  async load(): Promise<void> {
    let left = AHEAD.bytes;
    let group: PathInDatabase[] = [];
    let rows = 0;
    try {
      for (const found of [...this.#paths.values()]) {
        if (this.#isClosed || left <= 0) return;
        if (found.isCurrent || found.length > AHEAD.rows) continue;
        group.push(found);
        rows += found.length;
        if (rows < BATCH_ROWS) continue;
        left -= await this.#read(group);
        group = [];
        rows = 0;
      }
      if (group.length > 0) await this.#read(group);
    } catch {
      // It is read when it is asked for.
    }
  }

  append(plain: PlainExchange): void {
    const { outbox, rules, onKept } = this.#options;
    const { method, path } = plain.request;
    try {
      if (Buffer.byteLength(path) > LONGEST_PATH)
        throw new Error(`a path of more than ${LONGEST_PATH} bytes has no place in the database`);
      const exchange = inOrder(toStoredExchange(plain));
      const stored = StoredExchange.of(exchange);
      const sequence = sequenceOf(stored, rules).toString('hex');
      const head = { recording: this.name, method, path, sequence, run: this.#run };
      const replaces = this.#isReplacing(sequence);
      const own = this.#isAsked ? this.#pathOf(method, path) : undefined;
      own?.addOwn(stored);
      outbox?.append({ ...head, ...(replaces && { replaces }) }, JSON.stringify(exchange), {
        onKept,
        onShipped: own && ((row) => own.shipped(stored, row)),
      });
    } catch (error) {
      // The config's own function failed, or it fits nowhere.
      outbox?.refuse(error as Error);
    }
  }

  #isReplacing(sequence: string): boolean {
    if (!this.#options.replaces || this.#answered.has(sequence)) return false;
    if (this.#answered.size === MOST_ANSWERED) this.#answered.clear();
    this.#answered.add(sequence);
    return true;
  }

  get counts() {
    return this.#options.outbox?.counts ?? { waiting: 0, lost: 0, journalBytes: 0 };
  }

  takesExchanges(): boolean {
    return this.#options.outbox?.isWritable ?? false;
  }

  get trouble(): Error | undefined {
    return this.#options.outbox?.trouble;
  }

  async flush(): Promise<void> {
    await this.#options.outbox?.flush();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#endListening();
  }

  #pathOf(method: string, path: string): PathInDatabase {
    const key = placeKey(method, path);
    const known = this.#paths.get(key);
    if (known) return known;
    const found = new PathInDatabase(method, path, this.#options.rules);
    this.#paths.set(key, found);
    return found;
  }

  /** The names of all paths, and how many exchanges each has. */
  async #readNames(): Promise<void> {
    const { database } = this.#options;
    const rows = await database.query<Place & { exchanges: number; version: string }>(
      'SELECT method, path, exchanges, version FROM patchgate_path WHERE namespace = $1 AND recording = $2',
      [database.namespace, this.name],
    );
    const gone = new Set(this.#paths.values());
    for (const { method, path, exchanges, version } of rows) {
      const found = this.#pathOf(method, path);
      gone.delete(found);
      found.told(exchanges, Number(version));
    }
    for (const found of gone) found.told(0, 0);
  }

  /** @param payload undefined where something may have been missed */
  #hear(payload: string | undefined): void {
    if (payload === undefined) {
      this.#readNames().catch(() => undefined);
      return;
    }
    const notice = readNotice(payload);
    if (!notice) return;
    const [namespace, recording, method, path, exchanges, version] = notice;
    if (namespace === this.#options.database.namespace && recording === this.name)
      this.#pathOf(method, path).told(exchanges, version);
  }

  #update(found: PathInDatabase): Promise<void> {
    found.reading ??= this.#readOne(found).finally(() => {
      found.reading = undefined;
    });
    return found.reading;
  }

  /** While the database is away, what is in memory counts. */
  async #readOne(found: PathInDatabase): Promise<void> {
    try {
      await this.#read([found]);
    } catch (cause) {
      if (found.isRead) return;
      const message = `${found.method} ${found.path} is not in memory: ${messageOf(cause)}`;
      throw new PatchgateError('store-unavailable', message, { hint: 'send it again', cause });
    }
  }

  /** Reads what paths have, but for the exchanges that are in memory. @returns bytes */
  async #read(paths: readonly PathInDatabase[]): Promise<number> {
    const { database } = this.#options;
    const rows = await database.query<RowOfPath>(
      `SELECT p.method, p.path, p.version, e.place, e.xmin::text AS revision, pg_column_size(e.exchange) AS size
       FROM patchgate_path p LEFT JOIN patchgate_exchange e USING (namespace, recording, path, method)
       WHERE p.namespace = $1 AND p.recording = $2
         AND (p.path, p.method) IN (SELECT * FROM unnest($3::text[], $4::text[]))
       ORDER BY e.place`,
      [database.namespace, this.name, paths.map(({ path }) => path), paths.map(({ method }) => method)],
    );
    const byPath = new Map<string, RowOfPath[]>(
      paths.map(({ method, path }) => [placeKey(method, path), []]),
    );
    for (const row of rows) byPath.get(placeKey(row.method, row.path))?.push(row);
    const missing = rows.filter((row) => row.place !== null && !this.#pathOf(row.method, row.path).has(row));
    const read = await this.#readExchanges(missing);
    for (const found of paths) {
      const own = byPath.get(placeKey(found.method, found.path)) ?? [];
      await found.take(own, read);
    }
    return missing.reduce((sum, { size }) => sum + size, 0);
  }

  /** By their places. */
  async #readExchanges(rows: readonly RowOfPath[]): Promise<Map<string, StoredExchange>> {
    const read = new Map<string, StoredExchange>();
    for (let at = 0; at < rows.length; ) {
      const start = at;
      for (let bytes = 0; at < rows.length && at - start < BATCH_ROWS && bytes < BATCH_BYTES; at++)
        bytes += (rows[at] as RowOfPath).size;
      const places = rows.slice(start, at).map(({ place }) => place);
      const texts = await this.#options.database.query<{ place: string; text: string }>(
        'SELECT place, exchange::text AS text FROM patchgate_exchange WHERE place = ANY($1::bigint[])',
        [places],
      );
      for (const { place, text } of texts) {
        read.set(place, StoredExchange.of(JSON.parse(text) as Exchange));
        await yieldToEventLoop();
      }
    }
    return read;
  }
}

/** What is in the database of a path; without a place of one that has no exchanges. */
interface RowOfPath extends Place {
  version: string;
  place: string | null;
  revision: string;
  size: number;
}

type Placed = Pick<Row, 'revision'> & { stored: StoredExchange };

/** The exchanges of one method and path. The same ones stay the same objects, whatever is added. */
class PathInDatabase implements ExchangesOfPath, Place {
  readonly method: string;
  readonly path: string;
  readonly #rules: MatchRules;
  /** As told last. */
  #count = 0;
  #version = 0;
  /** Of what was read. */
  #readVersion: number | undefined;
  /** By their places, in their order. */
  #placed = new Map<string, Placed>();
  /** Recorded here, and not in the database yet. */
  #own: StoredExchange[] = [];
  #index: ExchangeIndex;
  reading: Promise<void> | undefined;

  constructor(method: string, path: string, rules: MatchRules) {
    this.method = method;
    this.path = path;
    this.#rules = rules;
    this.#index = new ExchangeIndex([], rules);
  }

  /** Its exchanges are in memory, perhaps not the newest ones. */
  get isRead(): boolean {
    return this.#readVersion !== undefined || this.#count === 0;
  }

  get isCurrent(): boolean {
    return this.#readVersion === this.#version || (this.#readVersion === undefined && this.#count === 0);
  }

  told(count: number, version: number): void {
    this.#count = count;
    this.#version = version;
  }

  get length(): number {
    return this.isCurrent ? this.#index.all.length : this.#count + this.#own.length;
  }

  get all(): readonly StoredExchange[] {
    return this.#read.all;
  }

  find(sent: SentRequest): readonly StoredExchange[] {
    return this.#read.find(sent);
  }

  withBytes(query: string, body: Buffer): readonly StoredExchange[] | undefined {
    return this.#read.withBytes(query, body);
  }

  get #read(): ExchangeIndex {
    if (this.isRead) return this.#index;
    const message = `${this.method} ${this.path} was not read from the database`;
    throw new PatchgateError('store-unavailable', message, { hint: 'send it again' });
  }

  /** It is in memory as it is there. */
  has({ place, revision }: RowOfPath): boolean {
    return place !== null && this.#placed.get(place)?.revision === revision;
  }

  /** @param read the exchanges that were not in memory */
  async take(rows: readonly RowOfPath[], read: ReadonlyMap<string, StoredExchange>): Promise<void> {
    const before = this.#placed;
    this.#placed = new Map();
    for (const { place, revision } of rows) {
      const stored = place === null ? undefined : (read.get(place) ?? before.get(place)?.stored);
      if (stored) this.#placed.set(place as string, { revision, stored });
    }
    this.#readVersion = Number(rows[0]?.version ?? this.#version);
    this.#arrange();
    await this.#index.prepare();
  }

  addOwn(stored: StoredExchange): void {
    this.#own.push(stored);
    if (!this.isRead) return;
    this.#readVersion ??= 0;
    this.#index.all.push(stored);
  }

  /** One of its own is in the database now. */
  shipped(stored: StoredExchange, { place, revision }: Omit<Row, 'seq'>): void {
    // It may have been read meanwhile.
    const isNew = !this.#placed.has(place);
    if (isNew) this.#placed.set(place, { revision, stored });
    // What comes there in its turn stays where it is in the list.
    if (isNew && this.#own[0] === stored) {
      this.#own.shift();
      return;
    }
    this.#own = this.#own.filter((one) => one !== stored);
    if (this.isRead) this.#arrange();
  }

  /** What is only longer stays the same list. */
  #arrange(): void {
    const all = [...Array.from(this.#placed.values(), ({ stored }) => stored), ...this.#own];
    const before = this.#index.all;
    if (before.some((stored, i) => stored !== all[i])) this.#index = new ExchangeIndex(all, this.#rules);
    else for (const stored of all.slice(before.length)) before.push(stored);
  }
}

type Notice = [
  ...[namespace: string, recording: string, method: string, path: string],
  ...[exchanges: number, version: number],
];

/** Undefined where it is none: every user of the database may send what they like. */
function readNotice(payload: string): Notice | undefined {
  try {
    const notice = JSON.parse(payload);
    return Array.isArray(notice) ? (notice as Notice) : undefined;
  } catch {
    return undefined;
  }
}

function placeKey(method: string, path: string): string {
  return `${method} ${path}`;
}
