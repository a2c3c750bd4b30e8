import fc, { type Arbitrary } from 'fast-check';
import { misuse } from '../with-hint.ts';

/** Values in a row that may not fit. */
const MOST_UNFIT = 10_000;
/** What to do where the schema is too much for arbitraries that are made of it. */
export const UNMADE = 'make bodies of this operation with arbitraries of your own';

/** Draws until a value fits; not for ever, as `filter` does. @param what the schema asks for, for a message */
export function fitting<Value>(
  arbitrary: Arbitrary<Value>,
  what: string,
  fits: (value: Value) => boolean,
): Arbitrary<Value> {
  let unfit = 0;
  return arbitrary.filter((value) => {
    if (fits(value)) {
      unfit = 0;
      return true;
    }
    if (++unfit >= MOST_UNFIT) throw misuse(`no value with ${what} could be made`, UNMADE);
    return false;
  });
}

/** @throws PatchgateError where fast-check cannot make texts of a pattern */
export function matching(pattern: RegExp): Arbitrary<string> {
  try {
    return fc.stringMatching(pattern);
  } catch (error) {
    throw misuse(`no text can be made of the pattern ${pattern}: ${(error as Error).message}`, UNMADE);
  }
}
