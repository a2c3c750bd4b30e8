import type { CommandModule } from 'yargs';
import { flagsOf, withSettings } from '../options.ts';

export const list: CommandModule = {
  command: 'list',
  describe: 'One line for each recording: size, age, what the last run did not serve',
  builder: (yargs) =>
    withSettings(yargs, ['recordings'])
      .option('format', {
        choices: ['text', 'json'] as const,
        default: 'text' as const,
        describe: 'Of the list',
      })
      .example('$0 recordings list', 'all below recordings/')
      .example('$0 recordings list --format json', 'for a program'),
  handler: async (argv) => {
    const [{ resolveConfig }, { standardOutput }, { runList }] = await Promise.all([
      import('../../config.ts'),
      import('./output.ts'),
      import('./run-list.ts'),
    ]);
    const { config } = await resolveConfig(flagsOf(argv));
    const { format } = argv as unknown as { format: 'text' | 'json' };
    const args = { folder: config.recordings, format, now: Date.now() };
    process.exitCode = await runList(args, standardOutput());
  },
};
