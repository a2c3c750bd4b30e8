import { isDeepStrictEqual } from 'node:util';
import { messageOf } from '../errors.ts';
import { childOf, isObject, type JsonValue } from '../json/json.ts';
import { tokensOf } from '../json/pointer.ts';
import {
  contextOf,
  type Example,
  type FailingExample,
  type Place,
  type Rule,
  type RuleContext,
} from '../model/rule.ts';
import { checkedPlaces, frozenContext } from '../rules/custom-rules.ts';
import { memberAt, problemOf } from '../schemas/check.ts';
import { mutations } from './mutations.ts';

/** Further fixtures for a rule, beside the examples that it has. */
export interface Fixtures {
  passes?: readonly Example[];
  fails?: readonly FailingExample[];
}

/**
 * Tries a rule by its examples and further fixtures, as `test('team.rule-name', () => testRule(rule))` in whatever runs tests:
 * it has the form that the config takes; it passes and fails as they say, at the places that they say; each place leads into the
 * body; it gives the same answer twice; and no body makes it throw, since it is asked of those that break their schema too.
 *
 * @throws Error with all that is wrong
 */
export function testRule(rule: Rule, more: Fixtures = {}): void {
  const ofRule = problemOf('customRule', rule);
  const wrong = ofRule ?? problemOf('fixtures', more);
  if (wrong) {
    const place = memberAt(ofRule ? wrong.pointer : `/more${wrong.pointer}`) || 'the rule';
    throw failure(rule, [`${wrong.text}${place} (${wrong.hint})`]);
  }
  const { passes, fails } = rule.examples;
  const lists = {
    ...{ 'examples.passes': passes, 'examples.fails': fails },
    ...{ passes: more.passes ?? [], fails: more.fails ?? [] },
  };
  const problems = Object.entries(lists).flatMap(([list, examples]) =>
    examples.flatMap((example, index) => problemsWith(rule, example, `${list}[${index}]`)),
  );
  if (problems.length > 0) throw failure(rule, problems);
}

/** Problems that the message tells. */
const MOST_TOLD = 20;

function failure(rule: Partial<Rule> | undefined, problems: readonly string[]): Error {
  const name = typeof rule?.name === 'string' ? `the rule ${rule.name}` : 'the rule';
  const rest = problems.length > MOST_TOLD ? [`… and ${problems.length - MOST_TOLD} more`] : [];
  return new Error([`${name} is not as it must be:`, ...problems.slice(0, MOST_TOLD), ...rest].join('\n  '));
}

/** What is wrong with what a rule says of an example, and of the same with a body that is broken. @param name the example's */
function problemsWith(rule: Rule, example: Example | FailingExample, name: string): string[] {
  const context = contextOf(example);
  const expected = 'pointers' in example ? example.pointers : [];
  const { places, faults, failure } = runRule(rule, context);
  if (failure !== undefined) return [`${name}: ${failure}`];
  const problems = faults.map((fault) => `${name}: ${fault}`);
  const found = places.map(({ pointer }) => pointer);
  if (!isDeepStrictEqual(found.toSorted(), expected.toSorted())) {
    const said = places.map(({ pointer, message }) => `${shownPointer(pointer)} (${message})`);
    const meant = expected.map(shownPointer);
    problems.push(
      `${name}: expected ${meant.join(', ') || 'nothing'}; found ${said.join(', ') || 'nothing'}`,
    );
  }
  if (problems.length > 0) return problems;
  const again = runRule(rule, context).places;
  if (!isDeepStrictEqual(again.map(textOf).sort(), places.map(textOf).sort()))
    return [`${name}: it finds something else when it is asked again`];
  let left = MOST_BROKEN;
  for (const { body, name: what } of mutations(example.body, () => INSTEAD)) {
    if (left-- === 0) break;
    const knowing = runRule(rule, { ...context, body });
    const { failure, faults } = runRule(rule, { body, recordId: '' });
    // Effects are those of the example's body, and so are their places.
    const wrong =
      knowing.failure ?? failure ?? (context.effects ? undefined : (knowing.faults[0] ?? faults[0]));
    if (wrong !== undefined) return [`${name} with ${what}: ${wrong}`];
  }
  return [];
}

function textOf({ pointer, message, hint }: Place): string {
  return JSON.stringify([pointer, message, hint]);
}

/** Places of one run that are looked at; a rule that never ends is ended by the test's time-out alone. */
const MOST_PLACES = 10_000;
/** What comes of putting a value into a text that is none. */
const NO_TEXT = /\bundefined\b|\bNaN\b|\[object \w+\]/;

/**
 * Asks a rule as the gate does. Never throws.
 *
 * @returns `failure`: why the gate would say that the rule failed; `faults`: what else is wrong, for which only a test can look
 */
function runRule(rule: Rule, context: RuleContext): { places: Place[]; faults: string[]; failure?: string } {
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
  const at = shownPointer(pointer);
  const faults: string[] = [];
  if (!leadsInto(body, pointer))
    faults.push(
      `the pointer ${pointer} leads nowhere: to a value of the body, or to a member that an object lacks`,
    );
  if (NO_TEXT.test(message) || NO_TEXT.test(hint))
    faults.push(`its text at ${at} quotes what is no text: ${JSON.stringify(`${message} ${hint}`.trim())}`);
  if (isDestructive && !rule.guards)
    faults.push(`its place at ${at} is destructive, yet the rule does not say guards: true`);
  return faults;
}

/** Whether a pointer is that of a value, or of a member that an object lacks. */
function leadsInto(body: JsonValue, pointer: string): boolean {
  const tokens = tokensOf(pointer);
  const holder = tokens.slice(0, -1).reduce<unknown>(stepInto, body);
  const last = tokens.at(-1);
  return last === undefined || isObject(holder) || stepInto(holder, last) !== undefined;
}

/** A list's item is named by a plain index. */
function stepInto(value: unknown, token: string): unknown {
  return Array.isArray(value) && !/^(?:0|[1-9]\d*)$/.test(token) ? undefined : childOf(value, token);
}

function shownPointer(pointer: string): string {
  return pointer === '' ? '"" (the whole body)' : pointer;
}

/** What takes the place of each value of a body, and bodies that are tried; each takes a copy of the whole. */
const INSTEAD: readonly JsonValue[] = [null, 7, 'x', [], [null], {}];
const MOST_BROKEN = 3000;
