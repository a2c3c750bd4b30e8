import { messageOf, PatchgateError } from '../../errors.ts';
import type { JsonValue } from '../../json/json.ts';

/** The value of a request's body. @param bytes what `express.raw` leaves: nothing where there was no body
 *  @throws PatchgateError `bad-input` */
export function readJson(bytes: unknown, hint: string): JsonValue {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.isBuffer(bytes) ? bytes : undefined);
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    const message = `the input is not a JSON text: ${messageOf(error).slice(0, 200)}`;
    throw new PatchgateError('bad-input', message, { hint });
  }
}
