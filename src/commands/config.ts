import type { CommandModule } from 'yargs';
import { SETTINGS, type SettingName } from '../settings/settings.ts';
import { once } from './given.ts';
import { flagsOf, withSettings } from './options.ts';

export const config: CommandModule = {
  command: 'config [command]',
  describe: 'Prints the settings in force, and where each came from',
  builder: (yargs) =>
    withSettings(yargs, Object.keys(SETTINGS) as SettingName[])
      .positional('command', {
        type: 'string',
        describe: 'With the defaults of: proxy, replay, fake, exec, check, plan, verify',
      })
      .option('format', {
        choices: ['text', 'json'] as const,
        default: 'text' as const,
        describe: 'Of the list',
      })
      .example('$0 config proxy', 'what patchgate proxy would run with here')
      .example('$0 config --format json', 'for a program'),
  handler: async (argv) => {
    const [{ configText }, { standardOutput }] = await Promise.all([
      import('./config/config-text.ts'),
      import('./output.ts'),
    ]);
    const { command, format } = argv as unknown as { command?: string; format: string | string[] };
    const around = { env: process.env, cwd: process.cwd() };
    const isJson = once('format', format) === 'json';
    const text = await configText(flagsOf(argv), command, isJson ? 'json' : 'text', around);
    await standardOutput().write(text);
  },
};
