import { isObject, type JsonObject, type JsonValue } from '../../json/json.ts';
import { type PatternNode, patternsBelow } from '../../json/pointer-pattern.ts';
import type { RecordedResponse } from '../../model/exchange.ts';
import { jsonOf } from '../body.ts';
import { withJson } from '../json-style.ts';
import { keepInText } from './keep-in-text.ts';
import { pairItems } from './pair-items.ts';

/**
 * A live answer with what the recorded one has in the places that are ignored: these are not to change with the rest. One with
 * another status is another kind of answer, and stays as it is.
 */
export function keepIgnored(
  recorded: RecordedResponse,
  live: RecordedResponse,
  ignored: PatternNode | undefined,
): RecordedResponse {
  const { body } = live;
  const before = recorded.body && jsonOf(recorded.body);
  if (!ignored || recorded.status !== live.status) return live;
  if (ignored.isMeant) return withBodyOf(recorded, live);
  if (before === undefined || !body) return live;
  if ('json' in body) return { ...live, body: withJson(body, kept(before, body.json, ignored)) };
  if (!('text' in body) || jsonOf(body) === undefined) return live;
  const text = recorded.body && 'text' in recorded.body ? recorded.body.text : undefined;
  return { ...live, body: { text: keepInText({ json: before, text }, body.text, ignored) } };
}

function withBodyOf({ body }: RecordedResponse, live: RecordedResponse): RecordedResponse {
  const { body: _, ...others } = live;
  return { ...others, ...(body && { body }) };
}

function kept(before: JsonValue, now: JsonValue, ignored: PatternNode): JsonValue {
  if (ignored.isMeant) return before;
  if (Array.isArray(before) && Array.isArray(now)) {
    const items = [...now];
    for (const [was, is] of pairItems(before, now, undefined).pairs) {
      const below = patternsBelow(ignored, was);
      if (below) items[is] = kept(before[was] as JsonValue, now[is] as JsonValue, below);
    }
    return items;
  }
  return isObject(before) && isObject(now) ? keptMembers(before, now, ignored) : now;
}

function keptMembers(before: JsonObject, now: JsonObject, ignored: PatternNode): JsonObject {
  const members: [string, JsonValue][] = [];
  for (const [name, value] of Object.entries(now)) {
    const below = patternsBelow(ignored, name);
    if (!below) members.push([name, value]);
    else if (Object.hasOwn(before, name)) members.push([name, kept(before[name] as JsonValue, value, below)]);
    else if (!below.isMeant) members.push([name, value]);
  }
  for (const [name, value] of Object.entries(before)) {
    if (!Object.hasOwn(now, name) && patternsBelow(ignored, name)?.isMeant) members.push([name, value]);
  }
  return Object.fromEntries(members);
}
