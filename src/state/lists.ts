import { isObject, type JsonObject, type JsonValue, listAt, member } from '../json/json.ts';
import type { RecordKind } from '../model/record.ts';
import { environmentsOf, haveSameEnvironments, languagesOf } from './project.ts';

/**
 * As much of a record as a PATCH is compared with. Leaves out what cannot be read.
 *
 * @param before a plain one: its environments are taken if they are the same, since a new list costs the garbage collector more
 */
export function plainRecord(kind: RecordKind, value: JsonValue | undefined, before?: JsonObject): JsonObject {
  const record: JsonObject = {};
  const name = member(value, 'name');
  if (typeof name === 'string') record.name = name;
  if (kind === 'project') {
    if (Array.isArray(member(value, 'languages'))) record.languages = [...languagesOf(value)];
    if (Array.isArray(member(value, 'environments')))
      record.environments =
        (haveSameEnvironments(before, value) && before?.environments) ||
        environmentsOf(value).map(({ id, name, isEnabled }) => ({ id, name, isEnabled }));
    return record;
  }
  // Of a flag, rules ask what its variables are.
  if (kind === 'feature' && Array.isArray(member(value, 'variables')))
    record.variables = listAt(value, 'variables').filter(isObject).map(plainVariable);
  return record;
}

function plainVariable({ id, dataType }: JsonObject): JsonObject {
  return { ...(typeof id === 'number' && { id }), ...(typeof dataType === 'string' && { dataType }) };
}

/** A project that may be as it was or as it was sent: it has what either has, an environment under both of its names. */
export function unionOf(before: JsonObject, sent: JsonObject): JsonObject {
  const key = (item: JsonValue) => `${member(item, 'id')} ${member(item, 'name')}`;
  const later = new Set(listAt(sent, 'environments').map(key));
  const others = listAt(before, 'environments').filter((item) => !later.has(key(item)));
  const languages = [...new Set([...languagesOf(before), ...languagesOf(sent)])];
  return { ...before, ...sent, languages, environments: [...others, ...listAt(sent, 'environments')] };
}
