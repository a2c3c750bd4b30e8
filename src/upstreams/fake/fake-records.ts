import type { JsonObject } from '../../model/json.ts';
import type { Collection, State } from '../../state/state-file.ts';

/** Which record a path names. The account and the id are as in the path. */
export interface RecordName {
  account: string;
  collection: Collection;
  id: string;
}

/** The records of the fake. None is ever made or removed, so that what it holds stays as small as its seed. */
export class FakeRecords {
  readonly #seed: State;
  readonly #records = new Map<string, JsonObject>();

  /** The seed's records are never changed: an accepted PATCH puts another one in its place. */
  constructor(seed: State) {
    this.#seed = seed;
    this.reset();
  }

  get(name: RecordName): JsonObject | undefined {
    return this.#records.get(keyOf(name));
  }

  replace(name: RecordName, record: JsonObject): void {
    this.#records.set(keyOf(name), record);
  }

  /** Everything is again as the seed has it. */
  reset(): void {
    for (const [account, kinds] of Object.entries(this.#seed.accounts)) {
      for (const [collection, records] of Object.entries(kinds)) {
        for (const [id, record] of Object.entries(records))
          this.replace({ account, collection: collection as Collection, id }, record);
      }
    }
  }
}

function keyOf({ account, collection, id }: RecordName): string {
  return JSON.stringify([account, collection, id]);
}
