import { parseArgs } from 'node:util';
import type { ServerKind } from '../app/compose-upstream.ts';
import { flagOf, SETTINGS, type Setting, type SettingName } from '../settings/settings.ts';
import { FAKING, PROXYING, REPLAYING_ALONE, spellOut } from './options.ts';

const SERVERS: Readonly<Record<ServerKind, readonly SettingName[]>> = {
  proxy: PROXYING,
  replay: REPLAYING_ALONE,
  fake: FAKING,
};

/**
 * A command that serves, read without yargs, which takes as long to load as all the rest. Undefined where yargs has to
 * look at it: for help, for another command, and for all that is not plainly right.
 */
export function plainCommand(
  args: readonly string[],
): { kind: ServerKind; flags: Record<string, unknown> } | undefined {
  const [kind = '', ...rest] = args;
  if (!Object.hasOwn(SERVERS, kind) || rest.some((arg) => UNPLAIN.test(arg))) return undefined;
  try {
    const { positionals, values } = parseArgs({
      args: spellOut(rest),
      options: optionsOf(SERVERS[kind as ServerKind]),
      allowPositionals: kind === 'proxy',
    });
    const [target, ...further] = positionals;
    if (further.length > 0 || (target !== undefined && !/^https?:/.test(target))) return undefined;
    const flags: Record<string, unknown> = target === undefined ? {} : { target };
    for (const name of [...SERVERS[kind as ServerKind], 'config']) {
      const given = (values as Record<string, unknown[] | undefined>)[flagOf(name)];
      // One that is on or off may be given again.
      if (given) flags[name] = given.length === 1 || given[0] === true ? given[0] : given;
    }
    return { kind: kind as ServerKind, flags };
  } catch {
    return undefined;
  }
}

/** What yargs reads in a way of its own: `-`, `--`, `-p8080`, quotes, a word behind an option that is on or off, and help. */
const UNPLAIN = /^(?:--?|-[^-].+|true|false|help|(?:--[^=]*=)?(["']).*\1)$/s;

function optionsOf(names: readonly SettingName[]) {
  const option = ({ type, alias }: Partial<Setting>) => ({
    type: type === 'boolean' ? ('boolean' as const) : ('string' as const),
    multiple: true,
    ...(alias?.length === 1 && { short: alias }),
  });
  const entries = names.map((name) => [flagOf(name), option(SETTINGS[name] as Setting)]);
  return Object.fromEntries([...entries, ['config', option({})]]);
}
