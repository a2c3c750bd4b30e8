/** As the schema of recordings has it: a name that it refuses would make a recording that nobody can read. */
const SESSION_NAME = /^(?!\.{1,2}$)[\x20-\x7e]{1,100}$/;

/** For people. */
export const SESSION_NAMES = '1 to 100 printable characters of ASCII, other than "." and ".."';

export function isSessionName(value: unknown): value is string {
  return typeof value === 'string' && SESSION_NAME.test(value);
}
