import type { JsonObject } from '../../json/json.ts';
import type { RecordKind } from '../../model/record.ts';

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
