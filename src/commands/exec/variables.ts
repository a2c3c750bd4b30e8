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

/**
 * The variables by which a command asks the gate itself where all else goes out through a proxy; none where nothing does.
 *
 * @param env as we have it
 * @param origin of the gate
 */
export function pastProxies(env: NodeJS.ProcessEnv, origin: string): Record<string, string> {
  const goesOut = Object.entries(env).some(([name, value]) => /^(?:https?|all)_proxy$/i.test(name) && value);
  if (!goesOut) return {};
  const host = new URL(origin).hostname.replace(/^\[|\]$/g, '');
  // Alone, it is all hosts; in a list, it is none.
  const beside = (before: string | undefined) =>
    before?.trim() === '*' ? '*' : before ? `${before},${host}` : host;
  return {
    no_proxy: beside(env.no_proxy ?? env.NO_PROXY),
    NO_PROXY: beside(env.NO_PROXY ?? env.no_proxy),
  };
}

function wrong(what: string): PatchgateError {
  return new PatchgateError('bad-usage', `--env: ${what}`, { hint: 'like this: --env BASE_URL=/api/v2' });
}
