import { PatchgateError } from '../errors.ts';
import { nearest } from '../model/nearest.ts';
import { flagOf, SETTINGS } from '../settings/settings.ts';

/** A mistake in a test. */
export function misuse(message: string, hint: string): PatchgateError {
  return withHint(new PatchgateError('bad-usage', message, { hint })) as PatchgateError;
}

/** Where the contract has no such operation. */
export function operationsHint(given: unknown, operations: readonly string[]): string {
  const near = typeof given === 'string' ? nearest(given, operations) : undefined;
  return `operations: ${operations.join(', ')}${near ? `; did you mean ${near}?` : ''}`;
}

/** Runners show nothing of an error but its message: it says what to do, too. */
export function withHint(thrown: unknown): unknown {
  if (!(thrown instanceof PatchgateError) || thrown.hint === undefined) return thrown;
  if (thrown.message.endsWith(thrown.hint)) return thrown;
  const { code, details = {}, cause } = thrown;
  const hint = inOptions(thrown.hint);
  return new PatchgateError(code, `${inOptions(thrown.message)}\n  ${hint}`, { hint, cause, details });
}

/** Errors of the work say what to do. */
export async function orHint<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw withHint(error);
  }
}

/** A text for the command line in the library's words: `with --port` becomes `with the option port`. A whole command stays. */
export function inOptions(text: string): string {
  if (/\bpatchgate [a-z<]/.test(text)) return text;
  return text.replace(/--([a-z]+(?:-[a-z]+)*)\b/g, (flag, name: string) => {
    const setting = [...Object.keys(SETTINGS), 'config'].find((one) => flagOf(one) === name);
    return setting ? `the option ${setting}` : flag;
  });
}
