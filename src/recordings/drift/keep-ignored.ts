import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonValue } from '../../json/json.ts';
import { type PatternNode, patternsBelow } from '../../json/pointer-pattern.ts';
import type { RecordedResponse } from '../../model/exchange.ts';
import { jsonOf } from '../body.ts';
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
  if (!ignored || recorded.status !== live.status) return live;
  const { body, ...others } = live;
  if (ignored.matches) return { ...others, ...(recorded.body && { body: recorded.body }) };
  const before = recorded.body && jsonOf(recorded.body);
  const now = body && jsonOf(body);
  if (!body || before === undefined || now === undefined) return live;
  const json = kept(before, now, ignored);
  if (isDeepStrictEqual(json, now)) return live;
  return { ...live, body: 'json' in body ? { ...body, json } : { json } };
}

function kept(before: JsonValue, now: JsonValue, ignored: PatternNode): JsonValue {
  if (ignored.matches) return before;
  if (Array.isArray(before) && Array.isArray(now)) {
    const items = [...now];
    for (const [was, is] of pairItems(before, now).pairs) {
      const below = patternsBelow(ignored, was);
      if (below) items[is] = kept(before[was] as JsonValue, now[is] as JsonValue, below);
    }
    return items;
  }
  if (!isObject(before) || !isObject(now)) return now;
  const members = Object.entries(now).flatMap(([name, value]): [string, JsonValue][] => {
    const below = patternsBelow(ignored, name);
    if (!below) return [[name, value]];
    if (Object.hasOwn(before, name)) return [[name, kept(before[name] as JsonValue, value, below)]];
    return below.matches ? [] : [[name, value]];
  });
  const removed = Object.entries(before).filter(
    ([name]) => !Object.hasOwn(now, name) && patternsBelow(ignored, name)?.matches,
  );
  return Object.fromEntries([...members, ...removed]);
}
