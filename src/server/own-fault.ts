import { messageOf, PatchgateError } from '../errors.ts';

/** What a client is told of something thrown that nobody throws on purpose. */
export function ownFault(cause: unknown): PatchgateError {
  return new PatchgateError('internal', `Patchgate failed on this request: ${messageOf(cause)}`, { cause });
}
