import { canonicalItems } from '../../json/canonical.ts';
import { isObject, type JsonObject, type JsonValue } from '../../json/json.ts';
import { type PatternNode, patternsBelow } from '../../json/pointer-pattern.ts';
import { REDACTED } from '../redaction/redacted.ts';

type Value = JsonValue | undefined;

/**
 * Told of a place where what was sent is not what was recorded: of one that is undefined there, this side has nothing. The tokens are
 * to be read at once, since the comparison goes on with them. False: no further one is looked for.
 */
export type OnDifference = (tokens: readonly (string | number)[], recorded: Value, sent: Value) => boolean;

/**
 * Compares two arrays in the place of the comparison item by item.
 *
 * @param compareItem compares two items by their indexes; false where the comparison was ended
 */
export type CompareArrays = (
  tokens: readonly (string | number)[],
  recorded: JsonValue[],
  sent: JsonValue[],
  sets: PatternNode | undefined,
  compareItem: (recorded: number, sent: number) => boolean,
) => boolean;

/**
 * Compares a value of what was sent, or answered today, with the recorded one, whose placeholders stand for any value. Absent is not
 * null.
 *
 * @param sets where arrays are, from here on, whose order does not matter
 * @param work counts down the values that are looked at
 * @returns false where it was ended
 */
export function compareJson(
  recorded: JsonValue,
  sent: JsonValue,
  sets: PatternNode | undefined,
  onDifference: OnDifference,
  work = { left: 0 },
  arrays?: CompareArrays,
): boolean {
  const tokens: (string | number)[] = [];
  return compare(recorded, sent, sets);

  function compare(before: Value, now: Value, node: PatternNode | undefined): boolean {
    work.left--;
    if (before === now || (before === REDACTED && now !== undefined)) return true;
    if (typeof before === 'string' && typeof now === 'string' && sameText(before, now)) return true;
    if (Array.isArray(before) && Array.isArray(now)) return compareArrays(before, now, node);
    if (isObject(before) && isObject(now)) return compareObjects(before, now, node);
    return onDifference(tokens, before, now);
  }

  function below(token: string | number, before: Value, now: Value, node: PatternNode | undefined): boolean {
    tokens.push(token);
    const goesOn = compare(before, now, node);
    tokens.pop();
    return goesOn;
  }

  function compareArrays(before: JsonValue[], now: JsonValue[], node: PatternNode | undefined): boolean {
    if (arrays)
      return arrays(tokens, before, now, node, (was, is) =>
        below(was, before[was], now[is], node && patternsBelow(node, was)),
      );
    if (node?.matches) {
      work.left -= before.length + now.length;
      const alone = unpaired(before, now, node);
      return (
        alone.recorded.every((i) => below(i, before[i], undefined, undefined)) &&
        alone.sent.every((i) => below(i, undefined, now[i], undefined))
      );
    }
    for (let i = 0; i < before.length || i < now.length; i++)
      if (!below(i, before[i], now[i], node && patternsBelow(node, i))) return false;
    return true;
  }

  function compareObjects(before: JsonObject, now: JsonObject, node: PatternNode | undefined): boolean {
    const renamed = new Set<string>();
    for (const name of Object.keys(before)) {
      let other: string | undefined = name;
      if (!Object.hasOwn(now, name)) {
        // A placeholder in a name, too, stands for any text.
        other = name.includes(REDACTED)
          ? Object.keys(now).find(
              (one) => !Object.hasOwn(before, one) && !renamed.has(one) && sameText(name, one),
            )
          : undefined;
        if (other !== undefined) renamed.add(other);
      }
      const value = other === undefined ? undefined : now[other];
      if (!below(name, before[name], value, node && patternsBelow(node, name))) return false;
    }
    for (const name of Object.keys(now))
      if (!Object.hasOwn(before, name) && !renamed.has(name) && !below(name, undefined, now[name], undefined))
        return false;
    return true;
  }
}

/** Whether there is no difference. Ends at the first one. */
export function sameJson(recorded: JsonValue, sent: JsonValue, sets: PatternNode | undefined): boolean {
  return compareJson(recorded, sent, sets, () => false);
}

/**
 * The items of two arrays whose order does not matter, by their indexes, that have none like them on the other side. First those that
 * are equal are pairs; then each recorded one with a placeholder takes the first that is left and matches it, those that are nothing
 * but a placeholder last. So one may take what only another could have matched, and a request be missed that a longer search would
 * find: never the reverse.
 */
function unpaired(recorded: readonly JsonValue[], sent: readonly JsonValue[], sets: PatternNode) {
  const left = new Map<string, number[]>();
  for (const [i, text] of canonicalItems(sent, sets).entries()) {
    const same = left.get(text);
    if (same) same.push(i);
    else left.set(text, [i]);
  }
  const alone: number[] = [];
  const open: number[] = [];
  for (const [i, text] of canonicalItems(recorded, sets).entries())
    if (left.get(text)?.pop() === undefined) (text.includes(REDACTED) ? open : alone).push(i);
  const rest = [...left.values()].flat().sort((a, b) => a - b);
  const isBare = (i: number) => recorded[i] === REDACTED;
  for (const i of [...open.filter((i) => !isBare(i)), ...open.filter(isBare)]) {
    const at = rest.findIndex((j) => sameJson(recorded[i] as JsonValue, sent[j] as JsonValue, sets.others));
    if (at < 0) alone.push(i);
    else rest.splice(at, 1);
  }
  return { recorded: alone.sort((a, b) => a - b), sent: rest };
}

/** Whether a text is the recorded one, whose placeholders stand for any text in their places. */
export function sameText(recorded: string, sent: string): boolean {
  return recorded === sent || recorded === REDACTED || isFilledIn(recorded, sent, () => true);
}

/**
 * Whether a whole body is the recorded one, whose placeholders stand for a word each: for more than that, and a form with
 * further fields would be the same.
 */
export function sameBodyText(recorded: string, sent: string): boolean {
  return isFilledIn(recorded, sent, (gap) => !/[&"\s]/.test(gap));
}

function isFilledIn(recorded: string, sent: string, fits: (gap: string) => boolean): boolean {
  if (!recorded.includes(REDACTED)) return false;
  const [first = '', ...others] = recorded.split(REDACTED);
  const last = others.pop() as string;
  const end = sent.length - last.length;
  if (first.length > end || !sent.startsWith(first) || !sent.endsWith(last)) return false;
  let at = first.length;
  for (const piece of others) {
    const next = sent.indexOf(piece, at);
    if (next < 0 || next + piece.length > end || !fits(sent.slice(at, next))) return false;
    at = next + piece.length;
  }
  return fits(sent.slice(at, end));
}
