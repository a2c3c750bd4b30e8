import yargs from 'yargs';
import { joinOutputs } from './check/report/outputs.ts';
import { check } from './check.ts';
import { config } from './config.ts';
import { demo } from './demo.ts';
import { exec } from './exec.ts';
import { fake } from './fake.ts';
import { spellOut } from './options.ts';
import { plan } from './plan.ts';
import { proxy } from './proxy.ts';
import { recordings } from './recordings.ts';
import { replay } from './replay.ts';
import { calledIn, usageError } from './usage-error.ts';
import { verify } from './verify.ts';

const COMMANDS = [proxy, replay, fake, exec, verify, check, plan, recordings, config, demo];

/** Reads the command line and runs what it asks for. @throws PatchgateError `bad-usage`, and what the command throws */
export async function runCommandLine(args: readonly string[]): Promise<void> {
  const cli = yargs()
    .scriptName('patchgate')
    // All else is English, and a message in another language would not be known for what it is.
    .locale('en')
    .usage(
      '$0 <command>\n\nJudges every PATCH to an experimentation service, records what passes, and replays it.',
    )
    .command(COMMANDS)
    .demandCommand(1, 'no command is given')
    .strict()
    .version(false)
    .option('version', { type: 'boolean', describe: 'Print the version', global: false })
    .alias('help', 'h')
    .wrap(100)
    .epilogue('Exit codes: 0 clean, 1 findings, 2 could not run, 3 plan found a deletion.')
    .exitProcess(false)
    .fail((message, error) => {
      // Those of yargs are the user's; any other is the program's.
      if (error && error.name !== 'YError') throw error;
      throw usageError(message ?? error.message, calledIn(cli, args));
    });
  await cli.parseAsync(joinOutputs(spellOut(helpSpeltOut(args))));
}

/** `help proxy` is `proxy --help`; of no command, it is an error that says so. */
function helpSpeltOut(args: readonly string[]): readonly string[] {
  const [first, ...rest] = args;
  if (first !== 'help') return args;
  const isKnown = COMMANDS.some(({ command }) => String(command).split(' ')[0] === rest[0]);
  return isKnown || rest.length === 0 ? [...rest, '--help'] : rest;
}
