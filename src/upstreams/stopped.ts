import { PatchgateError } from '../errors.ts';

/** Why a request has no answer, or no whole one, that was still open when the gate was stopped. */
export const STOPPED = 'Patchgate was stopped before the answer was complete';

export function stopped(): PatchgateError {
  return new PatchgateError('interrupted', STOPPED, { hint: 'send the request again once it runs' });
}
