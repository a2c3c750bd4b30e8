import type { CommandModule } from 'yargs';
import { all } from './given.ts';
import { flagsOf, PROXYING, withSettings } from './options.ts';

/** As the builder has yargs read them. */
interface Args {
  /** What stands before `--` and is no option: nothing should. */
  command: string[];
  env?: string | string[] | undefined;
  verbose: boolean;
}

export const exec: CommandModule = {
  command: 'exec [command..]',
  describe: 'Runs a command, such as a test suite, against a recording: exec -- npm test',
  builder: (yargs) =>
    withSettings(yargs, [...PROXYING, 'onMiss', 'target', 'failOnBlock'])
      .usage(
        '$0 exec [options] -- COMMAND…\n\nRuns a command, such as a test suite, against a recording, which it finds at PATCHGATE_URL. ' +
          'Exits as the command does; with 1 where that ended well, but asked for what is not recorded.',
      )
      .positional('command', { type: 'string', array: true })
      // The usage says where it stands.
      .hide('command')
      .option('env', {
        type: 'string',
        requiresArg: true,
        describe: 'Another variable that holds the URL, with a suffix: BASE_URL=/api/v2',
      })
      .option('verbose', {
        alias: 'v',
        type: 'boolean',
        default: false,
        describe: 'List the exchanges that were not served',
      })
      // What stands in a config file is for servers that others look for.
      .option('port', { defaultDescription: '0' })
      .option('log', { defaultDescription: 'off' })
      .example('$0 exec --recording checkout -- npm test', 'offline')
      .example('$0 exec --env BASE_URL=/api/v2 -- pytest', 'for a client that reads BASE_URL')
      .example(
        '$0 exec --record all --target https://staging.example.com -- npm test',
        'record what the tests ask for',
      ),
  handler: async (argv) => {
    const [{ runExec }, { commandOf }] = await Promise.all([
      import('./exec/run-exec.ts'),
      import('./exec/command-of.ts'),
    ]);
    const { command, env, verbose } = argv as unknown as Args;
    process.exitCode = await runExec({
      command: commandOf(process.argv.slice(2), command),
      flags: flagsOf(argv),
      variables: all(env),
      isVerbose: verbose,
    });
  },
};
