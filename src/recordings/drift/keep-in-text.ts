import { isObject, type JsonValue } from '../../json/json.ts';
import { findOffsets, skipValue } from '../../json/json-text.ts';
import { pointerOf } from '../../json/pointer.ts';
import { type PatternNode, patternsBelow } from '../../json/pointer-pattern.ts';
import type { Tokens } from './drifts.ts';
import { pairItems } from './pair-items.ts';

/** An ignored value that both sides have: where it stands in each. */
interface Place {
  was: Tokens;
  is: Tokens;
  value: JsonValue;
}

/**
 * Puts recorded values into the ignored places of a live text, which else stays as the service has written it. What one side alone
 * has stays as it is in the live one: nobody can say how the service would write it.
 *
 * @param recorded the recorded body, and the text that it is kept as, where it is one
 * @param live valid JSON, in which no name comes twice
 */
export function keepInText(
  recorded: { json: JsonValue; text: string | undefined },
  live: string,
  ignored: PatternNode,
): string {
  const places: Place[] = [];
  find(recorded.json, JSON.parse(live) as JsonValue, ignored, { was: [], is: [] });
  const at = offsets(live, 'is');
  const from = recorded.text === undefined ? undefined : offsets(recorded.text, 'was');
  const order = [...places.keys()].sort((a, b) => (at[a] as number) - (at[b] as number));
  const parts: string[] = [];
  let behind = 0;
  for (const index of order) {
    const start = at[index] as number;
    parts.push(live.slice(behind, start), written(index));
    behind = skipValue(live, start);
  }
  return [...parts, live.slice(behind)].join('');

  function find(before: JsonValue, now: JsonValue, patterns: PatternNode, { was, is }: Omit<Place, 'value'>) {
    if (patterns.isMeant) places.push({ was, is, value: before });
    else if (Array.isArray(before) && Array.isArray(now)) {
      for (const [i, j] of pairItems(before, now, undefined).pairs) {
        const below = patternsBelow(patterns, i);
        if (below)
          find(before[i] as JsonValue, now[j] as JsonValue, below, { was: [...was, i], is: [...is, j] });
      }
    } else if (isObject(before) && isObject(now)) {
      for (const [name, value] of Object.entries(before)) {
        const below = patternsBelow(patterns, name);
        if (below && Object.hasOwn(now, name))
          find(value, now[name] as JsonValue, below, { was: [...was, name], is: [...is, name] });
      }
    }
  }

  function offsets(text: string, side: 'was' | 'is'): number[] {
    return findOffsets(
      text,
      places.map((place) => ({ pointer: pointerOf(place[side]), part: 'value' })),
    );
  }

  function written(index: number): string {
    const start = from?.[index];
    if (start === undefined || recorded.text === undefined) return JSON.stringify(places[index]?.value);
    return recorded.text.slice(start, skipValue(recorded.text, start));
  }
}
