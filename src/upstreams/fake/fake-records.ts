import type { JsonObject } from '../../json/json.ts';
import type { RecordName } from '../../model/record.ts';
import { recordsOf, type State } from '../../state/state-file.ts';

/** The records of the fake in one session. No client makes or removes one, so that there are as many as in the seed. */
export interface FakeRecords {
  get(name: RecordName): JsonObject | undefined;
  /** @param size what it takes, about: characters of its JSON
   *  @returns false where all records together would take too much; then nothing is changed */
  replace(name: RecordName, record: JsonObject, size: number): boolean;
}

/** Characters of the JSON of all changed records, in all sessions together. */
const MOST = 512 * 1024 * 1024;

/** What the fake holds for each session: the seed's records, and what became of them there. */
export class FakeSessions {
  readonly #seed = new Map<string, JsonObject>();
  readonly #changed = new Map<string, Map<string, { record: JsonObject; size: number }>>();
  readonly #most: number;
  #size = 0;

  /** The seed's records are never changed: an accepted PATCH puts another one in its place. */
  constructor(seed: State, most = MOST) {
    this.#most = most;
    for (const { name, known } of recordsOf(seed)) this.#seed.set(keyOf(name), known.record);
  }

  /** Everything is as the seed has it. */
  start(session: string): void {
    this.#changed.set(session, new Map());
  }

  end(session: string): void {
    for (const { size } of this.#changed.get(session)?.values() ?? []) this.#size -= size;
    this.#changed.delete(session);
  }

  /** Undefined where there is no such session, or no longer. */
  of(session: string): FakeRecords | undefined {
    const changed = this.#changed.get(session);
    return (
      changed && {
        get: (name) => changed.get(keyOf(name))?.record ?? this.#seed.get(keyOf(name)),
        replace: (name, record, size) => {
          const key = keyOf(name);
          const after = this.#size - (changed.get(key)?.size ?? 0) + size;
          if (after > this.#most) return false;
          this.#size = after;
          changed.set(key, { record, size });
          return true;
        },
      }
    );
  }
}

function keyOf({ account, kind, id }: RecordName): string {
  return JSON.stringify([account, kind, id]);
}
