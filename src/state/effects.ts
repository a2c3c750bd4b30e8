import { isObject, type JsonObject, type JsonValue, listAt, member } from '../json/json.ts';
import type { Effect } from '../model/effect.ts';
import type { RecordKind } from '../model/record.ts';
import { type MayGo, projectEffects } from './project-effects.ts';
import { RECORD_LISTS, type RecordList } from './record-lists.ts';
import { isSameProject } from './same-project.ts';

/**
 * What a PATCH does to a record. The one function for the proxy, `check`, `plan` and the fake. Pure.
 *
 * @param known the record as far as it is known
 * @param body whatever JSON was sent
 * @param mayGo says which environments may go without asking, by their names
 */
export function effectsOf(
  kind: RecordKind,
  known: JsonObject,
  body: JsonValue,
  mayGo: MayGo = () => false,
): Effect[] {
  if (kind === 'project') return isSameProject(known, body) ? [] : projectEffects(known, body, mayGo);
  return RECORD_LISTS[kind].flatMap((list) => leftOut(list, known, body));
}

/** What the stored list has and the sent one has not. Only where one is sent: a field that is left out may stay as it is. */
function leftOut({ field, effect, id, name }: RecordList, known: JsonObject, body: JsonValue): Effect[] {
  if (!Array.isArray(member(body, field))) return [];
  const sent = new Set(listAt(body, field).map((item) => member(item, id)));
  const effects = new Map<number | string, Effect>();
  for (const item of listAt(known, field)) {
    const its = isObject(item) ? member(item, id) : undefined;
    if ((typeof its !== 'number' && typeof its !== 'string') || sent.has(its)) continue;
    const called = member(item, name);
    effects.set(its, {
      kind: effect,
      id: its,
      ...(typeof called === 'string' && { name: called }),
      possible: true,
    });
  }
  return [...effects.values()];
}
