import yargs, { type Argv, type CommandModule } from 'yargs';
import { PatchgateError } from '../errors.ts';
import { nearest } from '../model/nearest.ts';
import { flagOf } from '../settings/settings.ts';
import { version } from '../version.ts';

/** What loads the modules of commands, for what has to know all of them. */
const LOADERS: (() => Promise<CommandModule>)[] = [];

const RECORDINGS = [
  command('list', 'One line for each recording', async () => (await import('./recordings/list.ts')).list),
  command(
    'show <name> [numbers..]',
    'Lists the exchanges of a recording, or shows some in full',
    async () => (await import('./recordings/show.ts')).show,
  ),
  command(
    'scrub [names..]',
    'Redacts what is still secret in recordings',
    async () => (await import('./recordings/scrub.ts')).scrub,
  ),
  command(
    'prune <name>',
    'Removes exchanges of a recording; asks before',
    async () => (await import('./recordings/prune.ts')).prune,
  ),
  command(
    'import <files..>',
    'Records what HTTP archives (HAR) hold, redacted',
    async () => (await import('./recordings/import.ts')).importRecording,
  ),
  command(
    'export <name>',
    'Writes a recording as an HTTP archive (HAR)',
    async () => (await import('./recordings/export.ts')).exportRecording,
  ),
];
const APPROVALS = [
  command('list', 'Lists what waits for a decision', async () => (await import('./approvals.ts')).list),
  command('approve <id>', 'Lets a PATCH pass once', async () => (await import('./approvals.ts')).approve),
  command('decline <id>', 'Says no to it', async () => (await import('./approvals.ts')).decline),
];
export const COMMANDS = [
  command(
    'proxy [target]',
    'The gate in front of a real service',
    async () => (await import('./serve.ts')).proxy,
  ),
  command(
    'replay',
    'Answers from a recording, without the service',
    async () => (await import('./serve.ts')).replay,
  ),
  command(
    'fake',
    'The gate in front of a stateful fake of the service',
    async () => (await import('./serve.ts')).fake,
  ),
  command(
    'exec [command..]',
    'Runs a command, such as a test suite, against a recording',
    async () => (await import('./exec.ts')).exec,
  ),
  command(
    'check [inputs..]',
    'Judges bodies, recordings and HTTP archives',
    async () => (await import('./check.ts')).check,
  ),
  command(
    'plan <body>',
    'Says what a PATCH of a project would create, delete and replace',
    async () => (await import('./plan.ts')).plan,
  ),
  group('approvals', 'Decides on PATCHes that a running gate has stopped', APPROVALS),
  group('recordings', 'Lists, shows, prunes, scrubs, imports and exports recordings', RECORDINGS),
  group('contract', 'Makes a contract of an OpenAPI document, for any other API', [
    command(
      'import <document>',
      'Makes a contract of an OpenAPI document',
      async () => (await import('./contract.ts')).importContract,
    ),
  ]),
  command(
    'config [command]',
    'Prints the settings in force, and where each came from',
    async () => (await import('./config.ts')).config,
  ),
  command(
    'init',
    'Writes a config, an npm script and a CI job',
    async () => (await import('./init.ts')).init,
  ),
  command('demo', 'Shows the main job in one go, on a fake', async () => (await import('./demo.ts')).demo),
];

/** A command whose module is loaded once it is called. */
function command(usage: string, describe: string, load: () => Promise<CommandModule>): CommandModule {
  let module: CommandModule | undefined;
  const loaded = async () => {
    module ??= await load();
    return module;
  };
  LOADERS.push(loaded);
  const build = (yargs: Argv, { builder }: CommandModule) => {
    // yargs forgets it with each command.
    const shown = yargs.showHidden('help-all', 'Show all options').hide('version');
    return typeof builder === 'function' ? builder(shown) : shown;
  };
  return {
    command: usage,
    describe,
    builder: ((yargs) => (module ? build(yargs, module) : loaded().then((one) => build(yargs, one)))) as (
      yargs: Argv,
    ) => Argv,
    handler: async (argv) => (await loaded()).handler(argv),
  };
}

function group(name: string, describe: string, commands: readonly CommandModule[]): CommandModule {
  return {
    command: name,
    describe,
    builder: (yargs) => yargs.command([...commands]).demandCommand(1, `no command is given after ${name}`),
    handler: () => undefined,
  };
}

/** Reads the command line and runs what it asks for. @throws PatchgateError `bad-usage`, and what the command throws */
export async function runCommandLine(given: readonly string[]): Promise<void> {
  const [first] = given;
  const isCompleting = first === '--get-yargs-completions';
  // yargs completes the options of a command at once, or not at all.
  if (isCompleting) await Promise.all(LOADERS.map((load) => load()));
  const own = given.includes('--') ? given.slice(0, given.indexOf('--')) : given;
  const args = own.includes('--help-all') ? ['--help', ...given] : [...given];
  const cli = yargs(args)
    .scriptName('patchgate')
    .locale('en')
    .usage(
      '$0 <command>\n\nJudges every PATCH to an experimentation service, records what passes, and replays it.',
    )
    .command(COMMANDS)
    .completion('completion', 'Prints a script that completes commands in bash or zsh')
    .parserConfiguration({ 'populate--': true })
    .strict(!isCompleting)
    .recommendCommands()
    .version(version())
    .alias('help', 'h')
    .showHidden('help-all', 'Show all options')
    .example('$0 demo', 'the main job in one go')
    .example('$0 proxy https://example.com --record', 'judge, forward and record')
    .epilogue('Exit codes: 0 clean, 1 findings, 2 could not run, 3 plan found a deletion.')
    .wrap(100)
    .exitProcess(first === 'completion')
    .fail((message, error) => {
      // It is beside the types of yargs.
      const { key } = (cli as unknown as { getOptions(): { key: object } }).getOptions();
      throw error ?? usageError(message, Object.keys(key));
    });
  if (first === undefined) return void cli.showHelp('log');
  await cli.parseAsync().catch((error: Error) => {
    throw error.name === 'YError' ? usageError(error.message, []) : error;
  });
}

/** A message of yargs, with a way out. @param options that the command has */
function usageError(message: string, options: readonly string[]): PatchgateError {
  const unknown = /^Unknown arguments?: (.*)$/s.exec(message)?.[1]?.split(', ') ?? [];
  // yargs names an option in camel case, too.
  const names = unknown.filter((name) => name === flagOf(name) || !unknown.includes(flagOf(name)));
  const near = names[0] === undefined ? undefined : nearest(names[0], options);
  const text = names.length > 0 ? `unknown argument: ${names.join(', ')}` : message;
  const hint = near ? `did you mean --${near}?` : 'see patchgate --help, or patchgate <command> --help';
  return new PatchgateError('bad-usage', text, { hint });
}
