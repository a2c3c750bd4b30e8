/** Commands, settings and flags as a page of the reference, from the definitions of the program. */
import type { Argv, CommandModule, Options } from 'yargs';
import { COMMANDS } from '../../src/commands/command-line.ts';
import { flagOf, SETTING_NAMES, SETTINGS, type Setting } from '../../src/settings/settings.ts';

export interface Described {
  /** `recordings show <name> [numbers..]` */
  usage: string;
  describe: string;
  options: Map<string, Options>;
  examples: string[];
}

/** Every command that does something. */
export async function describedCommands(
  modules: readonly CommandModule[] = COMMANDS,
  above = '',
): Promise<Described[]> {
  const all: Described[] = [];
  for (const module of modules) {
    const usage = `${above}${module.command}`;
    const one: Described = { usage, describe: String(module.describe), options: new Map(), examples: [] };
    const further: CommandModule[] = [];
    // What a builder asks of yargs is noted.
    const noting: Record<string, (...args: never[]) => unknown> = {
      option: (name: string, options: Options) => one.options.set(name, options),
      options: (options: Record<string, Options>) =>
        Object.entries(options).map((entry) => one.options.set(...entry)),
      example: (example: string) => one.examples.push(example),
      command: (commands: CommandModule[]) => further.push(...commands),
    };
    const yargs: object = new Proxy(
      {},
      {
        get: (_, method) =>
          method === 'then'
            ? undefined
            : (...args: never[]) => {
                noting[String(method)]?.(...args);
                return yargs;
              },
      },
    );
    await (module.builder as (yargs: Argv) => unknown)(yargs as Argv);
    if (further.length > 0) all.push(...(await describedCommands(further, `${usage} `)));
    else all.push(one);
  }
  return all;
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('*', '\\*');

export async function commandsPage(): Promise<string> {
  const commands = await describedCommands();
  const nameOf = ({ usage }: Described) => usage.replace(/ [<[].*/, '');
  const settings = SETTING_NAMES.map((name) => {
    const { enum: words, default: fallback, description }: Setting = SETTINGS[name];
    const takes = words?.filter((word) => typeof word === 'string' && !description.includes(word)) ?? [];
    const shown = [fallback ?? ''].flat().join(',');
    const says = takes.length > 0 ? `${description}: ${takes.join(', ')}` : description;
    return `| \`${name}\` | ${shown && `\`${shown}\``} | ${cell(says)} |`;
  });
  const known = new Set([...SETTING_NAMES.map(flagOf), 'config']);
  const own = new Map<string, string[]>();
  for (const command of commands)
    for (const [name, { describe, choices }] of command.options) {
      if (known.has(name)) continue;
      const says = `\`--${name}\` | ${cell(`${describe}${choices ? `: ${choices.join(', ')}` : ''}`)}`;
      own.set(says, [...(own.get(says) ?? []), `\`${nameOf(command)}\``]);
    }
  return [
    '## Commands\n\n| `patchgate …` | does |\n|---|---|',
    ...commands.map(({ usage, describe }) => `| \`${usage}\` | ${cell(describe)} |`),
    '\n## Settings\n\n| name | default | says |\n|---|---|---|',
    ...settings,
    '\n## Options of single commands\n\n| option | says | of |\n|---|---|---|',
    ...[...own].map(([says, names]) => `| ${says} | ${names.join(', ')} |`),
  ].join('\n');
}
