import type { JsonObject } from '../../src/json/json.ts';
import { environmentsOf } from '../../src/state/project.ts';
import type { Shown } from '../../src/state/records.ts';

/** What an answer shows that is the whole record. */
export function shown(record: JsonObject): Shown & { record: JsonObject } {
  return { record, isPart: false, ids: new Set(environmentsOf(record).map(({ id }) => id)) };
}
