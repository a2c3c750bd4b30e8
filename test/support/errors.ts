import { expect } from 'vitest';
import { type ErrorCode, PatchgateError } from '../../src/errors.ts';

/** What is thrown must be a PatchgateError; `file: what is wrong (what to do)`. */
export function refusal(code: ErrorCode, action: () => unknown): string {
  let thrown: unknown;
  try {
    action();
  } catch (error) {
    thrown = error;
  }
  return told(code, thrown);
}

/** The same for what is refused later. */
export async function laterRefusal(code: ErrorCode, action: Promise<unknown>): Promise<string> {
  return told(
    code,
    await action.then(
      () => undefined,
      (error: unknown) => error,
    ),
  );
}

function told(code: ErrorCode, thrown: unknown): string {
  expect(thrown).toBeInstanceOf(PatchgateError);
  const { message, hint, code: actual } = thrown as PatchgateError;
  expect(actual).toBe(code);
  return hint === undefined ? message : `${message} (${hint})`;
}
