import type { JsonObject, JsonValue } from './json.ts';
import { type PatternNode, patternsBelow } from './pointer-pattern.ts';

/**
 * The value as JSON with its members sorted: the same text for all values that matching takes for one.
 *
 * @param sets where arrays are whose order does not matter: their items are sorted too
 */
export function canonical(value: JsonValue, sets?: PatternNode): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) {
    if (sets?.matches) return `[${canonicalItems(value, sets).sort().join(',')}]`;
    let items = '';
    for (let i = 0; i < value.length; i++) {
      items += (i === 0 ? '' : ',') + canonical(value[i] as JsonValue, sets && patternsBelow(sets, i));
    }
    return `[${items}]`;
  }
  let members = '';
  for (const name of sortedNames(value)) {
    const item = canonical(value[name] as JsonValue, sets && patternsBelow(sets, name));
    members += `${(members === '' ? '' : ',') + quote(name)}:${item}`;
  }
  return `{${members}}`;
}

/** Of each item of an array whose order does not matter: below it, only `*` speaks of its items. */
export function canonicalItems(items: readonly JsonValue[], sets: PatternNode): string[] {
  return items.map((item) => canonical(item, sets.others));
}

let lastNames: readonly string[] = [];
let lastSorted: readonly string[] = [];

/** The items of a list mostly have the same names: the last order is taken again. */
function sortedNames(object: JsonObject): readonly string[] {
  const names = Object.keys(object);
  if (names.length !== lastNames.length || names.some((name, i) => name !== lastNames[i])) {
    lastNames = names;
    lastSorted = names.toSorted();
  }
  return lastSorted;
}

const ODD = /["\\]|[^ -~]/;

/** A text as JSON. Most texts need no escape, and JSON.stringify takes longer than to find that out. */
function quote(text: string): string {
  return ODD.test(text) ? JSON.stringify(text) : `"${text}"`;
}
