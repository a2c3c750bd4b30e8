import { isObject, type JsonObject, type JsonValue, listAt, member } from '../json/json.ts';
import { type Effect, losesEnvironment } from '../model/effect.ts';
import { isSameName } from '../model/name-pattern.ts';
import { environmentsOf } from './project.ts';

/**
 * The body of a project PATCH that does what was meant and loses no environment: one that is left out is in it again, one
 * under another id has its own, and a mandatory field that is missing is as it stands. Languages that are left out stay so.
 *
 * @param known the project as far as it is known
 * @param effects what the body would do; those that are allowed happen
 * @returns undefined where nothing is lost
 */
export function correctedProject(
  known: JsonObject,
  body: JsonValue,
  effects: readonly Effect[],
): JsonObject | undefined {
  return effects.some((effect) => losesEnvironment(effect) && !effect.allowed)
    ? fullProject(known, body, effects)
    : undefined;
}

/** The same body, also where nothing is lost: it has its mandatory fields then. */
export function fullProject(known: JsonObject, body: JsonValue, effects: readonly Effect[]): JsonObject {
  const sent = isObject(body) ? body : {};
  const missing = ['name', 'languages'].filter((field) => member(sent, field) === undefined);
  return { ...sent, ...membersOf(known, missing), environments: fullList(known, sent, effects) };
}

function membersOf(known: JsonObject, fields: readonly string[]): JsonObject {
  const stored = fields.map((field) => [field, member(known, field)] as const);
  return Object.fromEntries(stored.filter((one): one is [string, JsonValue] => one[1] !== undefined));
}

function fullList(known: JsonObject, body: JsonObject, effects: readonly Effect[]): JsonValue {
  const given = member(body, 'environments');
  // A client that leaves out the list has not asked for anything to go.
  const lost = effects.filter(losesEnvironment).filter(({ allowed }) => !allowed || given === undefined);
  if (lost.length === 0 && given !== undefined) return given;
  const environments = [...listAt(body, 'environments')];
  // A former default is kept, but not as a second one; where there are several already, all stay as they are.
  const isDefaultMoved =
    environments.some(isMarked) && listAt(known, 'environments').filter(isMarked).length <= 1;
  const items = new Map(environmentsOf(known).map(({ id, index }) => [id, index]));
  for (const effect of lost) {
    const { id } = effect;
    if (effect.kind === 'environment-replaced') {
      environments[effect.index] = { ...(environments[effect.index] as JsonObject), id };
      continue;
    }
    const item = listAt(known, 'environments')[items.get(id) as number] as JsonObject;
    environments.push(isDefaultMoved && isMarked(item) ? { ...item, isEnabled: false } : item);
  }
  return environments;
}

/** As the default environment. Source: service-api 2.1. */
function isMarked(environment: JsonValue): boolean {
  return member(environment, 'isEnabled') === true;
}

/**
 * A full body of what fails its schema: fields that cannot be read are as they stand, an environment gets the members that it lacks,
 * and every known environment is in it.
 *
 * @param known the whole project
 */
export function repairedProject(known: JsonObject, body: JsonObject): JsonObject {
  const unreadable = [
    ...(typeof member(body, 'name') === 'string' ? [] : ['name']),
    ...(listAt(body, 'languages').every((item) => typeof item === 'string') ? [] : ['languages']),
    ...(Array.isArray(member(body, 'languages')) ? [] : ['languages']),
  ];
  const left = new Map(environmentsOf(known).map((one) => [one.id, one]));
  const environments: JsonValue[] = [];
  for (const item of listAt(body, 'environments')) {
    if (!isObject(item)) continue;
    const [id, name] = [Number(member(item, 'id')), member(item, 'name')];
    const stored =
      left.get(id) ??
      (member(item, 'id') === undefined && typeof name === 'string'
        ? [...left.values()].find((one) => isSameName(one.name, name))
        : undefined);
    if (stored) left.delete(stored.id);
    environments.push(stored ? completed(item, stored) : item);
  }
  for (const { index } of left.values()) environments.push(listAt(known, 'environments')[index] as JsonValue);
  return { ...body, ...membersOf(known, unreadable), environments };
}

function completed(item: JsonObject, stored: { id: number; name: string; isEnabled: boolean }): JsonObject {
  const name = member(item, 'name');
  const isEnabled = member(item, 'isEnabled');
  return {
    ...item,
    id: stored.id,
    name: typeof name === 'string' ? name : stored.name,
    isEnabled: typeof isEnabled === 'boolean' ? isEnabled : stored.isEnabled,
  };
}
