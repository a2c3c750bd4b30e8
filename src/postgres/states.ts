import { isDeepStrictEqual } from 'node:util';
import { recordKey } from '../guard/state-files.ts';
import type { JsonObject } from '../json/json.ts';
import type { Known, RecordKind, RecordName } from '../model/record.ts';
import type { Database } from './database.ts';

/** What is known of the records of one kind and id, by `recordKey`: each of their names. */
export type States = ReadonlyMap<string, { name: RecordName; known: Known }>;

/** As a row of `patchgate_record` has it. */
export interface StoredState {
  /** Absent: of any path. */
  base?: string;
  account: string;
  record: JsonObject;
  /** The service may hold more than that. */
  incomplete?: true;
}

interface StoredStates {
  kind: string;
  id: string;
  states: readonly StoredState[];
}

export const NO_STATES: States = new Map();

export function statesOf({ kind, id, states }: StoredStates): States {
  const all = new Map<string, { name: RecordName; known: Known }>();
  for (const { base, account, record, incomplete } of states) {
    const name = {
      ...(base !== undefined && { base }),
      account,
      kind: kind as RecordKind,
      id,
    };
    const known = { record, isWhole: !incomplete };
    all.set(recordKey(name), { name, known });
  }
  return all;
}

export function byName(all: readonly { name: RecordName; known: Known }[]): States {
  return new Map(all.map((one) => [recordKey(one.name), one]));
}

/** A text, since items are compared as texts: the order of their members counts. */
export function textOf(states: States): string {
  const stored = [...states.values()].map(
    ({ name: { base, account }, known: { record, isWhole } }): StoredState => ({
      ...(base !== undefined && { base }),
      account,
      record,
      ...(!isWhole && { incomplete: true }),
    }),
  );
  return JSON.stringify(stored);
}

/** What two know who have learnt on from the same. @param merge of one record */
export function mergedStates(
  before: States,
  own: States,
  other: States,
  merge: (
    ...known: [before: Known | undefined, own: Known | undefined, other: Known | undefined]
  ) => Known | undefined,
): States {
  const names = [...new Map([...before, ...other, ...own])];
  return byName(
    names.flatMap(([key, { name }]) => {
      const known = merge(before.get(key)?.known, own.get(key)?.known, other.get(key)?.known);
      return known ? { name, known } : [];
    }),
  );
}

export function areSame(one: States, other: States): boolean {
  return (
    one.size === other.size &&
    [...one].every(([key, { known }]) => isDeepStrictEqual(known, other.get(key)?.known))
  );
}

/**
 * What the gates know of a record, by all of its names.
 *
 * @param service origin of the target; undefined: of any
 */
export async function knownOf(
  { query, namespace }: Database,
  { kind, id }: Pick<RecordName, 'kind' | 'id'>,
  service: string | undefined,
): Promise<{ name: RecordName; known: Known }[]> {
  const rows = await query<{ states: StoredState[] }>(
    `SELECT states FROM patchgate_record
      WHERE namespace = $1 AND kind = $2 AND id = $3 AND ($4::text IS NULL OR service = $4)`,
    [namespace, kind, id, service ?? null],
  );
  return rows.flatMap(({ states }) => [...statesOf({ kind, id, states }).values()]);
}
