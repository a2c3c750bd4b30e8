import type { CommandModule } from 'yargs';
import { flagsOf, withSettings } from '../options.ts';
import { selectionOf, withSelection } from './selecting.ts';

/** As the builder has yargs read them. */
interface Args {
  name: string;
  unused: boolean;
  olderThan?: string;
  yes: boolean;
}

export const remove: CommandModule = {
  command: 'remove <name>',
  describe: 'Removes a recording, or some of its exchanges; asks before',
  builder: (yargs) =>
    withSelection(withSettings(yargs, ['recordings']))
      .positional('name', { type: 'string', demandOption: true, describe: 'Name of the recording' })
      .options({
        unused: {
          type: 'boolean',
          default: false,
          describe: 'Only what no run has asked for since the recording changed',
        },
        'older-than': {
          type: 'string',
          requiresArg: true,
          describe: 'Only what was recorded longer ago: 30d',
        },
        yes: { alias: 'y', type: 'boolean', default: false, describe: 'Do not ask' },
      })
      .example('$0 recordings remove checkout', 'all of it')
      .example('$0 recordings remove checkout --unused --older-than 30d', 'what nobody needs any more')
      .example("$0 recordings remove checkout --method DELETE --path '/api/*' --yes", 'in a script'),
  handler: async (argv) => {
    const [{ resolveConfig }, { checkValue }, { runRemove }, { confirm, removedText }, { SETTINGS }] =
      await Promise.all([
        import('../../settings/config.ts'),
        import('../../settings/check-value.ts'),
        import('./run-remove.ts'),
        import('./confirm.ts'),
        import('../../settings/settings.ts'),
      ]);
    const { config } = await resolveConfig(flagsOf(argv));
    const { name, unused, olderThan, yes } = argv as unknown as Args;
    const age =
      olderThan === undefined
        ? undefined
        : (checkValue('maxAge', SETTINGS.maxAge, olderThan, '--older-than') as number);
    const args = {
      folder: config.recordings,
      name,
      selection: selectionOf(argv),
      unused,
      ...(age !== undefined && { before: Date.now() - age }),
    };
    const removed = await runRemove(args, (removal) =>
      yes ? Promise.resolve(true) : confirm(removal, args),
    );
    process.stdout.write(removedText(removed, args));
  },
};
