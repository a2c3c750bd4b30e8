import { contextOf, type Example, type FailingExample, type Place, type Rule } from '../model/rule.ts';
import { misshapenFixtures, misshapenRule } from '../settings/extras/check-rule.ts';
import { brokenBodies } from './broken-bodies.ts';
import { runRule, shownPointer } from './run-rule.ts';

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
  const wrong = misshapenRule(rule) ?? misshapenFixtures(more);
  if (wrong) throw failure(rule, [`${wrong.pointer.slice(1) || 'it'}${wrong.what} (${wrong.hint})`]);
  const { passes, fails } = rule.examples;
  const problems = [
    ...passes.flatMap((example, index) => tried(rule, example, [], `examples.passes[${index}]`)),
    ...fails.flatMap((example, index) => tried(rule, example, example.pointers, `examples.fails[${index}]`)),
    ...(more.passes ?? []).flatMap((example, index) => tried(rule, example, [], `passes[${index}]`)),
    ...(more.fails ?? []).flatMap((example, index) =>
      tried(rule, example, example.pointers, `fails[${index}]`),
    ),
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
