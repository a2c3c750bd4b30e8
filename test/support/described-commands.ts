import type { Argv, CommandModule, Options } from 'yargs';
import { COMMANDS } from '../../src/commands/command-line.ts';

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
