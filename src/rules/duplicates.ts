import { type JsonValue, listAt, member } from '../json/json.ts';
import type { Place } from '../model/rule.ts';

interface Duplicate<Key> {
  index: number;
  /** Index of the first item with that key. */
  first: number;
  key: Key;
}

/** The items whose key an earlier item has already. Those without a key are skipped. */
export function* duplicatesIn<Key>(
  list: readonly JsonValue[],
  keyOf: (item: JsonValue) => Key | undefined,
): Generator<Duplicate<Key>> {
  const firsts = new Map<Key, number>();
  for (let index = 0; index < list.length; index++) {
    const key = keyOf(list[index] as JsonValue);
    if (key === undefined) continue;
    const first = firsts.get(key);
    if (first === undefined) firsts.set(key, index);
    else yield { index, first, key };
  }
}

/** The item's numeric `id`, if it has one. */
export function idOf(item: JsonValue): number | undefined {
  const id = member(item, 'id');
  return typeof id === 'number' ? id : undefined;
}

/** A place for each item of a list of the body whose id an earlier one has already. */
export function* repeatedIds(body: JsonValue, list: string, hint: string): Generator<Place> {
  for (const { index, first, key } of duplicatesIn(listAt(body, list), idOf)) {
    const pointer = `/${list}/${index}/id`;
    yield { pointer, message: `${pointer} is ${key}, as /${list}/${first}/id is already`, hint };
  }
}
