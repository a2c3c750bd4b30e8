import { isObject, type JsonObject, type JsonValue, listAt, member } from '../json/json.ts';

/** An environment as far as it can be read (service-api 2.1). */
export interface Environment {
  id: number;
  /** `""` where there is none that can be read. */
  name: string;
  isEnabled: boolean;
  /** Its position in the list. */
  index: number;
}

/** Those of a project's environments that have an id; the service could hold on to no other. */
export function environmentsOf(project: JsonValue | undefined): Environment[] {
  const environments: Environment[] = [];
  for (const [index, item] of listAt(project, 'environments').entries()) {
    const id = member(item, 'id');
    if (typeof id !== 'number' || !Number.isInteger(id)) continue;
    const name = member(item, 'name');
    const isEnabled = member(item, 'isEnabled') === true;
    environments.push({ id, name: typeof name === 'string' ? name : '', isEnabled, index });
  }
  return environments;
}

/** The texts of a list, each once. */
export function languagesOf(project: JsonValue | undefined): Set<string> {
  return new Set(listAt(project, 'languages').filter((item) => typeof item === 'string'));
}

/**
 * Whether a project as it was sent or shown is as it is kept, to the order of its lists. Most are: a client that changes one
 * field sends all of them, and this costs a tenth of finding out what is different.
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
    kept.isEnabled === item.isEnabled
  );
}
