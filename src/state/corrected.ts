import { isObject, type JsonObject, type JsonValue, listAt, member } from '../json/json.ts';
import { type Effect, losesEnvironment } from '../model/effect.ts';
import { environmentsOf } from './project.ts';
import { isPossible } from './records.ts';

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
  const stored = missing.flatMap((field) => {
    const value = member(known, field);
    return value === undefined ? [] : [[field, value] as const];
  });
  return { ...sent, ...Object.fromEntries(stored), environments: fullList(known, sent, effects) };
}

function fullList(known: JsonObject, body: JsonObject, effects: readonly Effect[]): JsonValue {
  const given = member(body, 'environments');
  // A client that leaves out the list has not asked for anything to go.
  const lost = effects.filter(losesEnvironment).filter(({ allowed }) => !allowed || given === undefined);
  if (lost.length === 0 && given !== undefined) return given;
  const environments = [...listAt(body, 'environments')];
  // One that was the default is kept, but not as a second one; where there are several already, all stay as they are.
  const isDefaultMoved =
    environments.some(isMarked) &&
    listAt(known, 'environments').filter((item) => isMarked(item) && !isPossible(item)).length <= 1;
  // Of one with several names, that which it is sure to have.
  const items = new Map(
    environmentsOf(known)
      .sort((a, b) => Number(a.possibleSince === undefined) - Number(b.possibleSince === undefined))
      .map(({ id, index }) => [id, index]),
  );
  for (const effect of lost) {
    const { id } = effect;
    if (effect.kind === 'environment-replaced') {
      environments[effect.index] = { ...(environments[effect.index] as JsonObject), id };
      continue;
    }
    const { possibleSince: _, ...item } = listAt(known, 'environments')[
      items.get(id) as number
    ] as JsonObject;
    environments.push(isDefaultMoved && isMarked(item) ? { ...item, isEnabled: false } : item);
  }
  return environments;
}

/** As the default environment. Source: service-api 2.1. */
function isMarked(environment: JsonValue): boolean {
  return member(environment, 'isEnabled') === true;
}
