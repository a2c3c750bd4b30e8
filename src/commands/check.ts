import type { CommandModule } from 'yargs';
import type { Format } from './check/write-reports.ts';
import { flagsOf, GUARDING, JUDGING, withSettings } from './options.ts';

/** As the builder has yargs read them. */
interface Args {
  inputs: string[];
  operation?: string | undefined;
  path?: string | undefined;
  format: Format;
}

export const check: CommandModule = {
  command: 'check <inputs..>',
  describe: 'Judges JSON bodies and recordings: 0 clean, 1 findings, 2 could not judge',
  builder: (yargs) =>
    withSettings(yargs, [
      ...JUDGING.filter((name) => name !== 'validation'),
      ...GUARDING,
      'learn',
      'state',
      'failOn',
      'baseline',
      'recordings',
    ])
      .positional('inputs', {
        type: 'string',
        array: true,
        demandOption: true,
        describe: 'Files, folders (all *.json below), - for standard input',
      })
      .options({
        operation: { type: 'string', requiresArg: true, describe: 'Judge bodies as this operation' },
        path: { type: 'string', requiresArg: true, describe: 'Judge bodies as a PATCH of this path' },
        format: { choices: ['text', 'json'] as const, default: 'text' as const, describe: 'Of the report' },
      })
      .example('$0 check recordings', 'what would the gate say to what was recorded?')
      .example('$0 check project.json --operation updateProject', 'a body of your own')
      .example('$0 check - --path /accounts/current/drafts/1001 < draft.json', 'with its id'),
  handler: async (argv) => {
    const [{ resolveConfig, workspaceOf }, { runCheck }] = await Promise.all([
      import('../config.ts'),
      import('./check/run-check.ts'),
    ]);
    const { config, origins } = await resolveConfig(flagsOf(argv), { guard: 'off' });
    const { inputs, operation, path, format } = argv as unknown as Args;
    // yargs loses a lone - among the positionals, though it counts it.
    if (process.argv.includes('-')) inputs.push('-');
    process.exitCode = await runCheck(
      {
        inputs,
        operation,
        path,
        bodies: config.bodies,
        recordings: config.recordings,
        outputs: [{ format }],
        failOn: config.failOn,
        baseline: config.baseline,
        suppressions: config.suppressions,
        learn: config.learn,
        account: workspaceOf(config),
        // A proxy's says what the service holds today, which is not what it held before a recording was made.
        state: (origins.state === 'flag' && config.state) || undefined,
      },
      {
        get stdin() {
          return process.stdin;
        },
        stdout: writeOut,
        cwd: process.cwd(),
        today: new Date().toISOString().slice(0, 10),
      },
      async () => {
        const { gateOf } = await import('../compose-gate.ts');
        // To judge is what the command is for, whatever a proxy of the same config does.
        return gateOf({ ...config, validation: 'enforce' }, { lazy: true });
      },
    );
  },
};

async function writeOut(text: string): Promise<void> {
  const { messageOf, PatchgateError, systemCode } = await import('../errors.ts');
  await new Promise<void>((resolve, reject) => {
    // The callback has the error too; without a listener it would end the process.
    const ignore = () => undefined;
    process.stdout.once('error', ignore);
    process.stdout.write(text, (error) => {
      if (!error) process.stdout.off('error', ignore);
      // A reader that has seen enough (`| head`) is no failure.
      if (!error || systemCode(error) === 'EPIPE') resolve();
      else
        reject(
          new PatchgateError('cannot-write', `cannot write the report: ${messageOf(error)}`, {
            cause: error,
          }),
        );
    });
  });
}
