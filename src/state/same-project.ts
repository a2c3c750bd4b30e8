import { isObject, type JsonObject, type JsonValue, member } from '../json/json.ts';

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
    hasSameLanguages(kept, value) &&
    hasSameEnvironments(kept, value)
  );
}

export function hasSameLanguages(kept: JsonObject, value: JsonValue | undefined): boolean {
  return areSame(kept.languages, member(value, 'languages'), (one, other) => one === other);
}

/** False where one of them is not sure to exist. */
export function hasSameEnvironments(kept: JsonObject, value: JsonValue | undefined): boolean {
  return areSame(kept.environments, member(value, 'environments'), isSameEnvironment);
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

/** Of what every request has, so without a look-up by name. */
function isSameEnvironment(kept: JsonValue, item: JsonValue): boolean {
  return (
    isObject(kept) &&
    isObject(item) &&
    typeof kept.id === 'number' &&
    kept.id === item.id &&
    kept.name !== undefined &&
    kept.name === item.name &&
    kept.isEnabled !== undefined &&
    kept.isEnabled === item.isEnabled &&
    kept.possibleSince === undefined
  );
}
