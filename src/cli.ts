#!/usr/bin/env node
import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
import { check } from './commands/check.ts';
import { demo } from './commands/demo.ts';
import { fake } from './commands/fake.ts';
import { spellOut } from './commands/options.ts';
import { plan } from './commands/plan.ts';
import { proxy } from './commands/proxy.ts';
import { recordings } from './commands/recordings.ts';
import { replay } from './commands/replay.ts';
import { messageOf, PatchgateError } from './errors.ts';
import { nearest } from './model/nearest.ts';
import { flagOf, SETTINGS } from './settings.ts';
import { version } from './version.ts';

const cli = yargs()
  .scriptName('patchgate')
  .usage(
    '$0 <command>\n\nJudges every PATCH to an experimentation service, records what passes, and replays it.',
  )
  .command([proxy, replay, fake, check, plan, recordings, demo])
  .demandCommand(1, 'no command is given')
  .strict()
  .recommendCommands()
  .version(false)
  .option('version', { type: 'boolean', describe: 'Print the version', global: false })
  .alias('help', 'h')
  .wrap(100)
  .epilogue('Exit codes: 0 clean, 1 findings, 2 could not run, 3 plan found a deletion.')
  .exitProcess(false)
  .fail((message, error) => {
    // Those of yargs are the user's; any other is the program's.
    if (error && error.name !== 'YError') throw error;
    const text = (message ?? error.message).replace(
      /^Not enough arguments following: (.*)$/,
      '--$1 needs a value',
    );
    throw new PatchgateError('bad-usage', text, { hint: hintFor(text) });
  });

// The only place where an error becomes an exit code.
process.on('uncaughtException', (error) => {
  fail(error);
  process.exit();
});
try {
  if (process.argv[2] === '--version') process.stdout.write(`${version()}\n`);
  else await cli.parseAsync(spellOut(hideBin(process.argv)));
} catch (error) {
  fail(error);
}

function fail(error: unknown): void {
  const known =
    error instanceof PatchgateError
      ? error
      : new PatchgateError('internal', `unexpected: ${messageOf(error)}`, { cause: error });
  process.stderr.write(`patchgate: ${known.message}\n${known.hint === undefined ? '' : `  ${known.hint}\n`}`);
  process.exitCode = known.exitCode;
}

function hintFor(message: string): string {
  const unknown = /^Unknown arguments?: ([\w-]+)/.exec(message)?.[1];
  const flags = Object.keys(SETTINGS).map(flagOf);
  if (unknown && flags.includes(unknown))
    return `another command takes --${unknown}: see patchgate <command> --help`;
  const near = unknown && nearest(unknown, flags);
  return near ? `did you mean --${near}?` : 'see patchgate --help, or patchgate <command> --help';
}
