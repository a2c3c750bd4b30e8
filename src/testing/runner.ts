import { types } from 'node:util';
import { isObject } from '../json/json.ts';
import { misuse } from './with-hint.ts';

/** `this` of a matcher: vitest, Jest and Playwright have these. */
export interface Runner {
  readonly isNot?: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: each runner has a type of its own for testers.
  readonly customTesters?: any[];
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  equals(actual: unknown, expected: unknown, testers?: any[]): boolean;
  readonly utils: {
    matcherHint(
      name: string,
      received?: string,
      expected?: string,
      options?: { isNot?: boolean; secondArgument?: string },
    ): string;
    // biome-ignore lint/suspicious/noExplicitAny: as above.
    diff(expected: any, actual: any): string | null | undefined;
    RECEIVED_COLOR?(text: string): string;
  };
}

export interface Outcome {
  pass: boolean;
  message: () => string;
}

export function told({ utils, isNot = false }: Runner, name: string, paragraphs: readonly string[]): string {
  const hint = utils.matcherHint(name, 'received', 'expected', { isNot });
  return [hint, ...paragraphs].filter(Boolean).join('\n\n');
}

/** Compares as the runner does; a regular expression expects a text. */
export function comparing(runner: Runner): (actual: unknown, expected: unknown) => boolean {
  return (actual, expected) =>
    types.isRegExp(expected) && typeof actual === 'string'
      ? actual.search(expected) >= 0
      : runner.equals(actual, expected, runner.customTesters ?? []);
}

export function picked(from: object, names: readonly string[]): Record<string, unknown> {
  const all = from as Readonly<Record<string, unknown>>;
  return Object.fromEntries(names.map((name) => [name, all[name]]));
}

/** What is misspelt would mean nothing, and the test pass. @throws PatchgateError `bad-usage` */
export function checkMembers(what: string, given: unknown, names: readonly string[], least = 0): void {
  const there = isObject(given) ? Object.keys(given) : [];
  const unknown = there.find((name) => !names.includes(name));
  if (isObject(given) && unknown === undefined && there.length >= least) return;
  const wrong = unknown === undefined ? 'no object with a member' : `no ${JSON.stringify(unknown)}`;
  throw misuse(
    `${what} ${unknown === undefined ? 'are' : 'can have'} ${wrong}`,
    `members: ${names.join(', ')}`,
  );
}
