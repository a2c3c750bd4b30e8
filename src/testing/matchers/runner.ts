import { inspect, types } from 'node:util';
import { coloured, type Paint, plain } from '../../reporters/colours.ts';
import { shortened } from '../../reporters/wording.ts';
import { misuse } from '../with-hint.ts';

/** What vitest and Jest alike lend a matcher as `this`. */
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
export interface Called {
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
export function told(runner: Runner, called: Called, paragraphs: readonly string[]): string {
  const { isNot = false, promise = '' } = runner;
  const { name, received, expected, secondArgument } = called;
  const hint = runner.utils.matcherHint(name, received, expected, {
    ...{ isNot, promise },
    ...(secondArgument !== undefined && { secondArgument }),
  });
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
export function misused(name: string, what: string, hint: string): Error {
  return misuse(`${name}: ${what}`, hint);
}

/** Whatever was given, as a message names it. */
export function named(value: unknown): string {
  return typeof value === 'string'
    ? JSON.stringify(value)
    : shortened(inspect(value, { depth: 1, breakLength: Number.POSITIVE_INFINITY }), 200);
}

/** The runner's own comparison. */
export function equalTo(runner: Runner): (actual: unknown, expected: unknown) => boolean {
  return (actual, expected) => runner.equals(actual, expected, runner.customTesters ?? []);
}

/** Whether a text is one that a regular expression expects. */
export function isLike(actual: unknown, expected: unknown): boolean {
  return types.isRegExp(expected) && typeof actual === 'string' && actual.search(expected) >= 0;
}
