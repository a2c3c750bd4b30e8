const SESSION_NAME = /^[\x20-\x7e]{1,100}$/;

/** For people. */
export const SESSION_NAMES = '1 to 100 printable characters of ASCII';

export function isSessionName(value: unknown): value is string {
  return typeof value === 'string' && SESSION_NAME.test(value);
}
