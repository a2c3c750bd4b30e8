import type { CommandModule } from 'yargs';
import { flagsOf, withSettings } from '../options.ts';

export const list: CommandModule = {
  command: 'list',
  describe: 'One line for each recording: size, age, what no run has asked for',
  builder: (yargs) =>
    withSettings(yargs, ['recordings', 'contract', 'basePath'])
      .option('format', {
        choices: ['text', 'json'] as const,
        default: 'text' as const,
        describe: 'Of the list',
      })
      .example('$0 recordings list', 'all below recordings/')
      .example('$0 recordings list --format json', 'for a program'),
  handler: async (argv) => {
    const [{ resolveConfig }, { gateOf }, { standardOutput }, { runList }] = await Promise.all([
      import('../../settings/config.ts'),
      import('../../app/compose-gate.ts'),
      import('../output.ts'),
      import('./run-list.ts'),
    ]);
    const { config } = await resolveConfig(flagsOf(argv));
    const { format } = argv as unknown as { format: 'text' | 'json' };
    const gate = await gateOf({ ...config, guard: 'off' }, { lazy: true });
    const operationOf = (method: string, path: string) =>
      gate.match({ method, url: path, headers: [] })?.operation;
    process.exitCode = await runList(
      { folder: config.recordings, format, now: Date.now(), operationOf },
      standardOutput(),
    );
  },
};
