import type { CommandModule } from 'yargs';
import { judgingGate } from '../app/compose-gate.ts';
import { resolveConfig } from '../settings/config.ts';
import { COMMAND_DEFAULTS } from '../settings/settings.ts';
import { outputsOf, REPORT_OPTIONS } from './check/outputs.ts';
import { runCheck } from './check/run-check.ts';
import { standardIo } from './check/standard-io.ts';
import { all, once } from './given.ts';
import { flagsOf, GUARDING, JUDGING, takesText, withSettings } from './options.ts';

/** As the builder has yargs read them. */
type Args = { _: (string | number)[]; inputs?: string[] } & Partial<
  Record<'operation' | 'path' | 'format', string | string[]>
>;

export const check: CommandModule = {
  builder: (yargs) =>
    withSettings(yargs, [
      ...JUDGING.filter((name) => name !== 'validation'),
      ...GUARDING,
      'failOn',
      'recordings',
    ])
      .positional('inputs', {
        type: 'string',
        array: true,
        describe: 'Files, folders, globs, names of recordings, - for standard input',
      })
      .options({
        operation: takesText('Judge bodies as this operation; else by their file names or shapes'),
        path: takesText('Judge bodies as a PATCH of this path'),
        ...REPORT_OPTIONS,
      })
      .example('$0 check recordings', 'what would the gate say to what was recorded?')
      .example('$0 check project.json --operation updateProject', 'a body of your own')
      .example('$0 check - --path /accounts/current/drafts/1001 < draft.json', 'with its id')
      .example('$0 check bodies -f text -f junit=report.xml', 'for people, and for a CI system'),
  handler: async (argv) => {
    const { config, file } = await resolveConfig(flagsOf(argv), COMMAND_DEFAULTS.check);
    const { _: words, inputs = [], format, operation, path } = argv as unknown as Args;
    // yargs keeps words behind -- apart, and loses a lone - though it counts it.
    const behind = words.slice(1).map(String);
    const stdin = process.argv.slice(2).includes('-') ? ['-'] : [];
    const args = {
      ...{ inputs: [...inputs, ...behind, ...stdin], recordings: config.recordings, failOn: config.failOn },
      operation: once('operation', operation),
      path: once('path', path),
      outputs: outputsOf(all(format), process.cwd()),
      configFile: file?.file,
      redaction: config,
    };
    process.exitCode = await runCheck(args, standardIo(), () => judgingGate(config));
  },
};
