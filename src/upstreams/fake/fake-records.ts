import type { JsonObject } from '../../json/json.ts';
import type { RecordKind, RecordName } from '../../model/record.ts';
import { recordsOf, type State } from './seed.ts';

/** The records of the fake in each session, by the session's number: the seed's, and what became of them there. */
export class FakeRecords {
  readonly #seed: ReadonlyMap<string, JsonObject>;
  readonly #changed = new Map<string, Map<string, JsonObject>>();

  constructor(seed: State) {
    this.#seed = new Map(Array.from(recordsOf(seed), ({ name, record }) => [keyOf(name), record]));
  }

  /** Everything is as the seed has it. */
  start(session: string): void {
    this.#changed.set(session, new Map());
  }

  end(session: string): void {
    this.#changed.delete(session);
  }

  has(session: string): boolean {
    return this.#changed.has(session);
  }

  /** Undefined where there is no such record, or no such session. */
  get(session: string, name: RecordName): JsonObject | undefined {
    const changed = this.#changed.get(session);
    return changed && (changed.get(keyOf(name)) ?? this.#seed.get(keyOf(name)));
  }

  replace(session: string, name: RecordName, record: JsonObject): void {
    this.#changed.get(session)?.set(keyOf(name), record);
  }
}

const keyOf = ({ account, kind, id }: RecordName): string => JSON.stringify([account, kind, id]);

/** The project's fields, all of them mandatory: service-api 4.1 rule 1. */
const PROJECT_FIELDS = ['name', 'languages', 'environments'];

/**
 * What a record becomes when the service has accepted a PATCH. Pure.
 *
 * - `project`: `name`, `languages` and `environments` are replaced whole (service-api 4.1 rules 3 to 7). Nothing else that
 *   the PATCH carries is a part of the operation.
 * - `feature`, `draft`: each top-level field that the PATCH carries is replaced. The description is silent here: our choice.
 *
 * A mandatory field that an unjudged PATCH lacks stays: a record that lost its environments by our guess would be worse.
 */
export function afterPatch(kind: RecordKind, record: JsonObject, patch: JsonObject): JsonObject {
  if (kind !== 'project') return { ...record, ...patch };
  const after = { ...record };
  for (const field of PROJECT_FIELDS) {
    const value = Object.hasOwn(patch, field) ? patch[field] : undefined;
    if (value !== undefined) after[field] = value;
  }
  return after;
}
