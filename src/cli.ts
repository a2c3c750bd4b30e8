#!/usr/bin/env node
import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
import { joinOutputs } from './commands/check/report/outputs.ts';
import { check } from './commands/check.ts';
import { config } from './commands/config.ts';
import { demo } from './commands/demo.ts';
import { exec } from './commands/exec.ts';
import { fake } from './commands/fake.ts';
import { spellOut } from './commands/options.ts';
import { plan } from './commands/plan.ts';
import { proxy } from './commands/proxy.ts';
import { recordings } from './commands/recordings.ts';
import { replay } from './commands/replay.ts';
import { calledIn, usageError } from './commands/usage-error.ts';
import { verify } from './commands/verify.ts';
import { messageOf, PatchgateError } from './errors.ts';
import { visible } from './reporters/wording.ts';
import { version } from './version.ts';

const COMMANDS = [proxy, replay, fake, exec, verify, check, plan, recordings, config, demo];

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
    throw usageError(message ?? error.message, calledIn(cli, hideBin(process.argv)));
  });

// The only place where an error becomes an exit code.
process.on('uncaughtException', (error) => {
  fail(error);
  process.exit();
});
/** The end of the command. Nothing here waits for it: of what never comes, Node would warn, and show the line in the bundle. */
export const ended = run().catch(fail);

async function run(): Promise<void> {
  if (process.argv[2] === '--version') process.stdout.write(`${version()}\n`);
  else await cli.parseAsync(joinOutputs(spellOut(helpSpeltOut(hideBin(process.argv)))));
}

/** `help proxy` is `proxy --help`; of no command, it is an error that says so. */
function helpSpeltOut(args: readonly string[]): readonly string[] {
  const [first, ...rest] = args;
  if (first !== 'help') return args;
  const isKnown = COMMANDS.some(({ command }) => String(command).split(' ')[0] === rest[0]);
  return isKnown || rest.length === 0 ? [...rest, '--help'] : rest;
}

function fail(error: unknown): void {
  const known =
    error instanceof PatchgateError
      ? error
      : new PatchgateError('internal', `unexpected: ${messageOf(error)}`, { cause: error });
  // What it quotes may come from a file.
  const lines = [`patchgate: ${known.message}`, ...(known.hint === undefined ? [] : [`  ${known.hint}`])];
  process.stderr.write(lines.map((line) => `${visible(line)}\n`).join(''));
  process.exitCode = known.exitCode;
}
