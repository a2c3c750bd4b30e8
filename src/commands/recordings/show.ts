import type { CommandModule } from 'yargs';
import { flagsOf, REDACTION, withSettings } from '../options.ts';
import { selectionOf, withSelection } from './selecting.ts';

/** As the builder has yargs read them. */
interface Args {
  name: string;
  numbers?: string[];
  full: boolean;
  format: 'text' | 'json';
}

export const show: CommandModule = {
  command: 'show <name> [numbers..]',
  describe: 'Lists the exchanges of a recording, or shows some in full',
  builder: (yargs) =>
    withSelection(withSettings(yargs, ['recordings', ...REDACTION]))
      .positional('name', { type: 'string', demandOption: true, describe: 'Name of the recording' })
      .positional('numbers', {
        type: 'string',
        array: true,
        describe: 'Those to show in full, by their numbers in the list',
      })
      .options({
        full: { type: 'boolean', default: false, describe: 'Show all in full' },
        format: {
          choices: ['text', 'json'] as const,
          default: 'text' as const,
          describe: 'Of what is shown',
        },
      })
      .example('$0 recordings show checkout', 'one line for each exchange')
      .example('$0 recordings show checkout 3', 'the third with headers and bodies')
      .example("$0 recordings show checkout --path '/api/*/drafts/*' --full", 'all of some paths'),
  handler: async (argv) => {
    const [{ resolveConfig }, { standardOutput }, { runShow }, { redactionOf }, { numbersOf }] =
      await Promise.all([
        import('../../settings/config.ts'),
        import('../output.ts'),
        import('./run-show.ts'),
        import('../../recordings/redaction/redaction.ts'),
        import('./numbers.ts'),
      ]);
    const { config } = await resolveConfig(flagsOf(argv));
    const { name, numbers = [], full, format } = argv as unknown as Args;
    const args = {
      folder: config.recordings,
      name,
      numbers: numbersOf(numbers),
      selection: selectionOf(argv),
      full,
      format,
      redaction: redactionOf(config),
      now: Date.now(),
    };
    await runShow(args, standardOutput());
  },
};
