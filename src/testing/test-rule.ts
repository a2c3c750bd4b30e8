import { messageOf } from '../errors.ts';
import type { JsonValue } from '../json/json.ts';
import { pointerOf, tokensOf } from '../json/pointer.ts';
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
import { edited, type Path } from './edited.ts';

/** Further fixtures for a rule, beside the examples that it has. */
export interface Fixtures {
  passes?: readonly Example[];
  fails?: readonly FailingExample[];
}

/** Problems that the message tells. */
const MOST_TOLD = 20;

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
  const of = (examples: readonly (Example | FailingExample)[], name: string) =>
    examples.flatMap((example, index) =>
      tried(rule, example, 'pointers' in example ? example.pointers : [], `${name}[${index}]`),
    );
  const problems = [
    ...of(passes, 'examples.passes'),
    ...of(fails, 'examples.fails'),
    ...of(more.passes ?? [], 'passes'),
    ...of(more.fails ?? [], 'fails'),
  ];
  if (problems.length > 0) throw failure(rule, problems);
}

/** What is wrong with what a rule says of an example, and of the same with a body that is broken. */
function tried(rule: Rule, example: Example, expected: readonly string[], name: string): string[] {
  const context = contextOf(example);
  const { places, faults, failure } = runRule(rule, context);
  if (failure !== undefined) return [`${name}: ${failure}`];
  const problems = faults.map((fault) => `${name}: ${fault}`);
  const found = places.map(({ pointer }) => pointer);
  if (!isSame(found, expected)) {
    const said = places.map(({ pointer, message }) => `${shownPointer(pointer)} (${message})`);
    const meant = expected.map(shownPointer);
    problems.push(
      `${name}: expected ${meant.join(', ') || 'nothing'}; found ${said.join(', ') || 'nothing'}`,
    );
  }
  if (problems.length > 0) return problems;
  const again = runRule(rule, context).places;
  if (!isSame(again.map(textOf), places.map(textOf)))
    return [`${name}: it finds something else when it is asked again`];
  for (const { body, what } of brokenBodies(example.body)) {
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

/** Whether there are the same texts, in whatever order. */
function isSame(some: readonly string[], others: readonly string[]): boolean {
  const sorted = others.toSorted();
  return (
    some.length === others.length && some.toSorted().every((pointer, index) => pointer === sorted[index])
  );
}

function failure(rule: Partial<Rule> | undefined, problems: readonly string[]): Error {
  const name = typeof rule?.name === 'string' ? `the rule ${rule.name}` : 'the rule';
  const rest = problems.length > MOST_TOLD ? [`… and ${problems.length - MOST_TOLD} more`] : [];
  return new Error([`${name} is not as it must be:`, ...problems.slice(0, MOST_TOLD), ...rest].join('\n  '));
}

/** What a rule says of a request, and what is wrong with how it says it. */
interface Run {
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
function runRule(rule: Rule, context: RuleContext): Run {
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

function shownPointer(pointer: string): string {
  return pointer === '' ? '"" (the whole body)' : pointer;
}

/** What takes the place of each value of a body, and places that are broken; each takes a copy of the whole. */
const INSTEAD: readonly JsonValue[] = [null, 7, 'x', [], [null], {}];
const MOST_BROKEN = 500;

/** A body with each of its values replaced by something that its schema would not take, and left out. */
function* brokenBodies(body: JsonValue): Iterable<{ body: JsonValue; what: string }> {
  let left = MOST_BROKEN;
  for (const path of placesIn(body, [])) {
    if (left-- === 0) return;
    const place = pointerOf(path);
    for (const value of INSTEAD) {
      const what = `${JSON.stringify(value)} ${place === '' ? 'as the body' : `at ${place}`}`;
      yield { body: edited(body, path, value), what };
    }
    if (path.length > 0) yield { body: edited(body, path, undefined), what: `without ${place}` };
  }
}

function* placesIn(value: JsonValue, path: Path): Iterable<Path> {
  yield path;
  if (Array.isArray(value))
    for (const [index, item] of value.entries()) yield* placesIn(item, [...path, index]);
  else if (typeof value === 'object' && value !== null)
    for (const [name, item] of Object.entries(value)) yield* placesIn(item, [...path, name]);
}
