import type { JsonObject } from '../../json/json.ts';
import type { RecordName } from '../../model/record.ts';
import { recordsOf, type State } from './seed.ts';

/** Characters of the JSON of all changed records, in all sessions together. */
const MOST = 512 * 1024 * 1024;

/** The records of the fake in each session, by the session's number: the seed's, and what became of them there. */
export class FakeRecords {
  readonly #seed: ReadonlyMap<string, JsonObject>;
  readonly #changed = new Map<string, Map<string, { record: JsonObject; size: number }>>();
  readonly #most: number;
  #size = 0;

  /** The seed's records are never changed: an accepted PATCH puts another one in its place. */
  constructor(seed: State, most = MOST) {
    this.#most = most;
    this.#seed = new Map(Array.from(recordsOf(seed), ({ name, record }) => [keyOf(name), record]));
  }

  /** Everything is as the seed has it. */
  start(session: string): void {
    this.#changed.set(session, new Map());
  }

  end(session: string): void {
    for (const { size } of this.#changed.get(session)?.values() ?? []) this.#size -= size;
    this.#changed.delete(session);
  }

  /** Whether there is such a session, still. */
  has(session: string): boolean {
    return this.#changed.has(session);
  }

  /** Undefined where there is no such record, or no such session. */
  get(session: string, name: RecordName): JsonObject | undefined {
    const changed = this.#changed.get(session);
    return changed && (changed.get(keyOf(name))?.record ?? this.#seed.get(keyOf(name)));
  }

  /** @param size what it takes, about: characters of its JSON
   *  @returns false where all records together would take too much; then nothing is changed */
  replace(session: string, name: RecordName, record: JsonObject, size: number): boolean {
    const changed = this.#changed.get(session);
    const after = this.#size - (changed?.get(keyOf(name))?.size ?? 0) + size;
    if (!changed || after > this.#most) return false;
    this.#size = after;
    changed.set(keyOf(name), { record, size });
    return true;
  }
}

function keyOf({ account, kind, id }: RecordName): string {
  return JSON.stringify([account, kind, id]);
}
