import { childOf, isObject, type JsonValue } from '../json/json.ts';
import { REDACTED } from './redact/redacted.ts';

type Value = JsonValue | undefined;
export type Tokens = readonly (string | number)[];

/**
 * Compares a value with the recorded one, whose placeholders equal any value. Absent is not null.
 *
 * @param onDifference gets each place that differs; `tokens` changes afterwards; false ends the comparison
 */
export function compareJson(
  recorded: Value,
  now: Value,
  onDifference: (tokens: Tokens) => boolean,
  tokens: (string | number)[] = [],
): boolean {
  if (recorded === now || (recorded === REDACTED && now !== undefined)) return true;
  if (typeof recorded === 'string' && typeof now === 'string' && sameText(recorded, now)) return true;
  const children = childrenOf(recorded, now);
  if (children === undefined) return onDifference(tokens);
  for (const [name, nameNow] of children) {
    tokens.push(name);
    const [a, b] = [childOf(recorded, name), childOf(now, nameNow)] as Value[];
    const goesOn = compareJson(a, b, onDifference, tokens);
    tokens.pop();
    if (!goesOn) return false;
  }
  return true;
}

/** Names of members, or indexes of items, each with that of the other side; undefined for other values. */
function childrenOf(a: Value, b: Value): Map<string | number, string | number> | undefined {
  if (Array.isArray(a) && Array.isArray(b))
    return new Map((a.length > b.length ? a : b).map((_, i) => [i, i]));
  if (!isObject(a) || !isObject(b)) return undefined;
  const added = new Set(Object.keys(b).filter((name) => !Object.hasOwn(a, name)));
  const children = new Map(Object.keys(a).map((name) => [name, name]));
  for (const name of children.keys()) {
    if (Object.hasOwn(b, name) || !name.includes(REDACTED)) continue;
    // A placeholder in a name equals any text, too.
    const other = [...added].find((one) => sameText(name, one));
    if (other !== undefined && added.delete(other)) children.set(name, other);
  }
  for (const name of added) children.set(name, name);
  return children;
}

/**
 * Compares a text with the recorded one, whose placeholders equal any text that fits. Linear.
 *
 * @param fits what stands for a placeholder
 */
export function sameText(recorded: string, now: string, fits = (_gap: string) => true): boolean {
  if (recorded === now) return true;
  const [first = '', ...pieces] = recorded.split(REDACTED);
  const last = pieces.pop();
  if (last === undefined || !now.startsWith(first) || !now.endsWith(last)) return false;
  const end = now.length - last.length;
  let at = first.length;
  for (const piece of pieces) {
    const next = now.indexOf(piece, at);
    if (next < 0 || !fits(now.slice(at, next))) return false;
    at = next + piece.length;
  }
  return at <= end && fits(now.slice(at, end));
}
