import { messageOf, PatchgateError } from '../errors.ts';
import { ExchangeIndex } from '../recordings/exchange-index.ts';
import type { MatchRules } from '../recordings/match.ts';
import { type Place, placeKey } from '../recordings/names.ts';
import { type PlainExchange, toStoredExchange } from '../recordings/plain-exchange.ts';
import type { RecordingStore } from '../recordings/store.ts';
import type { Database } from './database.ts';
import { framesOf } from './frames.ts';
import type { Outbox } from './outbox.ts';

interface PgRecordingOptions {
  database: Database;
  rules: MatchRules;
  /** What it is recorded into by; without it, it is only read. */
  outbox?: Outbox | undefined;
}

/** A recording in the database. A path is read when it is first asked for, and stays in memory. */
export class PgRecordingStore implements RecordingStore {
  readonly name: string;
  readonly isWritable: boolean;
  readonly #options: PgRecordingOptions;
  readonly #places: Map<string, Place>;
  readonly #paths = new Map<string, ExchangeIndex>();
  readonly #reading = new Map<string, Promise<void>>();
  #recorded = 0;

  /** @param places all that the recording has, empty if it is not there */
  constructor(name: string, options: PgRecordingOptions, places: readonly Place[]) {
    this.name = name;
    this.isWritable = options.outbox !== undefined;
    this.#options = options;
    this.#places = new Map(places.map((place) => [placeKey(place), place]));
  }

  isEmpty(): boolean {
    return this.#places.size === 0;
  }

  places(): Iterable<Place> {
    return [...this.#places.values()];
  }

  exchanges(method: string, path: string): ExchangeIndex {
    return this.#paths.get(placeKey({ method, path })) ?? new ExchangeIndex([], this.#options.rules);
  }

  ready(method: string, path: string): Promise<void> | undefined {
    const key = placeKey({ method, path });
    if (this.#paths.has(key)) return undefined;
    const read = () => this.#read({ method, path }).finally(() => this.#reading.delete(key));
    const reading = this.#reading.get(key) ?? read();
    this.#reading.set(key, reading);
    return reading;
  }

  /** A path is read when it is asked for. */
  async load(): Promise<void> {}

  append(plain: PlainExchange): void {
    const { method, path } = plain.request;
    const key = placeKey({ method, path });
    this.#places.set(key, { method, path });
    this.#paths.get(key)?.add(toStoredExchange(plain));
    this.#options.outbox?.append(plain);
    this.#recorded++;
  }

  status() {
    const status = this.#options.outbox?.status();
    return status && { ...status, recorded: this.#recorded, takes: status.lost === 0 };
  }

  async flush(): Promise<void> {
    await this.#options.outbox?.flush();
  }

  /** Who opened its outbox closes that. */
  async close(): Promise<void> {}

  async #read(place: Place): Promise<void> {
    const { database, rules } = this.#options;
    try {
      await this.flush();
      const { exchanges } = await framesOf(database, this.name, place, rules);
      // What nothing is recorded for may be asked for without end, and recorded by another gate.
      if (exchanges.length > 0 || this.isWritable)
        this.#paths.set(placeKey(place), new ExchangeIndex(exchanges, rules));
    } catch (cause) {
      const message = `${place.method} ${place.path} is not in memory: ${messageOf(cause)}`;
      throw new PatchgateError('store-unavailable', message, { hint: 'send it again', cause });
    }
  }
}
