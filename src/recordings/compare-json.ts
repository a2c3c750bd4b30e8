import { childOf, type JsonValue } from '../json/json.ts';
import { REDACTED } from './redact/redacted.ts';
import { hiddenApart } from './redact/redaction.ts';

type Value = JsonValue | undefined;

/**
 * Compares a value with the recorded one. A placeholder that is recorded equals any value, and within a text any one word: else a form
 * with further fields would be the same. Absent is not null.
 *
 * @param onDifference gets each place that differs, whose `tokens` change afterwards, and its values; false ends the comparison
 * @returns whether nothing has ended it
 */
export function compareJson(
  recorded: Value,
  now: Value,
  onDifference: (tokens: readonly string[], recorded: Value, now: Value) => boolean,
  tokens: string[] = [],
): boolean {
  if (recorded === now || (recorded === REDACTED && now !== undefined)) return true;
  if (typeof recorded === 'string' && typeof now === 'string' && sameText(recorded, now)) return true;
  if (!isParent(recorded) || !isParent(now) || Array.isArray(recorded) !== Array.isArray(now))
    return onDifference(tokens, recorded, now);
  const added = Object.keys(now).filter((name) => !Object.hasOwn(recorded, name));
  return [...Object.keys(recorded), ...added].every((name) => {
    tokens.push(name);
    const [a, b] = [childOf(recorded, name), childOf(now, name)] as [Value, Value];
    const goesOn = compareJson(a, b, onDifference, tokens);
    tokens.pop();
    return goesOn;
  });
}

function isParent(value: Value): value is JsonValue & object {
  return typeof value === 'object' && value !== null;
}

/** Linear. */
function sameText(recorded: string, now: string): boolean {
  if (recorded.startsWith('[redacted:') && recorded === hiddenApart(now)) return true;
  const [first = '', ...pieces] = recorded.split(REDACTED);
  const last = pieces.pop();
  if (last === undefined || !now.startsWith(first) || !now.endsWith(last)) return false;
  const end = now.length - last.length;
  let at = first.length;
  for (const piece of pieces) {
    const next = now.indexOf(piece, at);
    if (next < 0 || !isWord(now.slice(at, next))) return false;
    at = next + piece.length;
  }
  return at <= end && isWord(now.slice(at, end));
}

function isWord(text: string): boolean {
  return !/[&"\s]/.test(text);
}
