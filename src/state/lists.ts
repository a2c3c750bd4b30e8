import { isObject, type JsonObject, type JsonValue, listAt, member } from '../json/json.ts';
import type { Effect } from '../model/effect.ts';
import type { RecordKind } from '../model/record.ts';
import { environmentsOf, languagesOf } from './project.ts';

/** A list of a feature or draft whose items have ids: service-api 2.2 and 2.3. */
export interface RecordList {
  /** The top-level field. */
  field: string;
  /** Members of an item. */
  id: string;
  name: string;
  /** Of a PATCH that leaves an item out. */
  effect: Extract<Effect, { possible: true }>['kind'];
}

/** What features and drafts hold that a PATCH could lose. A flag's variation goes by its key. */
export const RECORD_LISTS: Readonly<Record<Exclude<RecordKind, 'project'>, readonly RecordList[]>> = {
  feature: [
    { field: 'variables', id: 'id', name: 'variableName', effect: 'variable-removed' },
    { field: 'variations', id: 'key', name: 'name', effect: 'variation-removed' },
    { field: 'goals', id: 'metricId', name: 'name', effect: 'goal-removed' },
  ],
  draft: [
    { field: 'variations', id: 'id', name: 'name', effect: 'variation-removed' },
    { field: 'goals', id: 'id', name: 'name', effect: 'goal-removed' },
  ],
};

/** As much of a record as a PATCH is compared with. Leaves out what cannot be read. */
export function plainRecord(kind: RecordKind, value: JsonValue | undefined): JsonObject {
  const record: JsonObject = {};
  const name = member(value, 'name');
  if (typeof name === 'string') record.name = name;
  if (kind === 'project') {
    if (Array.isArray(member(value, 'languages'))) record.languages = [...languagesOf(value)];
    if (Array.isArray(member(value, 'environments')))
      record.environments = environmentsOf(value).map(({ id, name, isEnabled }) => ({ id, name, isEnabled }));
    return record;
  }
  for (const { field, id, name } of RECORD_LISTS[kind]) {
    if (!Array.isArray(member(value, field))) continue;
    record[field] = listAt(value, field)
      .filter(isObject)
      .map((item) => picked(item, [id, name, 'dataType']));
  }
  return record;
}

function picked(item: JsonObject, members: readonly string[]): JsonObject {
  const kept: JsonObject = {};
  for (const name of members) {
    const value = member(item, name);
    if (value !== undefined && typeof value !== 'object') kept[name] = value;
  }
  return kept;
}

/** A project that may be as it was or as it was sent: it has what either has, an environment under both of its names. */
export function unionOf(before: JsonObject, sent: JsonObject): JsonObject {
  const key = (item: JsonValue) => `${member(item, 'id')} ${member(item, 'name')}`;
  const later = new Set(listAt(sent, 'environments').map(key));
  const others = listAt(before, 'environments').filter((item) => !later.has(key(item)));
  const languages = [...new Set([...languagesOf(before), ...languagesOf(sent)])];
  return { ...before, ...sent, languages, environments: [...others, ...listAt(sent, 'environments')] };
}
