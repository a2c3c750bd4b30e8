import { canonical } from '../../json/canonical.ts';
import { type JsonValue, member } from '../../json/json.ts';

/** Which items of two arrays are to be compared, by their indexes. */
interface Pairing {
  pairs: readonly (readonly [before: number, after: number])[];
  /** Those that have none on the other side. */
  removed: readonly number[];
  added: readonly number[];
  /** The pairs stand in another order there. */
  isReordered: boolean;
}

/** Members that name an item, where each has a value of its own. */
const NAMES = ['id', 'key'];
type Name = string | number;

/**
 * Pairs the items of two arrays: by what names them, where that is so on both sides; else by their places, from both ends, so that
 * one item more or less does not make all behind it differ. An id that was a number and is a text names the same item, unless there
 * are both.
 */
export function pairItems(before: readonly JsonValue[], after: readonly JsonValue[]): Pairing {
  const [from, to] = [[...before.keys()], [...after.keys()]];
  for (const name of NAMES) {
    const [wasAt, isAt] = [indexesByName(name, before, from), indexesByName(name, after, to)];
    const pairing = wasAt && isAt && byName(wasAt, isAt);
    if (pairing) return pairing;
  }
  const textOf = (items: readonly JsonValue[], index: number) => canonical(items[index] as JsonValue);
  return byPlace(from, to, (was, is) => textOf(before, was) === textOf(after, is));
}

/** Undefined where the member does not name the items. */
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

/** Undefined where no item is on both sides. */
function byName(wasAt: ReadonlyMap<Name, number>, isAt: ReadonlyMap<Name, number>): Pairing | undefined {
  const pairs: [number, number][] = [];
  const removed: number[] = [];
  const added = new Set(isAt.values());
  for (const [name, was] of wasAt) {
    const is = isAt.get(name) ?? isAt.get(retyped(name, wasAt));
    if (is === undefined) removed.push(was);
    else {
      pairs.push([was, is]);
      added.delete(is);
    }
  }
  if (pairs.length === 0) return undefined;
  const isReordered = pairs.some(([, is], i) => is < (pairs[i - 1]?.[1] ?? -1));
  return { pairs, removed, added: [...added], isReordered };
}

/** `"1"` of `1`, and the other way round; the name itself where that is another item's, or it cannot be the other type. */
function retyped(name: Name, items: ReadonlyMap<Name, number>): Name {
  const other = typeof name === 'number' ? String(name) : Number(name);
  return items.has(other) || String(other) !== String(name) ? name : other;
}

function byPlace(
  from: readonly number[],
  to: readonly number[],
  isEqual: (was: number, is: number) => boolean,
): Pairing {
  const shorter = Math.min(from.length, to.length);
  const isSame = (i: number, j: number) => isEqual(from.at(i) as number, to.at(j) as number);
  let atEnd = 0;
  if (from.length !== to.length) {
    let atStart = 0;
    while (atStart < shorter && isSame(atStart, atStart)) atStart++;
    while (atEnd < shorter - atStart && isSame(-1 - atEnd, -1 - atEnd)) atEnd++;
  }
  // Those at the end are equal.
  const count = shorter - atEnd;
  return {
    pairs: from.slice(0, count).map((was, i) => [was, to[i] as number]),
    removed: from.slice(count, from.length - atEnd),
    added: to.slice(count, to.length - atEnd),
    isReordered: false,
  };
}
