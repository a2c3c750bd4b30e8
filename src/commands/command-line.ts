import yargs, { type Argv, type CommandModule } from 'yargs';
import { PatchgateError } from '../errors.ts';
import { nearest } from '../model/nearest.ts';
import { flagOf, SETTINGS } from '../settings/settings.ts';
import { meantBehindFlag, meantBy } from './misplaced.ts';
import { spellOut } from './options.ts';

const RECORDINGS: readonly CommandModule[] = [
  command('list', 'One line for each recording: size and age', () =>
    import('./recordings/list.ts').then((module) => module.list),
  ),
  command('show <name> [numbers..]', 'Lists the exchanges of a recording, or shows some in full', () =>
    import('./recordings/show.ts').then((module) => module.show),
  ),
  command('scrub [names..]', 'Redacts what is still secret in recordings that are there', () =>
    import('./recordings/scrub.ts').then((module) => module.scrub),
  ),
  command('prune <name>', 'Removes exchanges of a recording; asks before', () =>
    import('./recordings/prune.ts').then((module) => module.prune),
  ),
  command('import <files..>', 'Records what HTTP archives (HAR) of browsers and proxies hold, redacted', () =>
    import('./recordings/import.ts').then((module) => module.importRecording),
  ),
  command('export <name>', 'Writes a recording as an HTTP archive (HAR 1.2)', () =>
    import('./recordings/export.ts').then((module) => module.exportRecording),
  ),
];

const APPROVALS: readonly CommandModule[] = [
  command('list', 'Lists what waits for somebody to approve it', () =>
    import('./approvals.ts').then((module) => module.list),
  ),
  command('approve <id>', 'Lets a PATCH pass once', () =>
    import('./approvals.ts').then((module) => module.approve),
  ),
  command('decline <id>', 'Says no to it', () => import('./approvals.ts').then((module) => module.decline)),
];

const CONTRACT: readonly CommandModule[] = [
  command('import <document>', 'Makes a contract of an OpenAPI document', () =>
    import('./contract.ts').then((module) => module.importContract),
  ),
];

const COMMANDS: readonly CommandModule[] = [
  command('proxy [target]', 'The gate in front of a real service', () =>
    import('./serve.ts').then((module) => module.proxy),
  ),
  command('replay', 'Answers from a recording, without the service', () =>
    import('./serve.ts').then((module) => module.replay),
  ),
  command('fake', 'The gate in front of a stateful fake of the service', () =>
    import('./serve.ts').then((module) => module.fake),
  ),
  command(
    'exec [command..]',
    'Runs a command, such as a test suite, against a recording: exec -- npm test',
    () => import('./exec.ts').then((module) => module.exec),
  ),
  command(
    'check [inputs..]',
    'Judges bodies, recordings and HTTP archives: 0 clean, 1 findings, 2 could not judge',
    () => import('./check.ts').then((module) => module.check),
  ),
  command('plan <body>', 'Says what a PATCH of a project would create, delete and replace; sends none', () =>
    import('./plan.ts').then((module) => module.plan),
  ),
  {
    command: 'approvals',
    describe: 'Lists, approves and declines what a running gate has stopped for what it deletes',
    builder: (yargs) =>
      yargs
        .command([...APPROVALS])
        .demandCommand(1, 'no command is given after approvals')
        .example('$0 approvals list', 'what waits at the gate of this machine')
        .example('$0 approvals approve k3f9x2ab', 'lets that PATCH pass once'),
    handler: () => undefined,
  },
  {
    command: 'recordings',
    describe: 'Lists, shows, prunes, scrubs, imports and exports recordings',
    builder: (yargs) =>
      yargs
        .command([...RECORDINGS])
        .demandCommand(1, 'no command is given after recordings')
        .example('$0 recordings list', 'what is recorded, how old it is, what no run replays')
        .example('$0 recordings show checkout --method PATCH', 'what a recording holds'),
    handler: () => undefined,
  },
  {
    command: 'contract',
    describe: 'Makes a contract of an OpenAPI document, for any other API',
    builder: (yargs) =>
      yargs
        .command([...CONTRACT])
        .demandCommand(1, 'no command is given after contract')
        .example('$0 contract import openapi.yaml --out contract', 'and says what was left out'),
    handler: () => undefined,
  },
  command('config [command]', 'Prints the settings in force, and where each came from', () =>
    import('./config.ts').then((module) => module.config),
  ),
  command('demo', 'Shows the main job in one go, on a fake of the service', () =>
    import('./demo.ts').then((module) => module.demo),
  ),
];

/** A command whose module is loaded once it is called. */
function command(name: string, describe: string, load: () => Promise<CommandModule>): CommandModule {
  return {
    command: name,
    describe,
    builder: async (yargs: Argv) => {
      const { builder } = await load();
      return typeof builder === 'function' ? builder(yargs) : yargs;
    },
    handler: async (argv) => (await load()).handler(argv),
  };
}

/** Reads the command line and runs what it asks for. @throws PatchgateError `bad-usage`, and what the command throws */
export async function runCommandLine(args: readonly string[]): Promise<void> {
  const cli = yargs()
    .scriptName('patchgate')
    // The messages are read below, so they must be English.
    .locale('en')
    .usage(
      '$0 <command>\n\nJudges every PATCH to an experimentation service, records what passes, and replays it.',
    )
    .command([...COMMANDS])
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
  try {
    await cli.parseAsync(spellOut(helpSpeltOut(args)));
  } catch (error) {
    // Where a command is loaded late, yargs throws this one past `fail`.
    if (!(error instanceof Error) || error.name !== 'YError') throw error;
    throw usageError(error.message, calledIn(cli, args));
  }
}

/** `help proxy` is `proxy --help`; of an unknown command, it is an error that says so. */
function helpSpeltOut(args: readonly string[]): readonly string[] {
  const [first, ...rest] = args;
  if (first !== 'help') return args;
  const isKnown = COMMANDS.some(({ command }) => String(command).split(' ')[0] === rest[0]);
  return isKnown || rest.length === 0 ? [...rest, '--help'] : rest;
}

/** What yargs knows of the command that was called. */
export interface Called {
  /** Its name, or names: `recordings`, `list`. Empty where none was recognised. */
  commands: readonly string[];
  /** `patchgate check <inputs..>` */
  usage: string;
  /** The commands that could have followed. */
  further: readonly string[];
  /** Names of its options, without `--`. */
  options: readonly string[];
  /** What was typed. */
  args: readonly string[];
}

function calledIn(yargs: unknown, args: readonly string[]): Called {
  // These are beside its types.
  const parser = yargs as {
    getOptions(): { key: Record<string, unknown> };
    getInternalMethods(): {
      getContext(): { commands: string[] };
      getUsageInstance(): { getUsage(): [usage: string, description: string][] };
      getCommandInstance(): { getCommands(): string[] };
    };
  };
  const methods = parser.getInternalMethods();
  return {
    commands: methods.getContext().commands,
    usage: methods.getUsageInstance().getUsage()[0]?.[0].replace('$0', 'patchgate') ?? '',
    further: methods.getCommandInstance().getCommands(),
    options: Object.keys(parser.getOptions().key),
    args,
  };
}

/** A message of yargs about a command line, in our words, with a way out. */
export function usageError(message: string, called: Called): PatchgateError {
  const { commands } = called;
  const general = commands.length === 0 ? ', or patchgate <command> --help' : '';
  const [text, hint = `see ${['patchgate', ...commands].join(' ')} --help${general}`] = reworded(
    message,
    called,
  );
  return new PatchgateError('bad-usage', text, { hint });
}

function reworded(message: string, called: Called): [text: string, hint?: string | undefined] {
  const unknown = /^Unknown (?:arguments?|commands?): (.*)$/s.exec(message)?.[1];
  if (unknown !== undefined) return ofUnknown(unknown.split(', '), called);
  const missing = /^Missing required arguments?: (.*)$/.exec(message)?.[1];
  if (missing !== undefined) return [`missing ${missing.split(', ').map(dashed).join(' and ')}`];
  const valueless = /^Not enough arguments following: (.*)$/.exec(message)?.[1];
  if (valueless !== undefined) return [`${dashed(valueless)} needs a value`];
  if (message.startsWith('Not enough non-option arguments')) return [`missing argument: ${called.usage}`];
  const choice = /^ *Argument: (.*?), Given: (.*), Choices: (.*)$/m.exec(message);
  if (!choice) return [message];
  const [, name = '', given = '', choices = ''] = choice;
  const words = choices.replaceAll('"', '').split(', ');
  const near = nearest(given.replaceAll('"', ''), words);
  return [
    `invalid value ${given} for ${dashed(name)}`,
    `it takes one of: ${words.join(', ')}${near === undefined ? '' : `; did you mean "${near}"?`}`,
  ];
}

/** @param names yargs lists an option in each form that it could be read in */
function ofUnknown(names: readonly string[], called: Called): [text: string, hint?: string | undefined] {
  const { args, commands, further, options } = called;
  const typed = args.map((arg) => (/^--?[^-]/.test(arg) ? (arg.split('=', 1)[0] as string) : arg));
  const typedForm = (name: string) =>
    [dashed(name), `--no-${name}`, name].find((form) => typed.includes(form));
  const meant = names.some(typedForm) ? names.filter(typedForm) : names;
  const [first = ''] = meant;
  if (typedForm(first) === first && further.length > 0) {
    const where = [...commands, ''].join(' ');
    const near = nearest(first, further);
    const meant = near ? `"patchgate ${where}${near}"` : options.includes(first) ? `--${first}` : undefined;
    return [
      `unknown command "${where}${first}"`,
      meant ? `did you mean ${meant}?` : `commands: ${further.join(', ')}`,
    ];
  }
  if (typedForm(first) === first) {
    // One too many may have put another one into the place of the target.
    const misplaced = args.find((arg) => meantBehindFlag(arg, args)) ?? first;
    const meant = meantBy(misplaced, args, options);
    return [`unexpected argument ${JSON.stringify(misplaced)}`, meant && `did you mean ${meant}?`];
  }
  const flags = meant.map((name) => typedForm(name) ?? dashed(name));
  const text = `unknown option${flags.length === 1 ? '' : 's'} ${flags.join(' and ')}`;
  const settings = Object.keys(SETTINGS).map(flagOf);
  if (settings.includes(first)) return [text, 'another command takes it: see patchgate <command> --help'];
  const near = first.length === 1 ? undefined : (nearest(first, options) ?? nearest(first, settings));
  return [text, near && `did you mean --${near}?`];
}

function dashed(name: string): string {
  return name.length === 1 ? `-${name}` : `--${name}`;
}
