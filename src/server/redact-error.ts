import { PatchgateError } from '../errors.ts';
import type { JsonObject } from '../json/json.ts';
import { redactJson, redactText } from '../recordings/redaction/redact.ts';
import type { Redaction } from '../recordings/redaction/redaction.ts';

/** The same error where nothing in its text and details is to be hidden: they may quote the request. */
export function redactError(error: PatchgateError, redaction: Redaction): PatchgateError {
  const message = redactText(error.message, redaction);
  const hint = error.hint && redactText(error.hint, redaction);
  const details = error.details && (redactJson(error.details as JsonObject, redaction) as JsonObject);
  if (message === error.message && hint === error.hint && details === error.details) return error;
  return new PatchgateError(error.code, message, {
    cause: error,
    ...(hint !== undefined && { hint }),
    ...(details && { details }),
  });
}
