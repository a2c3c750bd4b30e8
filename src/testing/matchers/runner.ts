import { inspect, types } from 'node:util';
import { nearest } from '../../model/nearest.ts';
import { coloured, type Paint, plain } from '../../reporters/colours.ts';
import { shortened } from '../../reporters/wording.ts';
import { misuse } from '../with-hint.ts';

/** What vitest and Jest alike give a matcher as `this`. */
export interface Runner {
  readonly isNot?: boolean;
  readonly promise?: string;
  // biome-ignore lint/suspicious/noExplicitAny: each has testers of a type of its own.
  readonly customTesters?: any[];
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  equals(actual: unknown, expected: unknown, testers?: any[]): boolean;
  readonly utils: {
    matcherHint(
      name: string,
      received?: string,
      expected?: string,
      options?: { isNot?: boolean; promise?: string; secondArgument?: string },
    ): string;
    // biome-ignore lint/suspicious/noExplicitAny: as both of them say.
    stringify(value: any): string;
    RECEIVED_COLOR(text: string): string;
  };
}

/** What a matcher gives back. */
export interface Outcome {
  pass: boolean;
  message: () => string;
}

/** How a matcher is called, for the first line of its message. */
interface Called {
  name: string;
  received: string;
  expected: string;
  secondArgument?: string;
}

/** Colours where the runner has them. */
export function paintOf({ utils }: Runner): Paint {
  return utils.RECEIVED_COLOR('x') === 'x' ? plain : coloured;
}

/** A message: how the matcher was called, and paragraphs. Those that are empty are left out. */
export function told(
  runner: Runner,
  { name, received, expected, ...second }: Called,
  paragraphs: string[],
): string {
  const { isNot = false, promise = '' } = runner;
  const hint = runner.utils.matcherHint(name, received, expected, { isNot, promise, ...second });
  return [hint, ...paragraphs].filter((paragraph) => paragraph !== '').join('\n\n');
}

/**
 * Fails with and without `.not`, since there is nothing of which either could be said; within another matcher it is what does not
 * match, and no error.
 */
export function unusable(runner: Runner, called: Called, why: string): Outcome {
  return { pass: runner.isNot ?? false, message: () => told(runner, called, [why]) };
}

/** What was asked for makes no sense, whatever it is asked of. */
export function misused(matcher: string, what: string, hint: string): Error {
  return misuse(`${matcher}: ${what}`, hint);
}

/** Whatever was given, as a message names it. */
export function named(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  return shortened(inspect(value, { depth: 1, breakLength: Number.POSITIVE_INFINITY }), 200);
}

/** Compares as the runner does; a regular expression expects a text. */
export function comparing(runner: Runner): (actual: unknown, expected: unknown) => boolean {
  return (actual, expected) =>
    types.isRegExp(expected) && typeof actual === 'string'
      ? actual.search(expected) >= 0
      : runner.equals(actual, expected, runner.customTesters ?? []);
}

/**
 * What is misspelt, or undefined by mistake, would mean nothing, and the test pass.
 *
 * @param what a member is, for messages
 * @throws Error where an object has a member that means nothing here
 */
export function checkMembers(
  matcher: string,
  what: string,
  given: unknown,
  names: readonly string[],
  { mayBeUndefined = false } = {},
): void {
  const there = names.join(', ');
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw misused(matcher, `${what} is no object`, `give one with some of ${there}`);
  for (const [name, value] of Object.entries(given)) {
    const near = nearest(name, names);
    if (!names.includes(name))
      throw misused(
        matcher,
        `${what} has the unknown member ${JSON.stringify(name)}`,
        near ? `did you mean ${near}?` : `there is: ${there}`,
      );
    if (value === undefined && !mayBeUndefined)
      throw misused(
        matcher,
        `${what} has ${name}, which is undefined`,
        'leave it out where it may be anything',
      );
  }
}
