import type { CommandModule } from 'yargs';
import { flagsOf, REDACTION, withSettings } from '../options.ts';

/** As the builder has yargs read them. */
interface Args {
  names?: string[];
  check: boolean;
}

export const scrub: CommandModule = {
  command: 'scrub [names..]',
  describe: 'Redacts what is still secret in recordings that are there',
  builder: (yargs) =>
    withSettings(yargs, ['recordings', ...REDACTION])
      .positional('names', {
        type: 'string',
        array: true,
        describe: 'Names of recordings; all where none is given',
      })
      .option('check', {
        type: 'boolean',
        default: false,
        describe: 'Change nothing; exit with 1 where something is found',
      })
      .example('$0 recordings scrub checkout', 'put placeholders in the place of secrets')
      .example('$0 recordings scrub --check', 'in CI: is there a secret in any recording?'),
  handler: async (argv) => {
    const [{ resolveConfig }, { standardOutput }, { runScrub }, { redactionOf }] = await Promise.all([
      import('../../settings/config.ts'),
      import('../output.ts'),
      import('./run-scrub.ts'),
      import('../../recordings/redaction/redaction.ts'),
    ]);
    const { config } = await resolveConfig(flagsOf(argv));
    const { names = [], check } = argv as unknown as Args;
    const args = { folder: config.recordings, names, check, redaction: redactionOf(config) };
    process.exitCode = await runScrub(args, standardOutput());
  },
};
