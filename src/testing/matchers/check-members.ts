import { nearest } from '../../model/nearest.ts';
import { misused } from './runner.ts';

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
    if (!names.includes(name)) {
      const near = nearest(name, names);
      throw misused(
        matcher,
        `${what} has the unknown member ${JSON.stringify(name)}`,
        near ? `did you mean ${near}?` : `there is: ${there}`,
      );
    }
    if (value === undefined && !mayBeUndefined)
      throw misused(
        matcher,
        `${what} has ${name}, which is undefined`,
        'leave it out where it may be anything',
      );
  }
}
