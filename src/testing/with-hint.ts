import { PatchgateError } from '../errors.ts';

/** A mistake of whoever writes the test. Test runners show nothing of an error but its message, so that has all. */
export function misuse(message: string, hint: string): PatchgateError {
  return withHint(new PatchgateError('bad-usage', message, { hint })) as PatchgateError;
}

/** What was thrown, with what to do about it in its message. */
export function withHint(thrown: unknown): unknown {
  if (!(thrown instanceof PatchgateError) || thrown.hint === undefined) return thrown;
  const { code, message, hint, details } = thrown;
  return new PatchgateError(code, `${message}\n  ${hint}`, {
    hint,
    cause: thrown,
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
