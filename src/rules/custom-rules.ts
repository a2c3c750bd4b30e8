import type { JsonValue } from '../json/json.ts';
import { isPointer } from '../json/pointer.ts';
import type { Place, Rule, RuleContext } from '../model/rule.ts';
import { shortened } from '../model/short-text.ts';

/** Places that a rule may give: several for each value that a body can have. One that gives more never ends. */
const MOST_PLACES = 1_000_000;
/** UTF-16 code units of a message or hint: what a rule quotes of a body may be long. */
const LONGEST_TEXT = 1000;

/** The places of a rule of one's own, which can give anything. @throws Error if it gives something else, saying what */
export function* checkedPlaces(rule: Rule, context: RuleContext): Iterable<Place> {
  let left = MOST_PLACES;
  for (const given of listOf(rule.check(context))) {
    if (left-- === 0) throw new Error(`it gives more than ${MOST_PLACES} places`);
    yield checkPlace(given);
  }
}

function listOf(given: unknown): Iterable<unknown> {
  if (typeof given === 'object' && given !== null) {
    if (Symbol.iterator in given) return given as Iterable<unknown>;
    if ('then' in given && typeof given.then === 'function') {
      // It is not waited for, whatever becomes of it.
      given.then(undefined, () => undefined);
      throw new Error('check gives a promise: a rule answers at once');
    }
    if (Symbol.asyncIterator in given)
      throw new Error('check is an asynchronous generator: a rule answers at once');
  }
  throw new Error('check gives no list of places: write *check(context) { … yield place; … }');
}

function checkPlace(given: unknown): Place {
  if (typeof given !== 'object' || given === null) throw new Error('it gives something that is no place');
  const place = given as Partial<Record<keyof Place, unknown>>;
  const { pointer, message, hint, isDestructive, isProtected, isUnknown } = place;
  if (typeof pointer !== 'string') throw new Error('it gives a place without a pointer');
  const shown = JSON.stringify(pointer.slice(0, 80));
  if (!isPointer(pointer)) throw new Error(`it gives a pointer that is no JSON Pointer: ${shown}`);
  if (typeof message !== 'string' || message === '')
    throw new Error(`it gives a place without a message: ${shown}`);
  if (hint !== undefined && typeof hint !== 'string')
    throw new Error(`it gives a hint that is no text: ${shown}`);
  // A copy: it could be changed later, or be made anew at each look.
  return {
    pointer,
    message: shortened(message, LONGEST_TEXT),
    ...(hint !== undefined && { hint: shortened(hint, LONGEST_TEXT) }),
    ...(isDestructive ? { isDestructive: true } : {}),
    ...(isProtected ? { isProtected: true } : {}),
    ...(isUnknown ? { isUnknown: true } : {}),
  };
}

/** What a rule of one's own is shown: a copy that it cannot change, since others read the same body after it. */
export function frozenContext({ body, recordId, known, effects }: RuleContext): RuleContext {
  return {
    body: frozenCopy(body),
    recordId,
    known: known && { ...known, record: frozenCopy(known.record) },
    effects: effects && Object.freeze(effects.map((effect) => Object.freeze({ ...effect }))),
  };
}

function frozenCopy<T extends JsonValue>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  const copy = Array.isArray(value)
    ? value.map(frozenCopy)
    : Object.fromEntries(Object.entries(value).map(([name, item]) => [name, frozenCopy(item)]));
  return Object.freeze(copy) as T;
}
