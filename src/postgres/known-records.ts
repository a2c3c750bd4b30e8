import type { Known, RecordName } from '../model/record.ts';
import type { Database } from './database.ts';
import { type StoredState, statesOf } from './states.ts';

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
