import { PatchgateError } from '../errors.ts';

export type Env = Readonly<Record<string, string | undefined>>;

/** A text `NAME=VALUE`, or `NAME=env:VARIABLE`: the value is that of the variable, undefined if it is not set. */
export function namedValue(text: string, env: Env) {
  const at = text.indexOf('=');
  const given = text.slice(at + 1);
  const variable = given.startsWith('env:') ? given.slice('env:'.length) : undefined;
  const value = variable === undefined ? given : env[variable];
  return { name: text.slice(0, at).trimEnd(), value, variable };
}

/** @param flag for messages. @throws PatchgateError `bad-usage` if the variable is not set, or empty */
export function readNamedValue(text: string, env: Env, flag: string): { name: string; value: string } {
  const { name, value, variable } = namedValue(text, env);
  if (value !== undefined && (value !== '' || variable === undefined)) return { name, value };
  throw wrongValue(flag, `${name} takes the variable ${variable}, which is not set`, `set ${variable}`);
}

/** The message must not show the value. */
export function wrongValue(flag: string, message: string, hint: string): PatchgateError {
  return new PatchgateError('bad-usage', `invalid value for ${flag}: ${message}`, { hint });
}
