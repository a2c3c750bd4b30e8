import { messageOf, PatchgateError } from '../errors.ts';
import { ExchangeIndex } from '../recordings/match.ts';
import type { MatchRules } from '../recordings/match-rules.ts';
import { merge } from '../recordings/merge.ts';
import { keysBy } from '../recordings/merge-segments.ts';
import type { Place } from '../recordings/names.ts';
import { type PlainExchange, toStoredExchange } from '../recordings/plain-exchange.ts';
import type { ExchangesOfPath, RecordingStore } from '../recordings/store.ts';
import { StoredExchange } from '../recordings/stored-exchange.ts';
import type { Database } from './database.ts';
import { compact, framesOf, placesOf } from './frames.ts';
import type { Outbox } from './outbox.ts';

export interface PgRecordingOptions {
  database: Database;
  rules: MatchRules;
  /** What it is recorded into by; without it, it is only read. */
  outbox?: Outbox | undefined;
  /** Told how many exchanges are with the system now. */
  onKept?: ((count: number) => void) | undefined;
}

/** Exchanges that are read before they are asked for. */
const MOST_AHEAD = 20_000;

/** Milliseconds that dropping what earlier runs recorded may take at the end. */
const COMPACT_MS = 3000;

/** A recording in the database. A path is read when it is first asked for, and stays in memory. */
export class PgRecordingStore implements RecordingStore {
  readonly name: string;
  readonly isWritable: boolean;
  readonly #options: PgRecordingOptions;
  /** By `placeKey`. */
  readonly #places = new Map<string, Place>();
  readonly #paths = new Map<string, ExchangeIndex>();
  /** What is recorded while its path is read. */
  readonly #reading = new Map<string, { done: Promise<void>; own: PlainExchange[] }>();
  /** Those of this run, in mode `all`. */
  readonly #recorded = new Map<string, Place>();
  #isClosed = false;

  private constructor(name: string, options: PgRecordingOptions) {
    this.name = name;
    this.isWritable = options.outbox !== undefined;
    this.#options = options;
  }

  /** Opens the recording `name`, which is empty where it is not there. @throws PatchgateError `store-unavailable` */
  static async open(name: string, options: PgRecordingOptions): Promise<PgRecordingStore> {
    const store = new PgRecordingStore(name, options);
    for (const place of await placesOf(options.database, name)) store.#places.set(placeKey(place), place);
    return store;
  }

  isEmpty(): boolean {
    return this.#places.size === 0;
  }

  places(): Iterable<Place> {
    return [...this.#places.values()];
  }

  exchanges(method: string, path: string): ExchangesOfPath {
    return this.#paths.get(placeKey({ method, path })) ?? new ExchangeIndex([], this.#options.rules);
  }

  ready(method: string, path: string): Promise<void> | undefined {
    const place = { method, path };
    const key = placeKey(place);
    if (this.#paths.has(key)) return undefined;
    const begun = this.#reading.get(key);
    if (begun) return begun.done;
    const own: PlainExchange[] = [];
    const done = this.#read(place, own).finally(() => this.#reading.delete(key));
    this.#reading.set(key, { done, own });
    return done;
  }

  async load(): Promise<void> {
    let left = MOST_AHEAD;
    for (const { method, path } of this.places()) {
      if (this.#isClosed || left <= 0) return;
      try {
        await this.ready(method, path);
      } catch {
        // It is read when it is asked for.
        return;
      }
      const index = this.#paths.get(placeKey({ method, path }));
      await index?.prepare();
      left -= index?.length ?? 0;
    }
  }

  append(plain: PlainExchange): void {
    const { outbox, onKept } = this.#options;
    const { method, path } = plain.request;
    const key = placeKey(plain.request);
    if (!this.#places.has(key)) this.#places.set(key, { method, path });
    this.#paths.get(key)?.all.push(StoredExchange.of(toStoredExchange(plain)));
    this.#reading.get(key)?.own.push(plain);
    if (outbox?.mode === 'all') this.#recorded.set(key, { method, path });
    outbox?.append(plain, onKept);
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
    const { database, outbox, rules } = this.#options;
    if (this.#recorded.size === 0) return;
    await this.flush();
    const until = performance.now() + COMPACT_MS;
    try {
      for (const place of this.#recorded.values())
        if (!outbox?.trouble && performance.now() < until) await compact(database, this.name, place, rules);
    } catch {
      // Somebody else records into it, or the database is away: readers merge it.
    }
  }

  /** @param own what is recorded meanwhile */
  async #read(place: Place, own: PlainExchange[]): Promise<void> {
    const { database, rules } = this.#options;
    try {
      await this.flush();
      const { exchanges } = await framesOf(database, this.name, place, rules);
      const merged = merge(exchanges, own.map(toStoredExchange), 'append', {}, keysBy(rules));
      // What nothing is recorded for may be asked for without end, and recorded by another gate.
      if (merged.exchanges.length > 0 || this.isWritable)
        this.#paths.set(placeKey(place), new ExchangeIndex(merged.exchanges.map(StoredExchange.of), rules));
    } catch (cause) {
      const message = `${place.method} ${place.path} is not in memory: ${messageOf(cause)}`;
      throw new PatchgateError('store-unavailable', message, { hint: 'send it again', cause });
    }
  }
}

function placeKey({ method, path }: Place): string {
  return `${method} ${path}`;
}
