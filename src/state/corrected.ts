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
 * @returns undefined if nothing is lost
 */
export function correctedProject(
  known: JsonObject,
  body: JsonValue,
  effects: readonly Effect[],
): JsonObject | undefined {
  if (!effects.some((effect) => losesEnvironment(effect) && !effect.allowed)) return undefined;
  const sent = isObject(body) ? body : {};
  const missing = ['name', 'languages'].filter((field) => member(sent, field) === undefined);
  return { ...sent, ...membersOf(known, missing), environments: fullList(known, sent, effects) };
}

function membersOf(known: JsonObject, fields: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(known).filter(([field]) => fields.includes(field)));
}

function fullList(known: JsonObject, body: JsonObject, effects: readonly Effect[]): JsonValue {
  // A client that leaves out the list has not asked for anything to go.
  const mayGo = member(body, 'environments') !== undefined;
  const stored = listAt(known, 'environments');
  const storedById = new Map(stored.map((one) => [member(one, 'id'), one]));
  const environments = [...listAt(body, 'environments')];
  // A former default is kept, but not as a second one; if there are several already, all stay as they are.
  const isDefaultMoved = environments.some(isDefault) && stored.filter(isDefault).length <= 1;
  for (const effect of effects.filter(losesEnvironment)) {
    if (effect.allowed && mayGo) continue;
    if (effect.kind === 'environment-replaced')
      environments[effect.index] = { ...(environments[effect.index] as JsonObject), id: effect.id };
    else {
      const item = storedById.get(effect.id) as JsonObject;
      environments.push(isDefaultMoved && isDefault(item) ? { ...item, isEnabled: false } : item);
    }
  }
  return environments;
}

function isDefault(environment: JsonValue): boolean {
  return member(environment, 'isEnabled') === true;
}

/**
 * A full body of what fails its schema: fields that cannot be read are as they stand, an environment gets the members that it lacks,
 * and every known environment is in it.
 *
 * @param known the whole project
 */
export function repairedProject(known: JsonObject, body: JsonObject): JsonObject {
  const languages = member(body, 'languages');
  const isReadable = Array.isArray(languages) && languages.every((item) => typeof item === 'string');
  const unreadable = [typeof member(body, 'name') === 'string' ? '' : 'name', isReadable ? '' : 'languages'];
  const left = new Map(environmentsOf(known).map((one) => [one.id, one]));
  const environments: JsonValue[] = [];
  for (const item of listAt(body, 'environments').filter(isObject)) {
    const [id, name, isEnabled] = ['id', 'name', 'isEnabled'].map((field) => member(item, field));
    const isNamed = (one: { name: string }) => typeof name === 'string' && isSameName(one.name, name);
    const hasId = id !== undefined && id !== null;
    const stored = hasId ? left.get(Number(id)) : [...left.values()].find(isNamed);
    if (stored) left.delete(stored.id);
    environments.push({
      ...item,
      ...(stored && { id: stored.id }),
      ...(stored && typeof name !== 'string' && { name: stored.name }),
      ...(stored && typeof isEnabled !== 'boolean' && { isEnabled: stored.isEnabled }),
    });
  }
  for (const { index } of left.values()) environments.push(listAt(known, 'environments')[index] as JsonValue);
  return { ...body, ...membersOf(known, unreadable), environments };
}
