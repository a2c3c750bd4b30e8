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
import { mutations } from './bodies.ts';

/** Further fixtures for a rule, beside the examples that it has. */
export interface Fixtures {
  passes?: readonly Example[];
  fails?: readonly FailingExample[];
}

/** Places of one run; items of a list that are broken. */
const [MOST_PLACES, MOST_ITEMS] = [10_000, 20];
/** What takes the place of each value of a body. */
const INSTEAD: readonly JsonValue[] = [null, 7, 'x', [], [null], {}];
/** A value that is no text, put into one. */
const NO_TEXT = /\bundefined\b|\bNaN\b|\[object \w+\]/;

/**
 * Tries a rule by its examples and further fixtures, as `test('team.rule-name', () => testRule(rule))` in any test runner: it has
 * the form that the config takes; it passes and fails as they say, at places of the body; it gives the same answer twice; and no
 * broken body makes it throw.
 *
 * @throws Error with all that is wrong
 */
export function testRule(rule: Rule, more: Fixtures = {}): void {
  const wrong = problemOf('customRule', rule);
  if (wrong) throw failure(rule, [`${wrong.text}${memberAt(wrong.pointer) || 'the rule'} (${wrong.hint})`]);
  const { passes, fails } = rule.examples;
  const lists = {
    ...{ 'examples.passes': passes, 'examples.fails': fails },
    ...{ passes: more.passes ?? [], fails: more.fails ?? [] },
  };
  const problems = Object.entries(lists).flatMap(([list, examples]) =>
    examples.flatMap((example, index) =>
      problemsWith(rule, example).map((problem) => `${list}[${index}]${problem}`),
    ),
  );
  if (problems.length > 0) throw failure(rule, problems);
}

function failure(rule: Partial<Rule> | undefined, problems: readonly string[]): Error {
  const name = typeof rule?.name === 'string' ? `the rule ${rule.name}` : 'the rule';
  return new Error([`${name} is not as it must be:`, ...problems.slice(0, 20)].join('\n  '));
}

/** Runs the rule on an example, and on broken copies of its body. */
function problemsWith(rule: Rule, example: Example | FailingExample): string[] {
  const context = contextOf(example);
  const { places, faults, failure } = runRule(rule, context);
  if (failure !== undefined) return [`: ${failure}`];
  const problems = faults.map((fault) => `: ${fault}`);
  const expected = 'pointers' in example ? example.pointers : [];
  const found = places.map(({ pointer }) => pointer);
  if (!isDeepStrictEqual(found.toSorted(), expected.toSorted())) {
    const said = places.map(({ pointer, message }) => `${shownPointer(pointer)} (${message})`).join(', ');
    const meant = expected.map(shownPointer).join(', ');
    problems.push(`: expected ${meant || 'nothing'}; found ${said || 'nothing'}`);
  }
  if (problems.length > 0) return problems;
  const again = runRule(rule, context).places;
  const textOf = ({ pointer, message, hint }: Place) => JSON.stringify([pointer, message, hint]);
  if (!isDeepStrictEqual(again.map(textOf).sort(), places.map(textOf).sort()))
    return [': it finds something else when it is asked again'];
  for (const { body, name } of mutations(example.body, () => INSTEAD, MOST_ITEMS)) {
    const runs = [runRule(rule, { ...context, body }), runRule(rule, { body, recordId: '' })];
    // Effects are those of the example's body, and so are their places.
    const wrong = runs
      .map((run) => run.failure ?? (context.effects ? undefined : run.faults[0]))
      .find(Boolean);
    if (wrong !== undefined) return [` with ${name}: ${wrong}`];
  }
  return [];
}

/** Asks a rule as the gate does. @returns `failure`: the rule threw; `faults`: what else is wrong */
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

function* faultsOf(rule: Rule, { pointer, message, hint = '', isDestructive }: Place, body: JsonValue) {
  const at = shownPointer(pointer);
  const tokens = tokensOf(pointer);
  const last = tokens.pop();
  const holder = tokens.reduce<unknown>(stepInto, body);
  if (last !== undefined && !isObject(holder) && stepInto(holder, last) === undefined)
    yield `the pointer ${pointer} leads nowhere: to a value of the body, or to a member that an object lacks`;
  if (NO_TEXT.test(message) || NO_TEXT.test(hint))
    yield `its text at ${at} quotes what is no text: ${JSON.stringify(`${message} ${hint}`.trim())}`;
  if (isDestructive && !rule.guards)
    yield `its place at ${at} is destructive, yet the rule does not say guards: true`;
}

/** A list's item is named by a plain index. */
function stepInto(value: unknown, token: string): unknown {
  return Array.isArray(value) && !/^(?:0|[1-9]\d*)$/.test(token) ? undefined : childOf(value, token);
}

function shownPointer(pointer: string): string {
  return pointer === '' ? '"" (the whole body)' : pointer;
}
