import type { JsonObject } from '../json/json.ts';
import type { Known, RecordName } from '../model/record.ts';
import type { Database } from './database.ts';

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
  const rows = await query<{
    states: { base?: string; account: string; record: JsonObject; incomplete?: true }[];
  }>(
    `SELECT states FROM patchgate_record
      WHERE namespace = $1 AND kind = $2 AND id = $3 AND ($4::text IS NULL OR service = $4)`,
    [namespace, kind, id, service ?? null],
  );
  return rows
    .flatMap(({ states }) => states)
    .map(({ base, account, record, incomplete }) => ({
      name: { ...(base !== undefined && { base }), account, kind, id },
      known: { record, isWhole: !incomplete },
    }));
}
