import yargs, { type Argv, type CommandModule } from 'yargs';
import { PatchgateError } from '../errors.ts';
import { nearest } from '../model/nearest.ts';
import { flagOf } from '../settings/settings.ts';
import { version } from '../version.ts';

/** What loads the modules of commands, for what has to know all of them. */
const LOADERS: (() => Promise<CommandModule>)[] = [];

const load = {
  proxy: async () => (await import('./serve.ts')).proxy,
  replay: async () => (await import('./serve.ts')).replay,
  fake: async () => (await import('./serve.ts')).fake,
  exec: async () => (await import('./exec.ts')).exec,
  check: async () => (await import('./check.ts')).check,
  plan: async () => (await import('./plan.ts')).plan,
  approvals: async () => (await import('./approvals.ts')).list,
  approve: async () => (await import('./approvals.ts')).approve,
  decline: async () => (await import('./approvals.ts')).decline,
  recordings: async () => (await import('./recordings/list.ts')).list,
  show: async () => (await import('./recordings/show.ts')).show,
  scrub: async () => (await import('./recordings/scrub.ts')).scrub,
  prune: async () => (await import('./recordings/prune.ts')).prune,
  importHar: async () => (await import('./recordings/import.ts')).importRecording,
  exportHar: async () => (await import('./recordings/export.ts')).exportRecording,
  importContract: async () => (await import('./contract.ts')).importContract,
  config: async () => (await import('./config.ts')).config,
  init: async () => (await import('./init.ts')).init,
  demo: async () => (await import('./demo.ts')).demo,
};

export const COMMANDS: CommandModule[] = [
  command('proxy [target]', 'The gate in front of a real service', load.proxy),
  command('replay', 'Answers from a recording, without the service', load.replay),
  command('fake', 'The gate in front of a stateful fake of the service', load.fake),
  command('exec [command..]', 'Runs a command, such as a test suite, against a recording', load.exec),
  command('check [inputs..]', 'Judges bodies, recordings and HTTP archives', load.check),
  command('plan <body>', 'Says what a PATCH of a project would create, delete and replace', load.plan),
  group('approvals', 'Decides on PATCHes that a running gate has stopped', [
    command('list', 'Lists the PATCHes that wait for a decision', load.approvals),
    command('approve <id>', 'Lets a PATCH pass once', load.approve),
    command('decline <id>', 'Says no to it', load.decline),
  ]),
  group('recordings', 'Lists, shows, prunes, scrubs, imports and exports recordings', [
    command('list', 'One line for each recording', load.recordings),
    command('show <name> [numbers..]', 'Lists exchanges, or shows some in full', load.show),
    command('scrub [names..]', 'Redacts remaining secrets in recordings', load.scrub),
    command('prune <name>', 'Removes exchanges of a recording', load.prune),
    command('import <files..>', 'Records the exchanges of HTTP archives (HAR), redacted', load.importHar),
    command('export <name>', 'Writes a recording as an HTTP archive (HAR)', load.exportHar),
  ]),
  group('contract', 'Makes a contract of an OpenAPI document, for any other API', [
    command('import <document>', 'Makes a contract of an OpenAPI document', load.importContract),
  ]),
  command('config [command]', 'Prints the settings in force, and where each came from', load.config),
  command('init', 'Writes a config, an npm script and a CI job', load.init),
  command('demo', 'Shows the main job in one go, on a fake', load.demo),
];

const TOO_FEW = 'Not enough non-option arguments: got %s, need at least %s';

/** A command whose module is loaded once it is called. */
function command(usage: string, describe: string, load: () => Promise<CommandModule>): CommandModule {
  let module: CommandModule | undefined;
  const loaded = async () => {
    module ??= await load();
    return module;
  };
  LOADERS.push(loaded);
  // `%c` leaves out the numbers.
  const missing = `missing argument: ${/<.*?>/.exec(usage)}%c%c`;
  const build = (yargs: Argv, { builder }: CommandModule) => {
    // yargs forgets it with each command.
    const shown = yargs
      .showHidden('help-all', 'Show all options')
      .hide('version')
      .updateStrings({ [TOO_FEW]: { one: missing, other: missing } } as unknown as Record<string, string>);
    return typeof builder === 'function' ? builder(shown) : shown;
  };
  return {
    ...{ command: usage, describe },
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
    builder: (yargs) =>
      yargs
        .command([...commands])
        .demandCommand(1, `no command is given after ${name}`)
        .hide('version'),
    handler: () => undefined,
  };
}

/** yargs makes the text of a command's help before it runs, asked for or not: without lines of a width, in half the time. */
const HELP = /^(?:-h|(?:--)?help(?:-all)?)$/;

/** What yargs says in words of its own. */
const STRINGS = {
  'Missing required argument: %s': { one: 'missing option: --%s', other: 'missing options: %s' },
  'Not enough arguments following: %s': '--%s has no value',
  'Argument unexpected for: %s': '--%s takes no value; --no- before its name turns it off',
  // Nothing at all would count as not given.
  'Invalid values:': ' ',
  'Argument: %s, Given: %s, Choices: %s': '--%s is %s, but must be one of %s',
} as unknown as Record<string, string>;

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
    .updateStrings(STRINGS)
    .usage('$0 <command>\n\nJudges every PATCH to an experimentation service, records and replays it.')
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
    .wrap(given.some((arg) => HELP.test(arg)) || first === undefined ? 100 : null)
    .exitProcess(first === 'completion')
    .fail((message, error) => {
      // It is beside the types of yargs.
      const { key } = (cli as unknown as { getOptions(): { key: object } }).getOptions();
      throw message ? usageError(message, Object.keys(key), first) : error;
    });
  if (first === undefined) return void cli.showHelp('log');
  await cli.parseAsync().catch((error: Error) => {
    throw error.name === 'YError' ? usageError(error.message, [], first) : error;
  });
}

/** A message of yargs, with a way out. @param options that the command has @param first of the arguments */
function usageError(message: string, options: readonly string[], first?: string): PatchgateError {
  const unknown = /^Unknown arguments?: (.*)$/s.exec(message)?.[1]?.split(', ') ?? [];
  // yargs names an option in camel case, too.
  const names = unknown.filter((name) => name === flagOf(name) || !unknown.includes(flagOf(name)));
  const long = options.filter((name) => name.length > 1);
  const near = names[0] === undefined ? undefined : nearest(names[0], long);
  const meant = /^Did you mean (.*\?)$/.exec(message)?.[1];
  const told = message.trim().replace(/\s*\n\s*/g, '; ');
  const argument = names.length > 0 ? `unknown argument: ${names.join(', ')}` : told;
  const isNoCommand = meant !== undefined || names[0] === first;
  const text = isNoCommand ? 'there is no such command' : argument;
  const way = meant ? `did you mean ${meant}` : 'see patchgate --help, or patchgate <command> --help';
  const hint = near ? `did you mean --${near}?` : way;
  return new PatchgateError('bad-usage', text, { hint });
}
