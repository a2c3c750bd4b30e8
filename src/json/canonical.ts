import type { JsonValue } from './json.ts';
import { type PatternNode, patternsBelow } from './pointer-pattern.ts';

/**
 * The value as JSON with its members sorted: the same text for all values that matching takes for one.
 *
 * @param sets where arrays are whose order does not matter: their items are sorted too
 */
export function canonical(value: JsonValue, sets?: PatternNode): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value !== 'object' || value === null) return String(value);
  let text = '';
  if (Array.isArray(value)) {
    if (sets?.isMeant) return `[${canonicalItems(value, sets).sort().join(',')}]`;
    for (let i = 0; i < value.length; i++) {
      text += `${i === 0 ? '' : ','}${canonical(value[i] as JsonValue, sets && patternsBelow(sets, i))}`;
    }
    return `[${text}]`;
  }
  for (const name of Object.keys(value).sort()) {
    const item = canonical(value[name] as JsonValue, sets && patternsBelow(sets, name));
    text += `${text === '' ? '' : ','}${quote(name)}:${item}`;
  }
  return `{${text}}`;
}

/** Of each item of an array whose order does not matter: below it, only `*` speaks of its items. */
export function canonicalItems(items: readonly JsonValue[], sets: PatternNode): string[] {
  return items.map((item) => canonical(item, sets.others));
}

const ODD = /["\\]|[^ -~]/;

/** A text as JSON. Most texts need no escape, and JSON.stringify takes longer than to find that out. */
function quote(text: string): string {
  return ODD.test(text) ? JSON.stringify(text) : `"${text}"`;
}
