import { isDeepStrictEqual } from 'node:util';
import { canonicalItems } from '../../json/canonical.ts';
import { type JsonValue, member } from '../../json/json.ts';
import type { PatternNode } from '../../json/pointer-pattern.ts';

/** Which items of two arrays are to be compared, by their indexes. */
export interface Pairing {
  pairs: readonly (readonly [recorded: number, live: number])[];
  /** Recorded ones that have none on the other side, and the other way round. */
  gone: readonly number[];
  come: readonly number[];
  /** The pairs stand in another order there. */
  isReordered: boolean;
}

/** Members that name an item, where each has a value of its own. */
const NAMES = ['id', 'key'];
type Name = string | number;

/**
 * Pairs the items of a recorded and a live array: by what names them, where that is so on both sides; else by their places,
 * from both ends, so that one item more or less does not make all behind it differ. An id that was a number and is a text names
 * the same item, unless there are both.
 *
 * @param sets given where the order does not matter: then equal items are no pairs, since there is nothing to compare
 */
export function pairItems(
  recorded: readonly JsonValue[],
  live: readonly JsonValue[],
  sets: PatternNode | undefined,
): Pairing {
  const [before, now] = sets?.isMeant
    ? unequal(recorded, live, sets)
    : [[...recorded.keys()], [...live.keys()]];
  for (const name of NAMES) {
    const named = byName(name, recorded, live, before, now);
    if (named) return sets?.isMeant ? { ...named, isReordered: false } : named;
  }
  return byPlace(recorded, live, before, now);
}

/** The indexes of the items that have no equal one. */
function unequal(
  recorded: readonly JsonValue[],
  live: readonly JsonValue[],
  sets: PatternNode,
): [number[], number[]] {
  /** The first one last: to take it from the end costs nothing, of however many equal ones. */
  const left = new Map<string, number[]>();
  const texts = canonicalItems(live, sets);
  for (let index = texts.length - 1; index >= 0; index--) {
    const text = texts[index] as string;
    const same = left.get(text);
    if (same) same.push(index);
    else left.set(text, [index]);
  }
  const alone: number[] = [];
  canonicalItems(recorded, sets).forEach((text, index) => {
    if (left.get(text)?.pop() === undefined) alone.push(index);
  });
  return [alone, [...left.values()].flat().sort((a, b) => a - b)];
}

/** Undefined where the member does not name the items, or no item is on both sides. */
function byName(
  name: string,
  recorded: readonly JsonValue[],
  live: readonly JsonValue[],
  before: readonly number[],
  now: readonly number[],
): Pairing | undefined {
  const wasAt = indexesByName(name, recorded, before);
  const isAt = wasAt && indexesByName(name, live, now);
  if (!wasAt || !isAt) return undefined;
  const pairs: [number, number][] = [];
  const gone: number[] = [];
  const come = new Set(isAt.values());
  for (const [value, index] of wasAt) {
    const there = isAt.get(value) ?? isAt.get(retyped(value, wasAt));
    if (there === undefined) gone.push(index);
    else {
      pairs.push([index, there]);
      come.delete(there);
    }
  }
  if (pairs.length === 0) return undefined;
  const isReordered = pairs.some(([, index], i) => index < (pairs[i - 1]?.[1] ?? -1));
  return { pairs, gone, come: [...come], isReordered };
}

/** `"1"` of `1`, and the other way round; the value itself where that is another item's, or it cannot be the other type. */
function retyped(value: Name, items: ReadonlyMap<Name, number>): Name {
  const other = typeof value === 'number' ? String(value) : Number(value);
  return items.has(other) || String(other) !== String(value) ? value : other;
}

function indexesByName(
  name: string,
  items: readonly JsonValue[],
  indexes: readonly number[],
): Map<Name, number> | undefined {
  const found = new Map<Name, number>();
  for (const index of indexes) {
    const value = member(items[index], name);
    if ((typeof value !== 'string' && typeof value !== 'number') || found.has(value)) return undefined;
    found.set(value, index);
  }
  return found;
}

function byPlace(
  recorded: readonly JsonValue[],
  live: readonly JsonValue[],
  before: readonly number[],
  now: readonly number[],
): Pairing {
  const shorter = Math.min(before.length, now.length);
  const isSame = (i: number, j: number) =>
    isDeepStrictEqual(recorded[before[i] as number], live[now[j] as number]);
  let atEnd = 0;
  if (before.length !== now.length) {
    let atStart = 0;
    while (atStart < shorter && isSame(atStart, atStart)) atStart++;
    while (atEnd < shorter - atStart && isSame(before.length - 1 - atEnd, now.length - 1 - atEnd)) atEnd++;
  }
  // Those at the end are equal.
  const count = shorter - atEnd;
  const pairs = before.slice(0, count).map((index, i): [number, number] => [index, now[i] as number]);
  return {
    pairs,
    gone: before.slice(count, before.length - atEnd),
    come: now.slice(count, now.length - atEnd),
    isReordered: false,
  };
}
