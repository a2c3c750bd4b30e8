import { type JsonObject, type JsonValue, listAt } from '../../json/json.ts';
import type { Effect } from '../../model/effect.ts';
import { RECORD_LISTS } from '../../state/record-lists.ts';
import { objectsAt } from './fitting.ts';
import { copyOf } from './form.ts';

/** The record to which a PATCH with this body has these effects. */
export function before(body: JsonObject, effects: readonly Effect[]): JsonObject {
  const known = copyOf(body);
  const environments = listAt(known, 'environments');
  const of = (id: number) => objectsAt(known, 'environments').filter((one) => one.id === id);
  for (const effect of effects)
    switch (effect.kind) {
      case 'environment-deleted':
        environments.push({ id: effect.id, name: effect.name, isEnabled: false });
        break;
      case 'environment-replaced':
        for (const one of of(effect.newId)) Object.assign(one, { id: effect.id, name: effect.name });
        break;
      case 'environment-created':
        for (const one of of(effect.id)) environments.splice(environments.indexOf(one), 1);
        break;
      case 'environment-renamed':
        for (const one of of(effect.id)) one.name = effect.name;
        break;
      case 'default-changed':
        for (const one of objectsAt(known, 'environments'))
          one.isEnabled = effect.from.includes(one.id as number);
        break;
      case 'language-removed':
        listAt(known, 'languages').push(effect.name);
        break;
      case 'language-added':
        known.languages = listAt(known, 'languages').filter((name) => name !== effect.name);
        break;
      case 'name-changed':
        known.name = effect.name;
        break;
      default:
        addItem(known, effect);
    }
  return known;
}

function addItem(known: JsonObject, effect: Extract<Effect, { possible: true }>): void {
  const list = Object.values(RECORD_LISTS)
    .flat()
    .find(({ field, effect: kind }) => kind === effect.kind && Array.isArray(known[field]));
  if (!list) return;
  const item: Record<string, JsonValue> = { [list.id]: effect.id };
  if (effect.name !== undefined) item[list.name] = effect.name;
  listAt(known, list.field).push(item);
}
