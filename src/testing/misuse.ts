import { PatchgateError } from '../errors.ts';
import { nearest } from '../model/nearest.ts';

/** A mistake in a test. */
export function misuse(message: string, hint: string): PatchgateError {
  return withHint(new PatchgateError('bad-usage', message, { hint })) as PatchgateError;
}

/** The contract has no such operation. */
export function noOperation(given: unknown, operations: readonly string[]): PatchgateError {
  const near = nearest(String(given), operations);
  const hint = `operations: ${operations.join(', ')}${near ? `; did you mean ${near}?` : ''}`;
  return misuse(`the contract has no operation ${JSON.stringify(given)}`, hint);
}

/** Runners show nothing of an error but its message: it says what to do, too. */
export function withHint(error: unknown): unknown {
  if (!(error instanceof PatchgateError) || error.hint === undefined) return error;
  const { code, message, hint, details = {}, cause } = error;
  if (message.endsWith(hint)) return error;
  return new PatchgateError(code, `${message}\n  ${hint}`, { hint, details, cause });
}

/** A misspelt member would mean nothing, and the test pass. @throws PatchgateError `bad-usage` */
export function checkMembers(what: string, given: object, names: readonly string[]): void {
  if (Object(given) !== given) throw misuse(`${what}: this is no object`, `members: ${names.join(', ')}`);
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw misuse(`${what}: there is no "${unknown}"`, `members: ${names.join(', ')}`);
}
