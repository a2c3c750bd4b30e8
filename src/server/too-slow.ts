import { PatchgateError } from '../errors.ts';

/** @param limit milliseconds
 *  @param isWhole the whole body had to be there within them; else the client must not be silent for longer */
export function tooSlow(limit: number, isWhole: boolean): PatchgateError {
  const message = isWhole
    ? `the client did not send its request's body within ${limit} ms`
    : `the client fell silent for ${limit} ms before its request's body had ended`;
  return new PatchgateError('client-timeout', message, {
    hint: 'send it sooner, or start Patchgate with a longer --client-timeout',
  });
}
