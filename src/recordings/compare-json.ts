import { isObject, type JsonObject, type JsonValue } from '../json/json.ts';
import { REDACTED } from './redact/redacted.ts';

type Value = JsonValue | undefined;
export type Tokens = readonly (string | number)[];

/** Gets one difference; a side that has nothing there is undefined. `tokens` changes afterwards. False ends the comparison. */
type OnDifference = (tokens: Tokens, recorded: Value, now: Value) => boolean;

/**
 * Compares a value with the recorded one, whose placeholders equal any value. Absent is not null.
 *
 * @param work counts down the values compared
 * @returns false if `onDifference` ended it
 */
export function compareJson(
  recorded: JsonValue,
  now: JsonValue,
  onDifference: OnDifference,
  work = { left: 0 },
): boolean {
  const tokens: (string | number)[] = [];
  return compare(recorded, now);

  function compare(a: Value, b: Value): boolean {
    work.left--;
    if (a === b || (a === REDACTED && b !== undefined)) return true;
    if (typeof a === 'string' && typeof b === 'string' && sameText(a, b)) return true;
    if (Array.isArray(a) && Array.isArray(b)) {
      for (let i = 0; i < a.length || i < b.length; i++) if (!below(i, a[i], b[i])) return false;
      return true;
    }
    if (isObject(a) && isObject(b)) return compareObjects(a, b);
    return onDifference(tokens, a, b);
  }

  function below(token: string | number, a: Value, b: Value): boolean {
    tokens.push(token);
    const goesOn = compare(a, b);
    tokens.pop();
    return goesOn;
  }

  function compareObjects(a: JsonObject, b: JsonObject): boolean {
    const added = new Set(Object.keys(b).filter((name) => !Object.hasOwn(a, name)));
    for (const name of Object.keys(a)) {
      // A placeholder in a name equals any text, too.
      const other =
        Object.hasOwn(b, name) || !name.includes(REDACTED)
          ? name
          : [...added].find((one) => sameText(name, one));
      if (other !== undefined) added.delete(other);
      const value = other !== undefined && Object.hasOwn(b, other) ? b[other] : undefined;
      if (!below(name, a[name], value)) return false;
    }
    for (const name of added) if (!below(name, undefined, b[name])) return false;
    return true;
  }
}

export function sameJson(recorded: JsonValue, now: JsonValue): boolean {
  return compareJson(recorded, now, () => false);
}

/** Compares a text with the recorded one, whose placeholders equal any text. */
export function sameText(recorded: string, now: string): boolean {
  return recorded === now || recorded === REDACTED || isFilledIn(recorded, now, () => true);
}

/** The same for a whole body, whose placeholders equal one word each: else a form with further fields would be the same. */
export function sameBodyText(recorded: string, now: string): boolean {
  return recorded === now || isFilledIn(recorded, now, (gap) => !/[&"\s]/.test(gap));
}

function isFilledIn(recorded: string, now: string, fits: (gap: string) => boolean): boolean {
  if (!recorded.includes(REDACTED)) return false;
  const [first = '', ...others] = recorded.split(REDACTED);
  const last = others.pop() as string;
  const end = now.length - last.length;
  if (first.length > end || !now.startsWith(first) || !now.endsWith(last)) return false;
  let at = first.length;
  for (const piece of others) {
    const next = now.indexOf(piece, at);
    if (next < 0 || next + piece.length > end || !fits(now.slice(at, next))) return false;
    at = next + piece.length;
  }
  return fits(now.slice(at, end));
}
