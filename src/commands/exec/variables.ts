import { PatchgateError } from '../../errors.ts';

/** What a command finds the gate by. */
export const URL_VARIABLE = 'PATCHGATE_URL';

/**
 * The variables that a command gets beside those that are there.
 *
 * @param given of `--env`: `BASE_URL=/api/v2` is the origin with that suffix, `BASE_URL` the origin
 * @param origin `http://127.0.0.1:40123`
 * @throws PatchgateError `bad-usage`
 */
export function variablesOf(given: readonly string[], origin: string): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const text of given) {
    const [, name = '', suffix = ''] = /^([^=]*)=?(.*)$/s.exec(text) as RegExpExecArray;
    if (!/^\w[\w.()-]*$/.test(name)) throw wrong(`${JSON.stringify(name)} is no name of a variable`);
    if (suffix !== '' && !suffix.startsWith('/'))
      throw wrong(`what ${name} gets behind the URL begins with /, not with ${JSON.stringify(suffix)}`);
    if (variables[name] !== undefined) throw wrong(`${name} is given more than once`);
    variables[name] = `${origin}${suffix}`;
  }
  return { [URL_VARIABLE]: origin, ...variables };
}

function wrong(what: string): PatchgateError {
  return new PatchgateError('bad-usage', `--env: ${what}`, { hint: 'like this: --env BASE_URL=/api/v2' });
}
