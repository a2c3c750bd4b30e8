import type { JsonObject, JsonValue } from './json.ts';

/** The value as JSON with its members sorted: the same text for all values that matching takes for one. */
export function canonical(value: JsonValue): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) {
    let items = '';
    for (let i = 0; i < value.length; i++) {
      items += (i === 0 ? '' : ',') + canonical(value[i] as JsonValue);
    }
    return `[${items}]`;
  }
  let members = '';
  for (const name of sortedNames(value)) {
    const item = canonical(value[name] as JsonValue);
    members += `${(members === '' ? '' : ',') + quote(name)}:${item}`;
  }
  return `{${members}}`;
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
