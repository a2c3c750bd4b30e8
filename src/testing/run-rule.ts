import { messageOf } from '../errors.ts';
import type { JsonValue } from '../json/json.ts';
import { tokensOf } from '../json/pointer.ts';
import type { Place, Rule, RuleContext } from '../model/rule.ts';
import { checkedPlaces } from '../rules/checked-places.ts';
import { frozenContext } from '../rules/frozen-context.ts';

/** What a rule says of a request, and what is wrong with how it says it. */
export interface Run {
  places: readonly Place[];
  /** Why the gate would say that the rule failed. */
  failure?: string;
  /** What else is wrong, for which only a test can afford to look. */
  faults: readonly string[];
}

/** Places of one run that are looked at; a rule that never ends is ended by the test's time-out alone. */
const MOST_PLACES = 10_000;
/** What comes of putting a value into a text that is none. */
const NO_TEXT = /\bundefined\b|\bNaN\b|\[object \w+\]/;

/** Asks a rule as the gate does. Never throws. */
export function runRule(rule: Rule, context: RuleContext): Run {
  const places: Place[] = [];
  const faults: string[] = [];
  if (rule.readsEffects && !context.effects?.length) return { places, faults };
  const shown = frozenContext(context);
  try {
    for (const place of checkedPlaces(rule, shown)) {
      places.push(place);
      faults.push(...faultsOf(rule, place, shown.body));
      if (places.length >= MOST_PLACES) break;
    }
  } catch (error) {
    return { places, faults, failure: `it fails: ${messageOf(error)}` };
  }
  return { places, faults };
}

function faultsOf(
  rule: Rule,
  { pointer, message, hint = '', isDestructive }: Place,
  body: JsonValue,
): string[] {
  const faults: string[] = [];
  if (!leadsInto(body, pointer))
    faults.push(
      `the pointer ${pointer} leads nowhere: to a value of the body, or to a member that an object lacks`,
    );
  if (NO_TEXT.test(message) || NO_TEXT.test(hint))
    faults.push(
      `its text at ${shownPointer(pointer)} quotes what is no text: ${JSON.stringify(`${message} ${hint}`.trim())}`,
    );
  if (isDestructive && !rule.guards)
    faults.push(
      `its place at ${shownPointer(pointer)} is destructive, yet the rule does not say guards: true`,
    );
  return faults;
}

/** Whether a pointer is that of a value, or of a member that an object lacks. */
function leadsInto(body: JsonValue, pointer: string): boolean {
  let value: JsonValue | undefined = body;
  for (const token of tokensOf(pointer)) {
    if (Array.isArray(value)) {
      if (!/^(?:0|[1-9]\d*)$/.test(token)) return false;
      value = value[Number(token)];
      if (value === undefined) return false;
    } else if (typeof value === 'object' && value !== null) {
      value = Object.hasOwn(value, token) ? value[token] : undefined;
    } else return false;
  }
  return true;
}

export function shownPointer(pointer: string): string {
  return pointer === '' ? '"" (the whole body)' : pointer;
}
