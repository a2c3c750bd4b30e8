import { type JsonObject, type JsonValue, member } from '../model/json.ts';

/**
 * Whether a project as it was sent or shown is as it is kept, to the order of its lists. Most are: a client that changes one
 * field sends all of them, and this costs a tenth of finding out what is different.
 *
 * @param kept as `plainRecord` makes it
 */
export function isSameProject(kept: JsonObject, value: JsonValue | undefined): boolean {
  return (
    member(value, 'name') === kept.name &&
    kept.name !== undefined &&
    areSame(kept.languages, member(value, 'languages'), (one, other) => one === other) &&
    areSame(kept.environments, member(value, 'environments'), isSameEnvironment)
  );
}

function areSame(
  kept: JsonValue | undefined,
  list: JsonValue | undefined,
  isSame: (one: JsonValue, other: JsonValue) => boolean,
): boolean {
  if (!Array.isArray(kept) || !Array.isArray(list) || kept.length !== list.length) return false;
  for (let i = 0; i < kept.length; i++) if (!isSame(kept[i] as JsonValue, list[i] as JsonValue)) return false;
  return true;
}

function isSameEnvironment(kept: JsonValue, item: JsonValue): boolean {
  return (
    typeof member(kept, 'id') === 'number' &&
    ENVIRONMENT.every((name) => member(kept, name) !== undefined && member(kept, name) === member(item, name))
  );
}

const ENVIRONMENT = ['id', 'name', 'isEnabled'];
