import { canonicalItems } from '../../json/canonical.ts';
import { isObject, type JsonObject, type JsonValue } from '../../json/json.ts';
import { type PatternNode, patternsBelow } from '../../json/pointer-pattern.ts';
import { REDACTED } from '../redaction/redacted.ts';
import { sameText } from './same-text.ts';
import type { SentRequest } from './sent-request.ts';

/**
 * Whether a value of what was sent is the recorded one, whose placeholders stand for any value. Ends at the first
 * difference.
 *
 * @param sets where arrays are, from here on, whose order does not matter
 */
export function sameJson(
  recorded: JsonValue,
  now: JsonValue,
  sent: SentRequest,
  sets: PatternNode | undefined,
): boolean {
  if (recorded === REDACTED || recorded === now) return true;
  if (typeof recorded === 'string') return typeof now === 'string' && sameText(recorded, now);
  if (Array.isArray(recorded)) {
    if (!Array.isArray(now) || recorded.length !== now.length) return false;
    if (sets?.isMeant) return unpaired(recorded, now, sent, sets).recorded.length === 0;
    return recorded.every((item, i) =>
      sameJson(item, now[i] as JsonValue, sent, sets && patternsBelow(sets, i)),
    );
  }
  return isObject(recorded) && isObject(now) && sameObject(recorded, now, sent, sets);
}

function sameObject(
  recorded: JsonObject,
  now: JsonObject,
  sent: SentRequest,
  sets: PatternNode | undefined,
): boolean {
  const names = Object.keys(recorded);
  return (
    names.length === sent.namesOf(now).length &&
    names.every((name) => {
      const other = nameOf(name, recorded, now, sent);
      return (
        other !== undefined &&
        sameJson(
          recorded[name] as JsonValue,
          now[other] as JsonValue,
          sent,
          sets && patternsBelow(sets, name),
        )
      );
    })
  );
}

/** What a recorded member is called in what was sent: a placeholder in its name, too, stands for any text. */
export function nameOf(
  name: string,
  recorded: JsonObject,
  now: JsonObject,
  sent: SentRequest,
): string | undefined {
  if (Object.hasOwn(now, name)) return name;
  if (!name.includes(REDACTED)) return undefined;
  return sent.namesOf(now).find((other) => !Object.hasOwn(recorded, other) && sameText(name, other));
}

/** The items, by their indexes, that have none like them on the other side. */
export interface Unpaired {
  recorded: number[];
  sent: number[];
}

/**
 * Pairs the items of two arrays whose order does not matter: first those that are equal; then each recorded one with a
 * placeholder takes the first that is left and matches it, those that are nothing but a placeholder last. So one may take
 * what only another could have matched, and a request be missed that a longer search would find: never the reverse.
 */
export function unpaired(
  recorded: readonly JsonValue[],
  now: readonly JsonValue[],
  sent: SentRequest,
  sets: PatternNode,
): Unpaired {
  const left = new Map<string, number[]>();
  sent.itemsOf(now, sets).forEach((text, i) => {
    const same = left.get(text);
    if (same) same.push(i);
    else left.set(text, [i]);
  });
  const texts = canonicalItems(recorded, sets);
  const alone: number[] = [];
  const open: number[] = [];
  texts.forEach((text, i) => {
    if (left.get(text)?.pop() === undefined) (text.includes(REDACTED) ? open : alone).push(i);
  });
  const rest = [...left.values()].flat().sort((a, b) => a - b);
  const isBare = (i: number) => recorded[i] === REDACTED;
  for (const i of [...open.filter((i) => !isBare(i)), ...open.filter(isBare)]) {
    const at = rest.findIndex((j) =>
      sameJson(recorded[i] as JsonValue, now[j] as JsonValue, sent, sets.others),
    );
    if (at < 0) alone.push(i);
    else rest.splice(at, 1);
  }
  return { recorded: alone.sort((a, b) => a - b), sent: rest };
}
