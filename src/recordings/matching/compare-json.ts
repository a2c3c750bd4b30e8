import { isObject, type JsonObject, type JsonValue } from '../../json/json.ts';
import { REDACTED } from '../redaction/redacted.ts';

type Value = JsonValue | undefined;

/**
 * Told of a place where what was sent is not what was recorded: of one that is undefined there, this side has nothing. The tokens are
 * to be read at once, since the comparison goes on with them. False: no further one is looked for.
 */
export type OnDifference = (tokens: readonly (string | number)[], recorded: Value, sent: Value) => boolean;

/**
 * Compares a value of what was sent, or answered today, with the recorded one, whose placeholders stand for any value. Absent is not
 * null.
 *
 * @param work counts down the values that are looked at
 * @returns false where it was ended
 */
export function compareJson(
  recorded: JsonValue,
  sent: JsonValue,
  onDifference: OnDifference,
  work = { left: 0 },
): boolean {
  const tokens: (string | number)[] = [];
  return compare(recorded, sent);

  function compare(before: Value, now: Value): boolean {
    work.left--;
    if (before === now || (before === REDACTED && now !== undefined)) return true;
    if (typeof before === 'string' && typeof now === 'string' && sameText(before, now)) return true;
    if (Array.isArray(before) && Array.isArray(now)) return compareArrays(before, now);
    if (isObject(before) && isObject(now)) return compareObjects(before, now);
    return onDifference(tokens, before, now);
  }

  function below(token: string | number, before: Value, now: Value): boolean {
    tokens.push(token);
    const goesOn = compare(before, now);
    tokens.pop();
    return goesOn;
  }

  function compareArrays(before: JsonValue[], now: JsonValue[]): boolean {
    for (let i = 0; i < before.length || i < now.length; i++) if (!below(i, before[i], now[i])) return false;
    return true;
  }

  function compareObjects(before: JsonObject, now: JsonObject): boolean {
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
      if (!below(name, before[name], value)) return false;
    }
    for (const name of Object.keys(now))
      if (!Object.hasOwn(before, name) && !renamed.has(name) && !below(name, undefined, now[name]))
        return false;
    return true;
  }
}

/** Whether there is no difference. Ends at the first one. */
export function sameJson(recorded: JsonValue, sent: JsonValue): boolean {
  return compareJson(recorded, sent, () => false);
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
