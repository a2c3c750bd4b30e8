import { PatchgateError } from '../errors.ts';
import { nearest } from '../model/nearest.ts';
import { flagOf, SETTINGS } from '../settings/settings.ts';

/** A mistake in a test. Test runners show nothing of an error but its message, so the message has all. */
export function misuse(message: string, hint: string): PatchgateError {
  return withHint(new PatchgateError('bad-usage', message, { hint })) as PatchgateError;
}

/** Where the contract has no such operation. */
export function operationsHint(given: unknown, operations: readonly string[]): string {
  const near = typeof given === 'string' ? nearest(given, operations) : undefined;
  return `operations: ${operations.join(', ')}${near ? `; did you mean ${near}?` : ''}`;
}

/** What was thrown, with what to do about it in its message. */
export function withHint(thrown: unknown): unknown {
  if (!(thrown instanceof PatchgateError) || thrown.hint === undefined) return thrown;
  const { code, details } = thrown;
  const message = inOptions(thrown.message);
  const hint = inOptions(thrown.hint);
  return new PatchgateError(code, `${message}\n  ${hint}`, {
    hint,
    // Not the error itself: runners would show the same message once more.
    ...(thrown.cause !== undefined && { cause: thrown.cause }),
    ...(details && { details }),
  });
}

/** Does it; what is thrown then says what to do. */
export function orHint<T>(work: () => T): T {
  try {
    const done = work();
    return done instanceof Promise ? (done.catch((error) => Promise.reject(withHint(error))) as T) : done;
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
