import { PatchgateError } from '../errors.ts';
import { nearest } from '../model/nearest.ts';
import { flagOf, GONE, SETTINGS } from '../settings/settings.ts';
import { meantBehindFlag, meantBy } from './misplaced.ts';

/** What the parser knows of the command that was called. */
export interface Called {
  /** Its name, or names: `recordings`, `list`. Empty where none was recognised. */
  commands: readonly string[];
  /** How it is called: `patchgate check <inputs..>`. */
  usage: string;
  /** The commands that could have followed. */
  further: readonly string[];
  /** Names of its options, without `--`. */
  options: readonly string[];
  /** What was typed. */
  args: readonly string[];
}

/**
 * What yargs knows by now, of the command that it is at.
 *
 * @param yargs in the middle of its work
 * @param args what was typed
 */
export function calledIn(yargs: unknown, args: readonly string[]): Called {
  const parser = yargs as Parser;
  const methods = parser.getInternalMethods();
  return {
    commands: methods.getContext().commands,
    usage: methods.getUsageInstance().getUsage()[0]?.[0].replace('$0', 'patchgate') ?? '',
    further: methods.getCommandInstance().getCommands(),
    options: Object.keys(parser.getOptions().key),
    args,
  };
}

/** What there is of yargs beside its types. */
interface Parser {
  getOptions(): { key: Record<string, unknown> };
  getInternalMethods(): {
    getContext(): { commands: string[] };
    getUsageInstance(): { getUsage(): [usage: string, description: string][] };
    getCommandInstance(): { getCommands(): string[] };
  };
}

/** What yargs has against a command line, in our words, with a way out. */
export function usageError(message: string, called: Called): PatchgateError {
  const [text, hint = seeHelp(called)] = reworded(message, called);
  return new PatchgateError('bad-usage', text, { hint });
}

function reworded(message: string, called: Called): [text: string, hint?: string] {
  const unknown = /^Unknown (?:arguments?|commands?): (.*)$/s.exec(message)?.[1];
  if (unknown !== undefined) return ofUnknown(unknown.split(', '), called);
  const missing = /^Missing required arguments?: (.*)$/.exec(message)?.[1];
  if (missing !== undefined) {
    const flags = missing.split(', ').map((name) => `--${name}`);
    return [`${flags.join(' and ')} ${flags.length === 1 ? 'is' : 'are'} missing`];
  }
  const valueless = /^Not enough arguments following: (.*)$/.exec(message)?.[1];
  if (valueless !== undefined) return [`${dashed(valueless)} needs a value`];
  if (message.startsWith('Not enough non-option arguments'))
    return [`an argument is missing: ${called.usage}`];
  const choice = /^ *Argument: (.*?), Given: (.*), Choices: (.*)$/m.exec(message);
  if (choice) {
    const [, name = '', given = '', choices = ''] = choice;
    const words = choices.replaceAll('"', '').split(', ');
    const near = nearest(given.replaceAll('"', ''), words);
    const meant = near === undefined ? '' : `; did you mean "${near}"?`;
    return [`${dashed(name)}: ${given} is not taken`, `it takes one of: ${words.join(', ')}${meant}`];
  }
  return [message];
}

/** yargs lists an option in each form that it could be read in. */
function ofUnknown(names: readonly string[], called: Called): [text: string, hint?: string] {
  const { args, commands, further, options } = called;
  const typed = args.map((arg) => (/^--?[^-]/.test(arg) ? (arg.split('=', 1)[0] as string) : arg));
  const typedForm = (name: string) =>
    [dashed(name), `--no-${name}`, name].find((form) => typed.includes(form));
  const meant = names.some(typedForm) ? names.filter(typedForm) : names;
  const [first = ''] = meant;
  if (typedForm(first) === first) {
    if (further.length === 0) {
      // One too many may have put another one into the place of the target.
      const misplaced = args.find((arg) => meantBehindFlag(arg, args)) ?? first;
      const text = `there is no place for the argument ${JSON.stringify(misplaced)}`;
      const meant = meantBy(misplaced, args, options);
      return meant ? [text, `did you mean ${meant}?`] : [text];
    }
    const near = nearest(first, further);
    const where = commands.length === 0 ? '' : `${commands.join(' ')} `;
    const meant = near ? `"patchgate ${where}${near}"` : options.includes(first) ? `--${first}` : undefined;
    return [
      `there is no command "${where}${first}"`,
      meant ? `did you mean ${meant}?` : `commands: ${further.join(', ')}`,
    ];
  }
  const flags = meant.map((name) => typedForm(name) ?? dashed(name));
  const text = `${flags.join(' and ')} ${flags.length === 1 ? 'is no option' : 'are no options'} of ${commandText(called)}`;
  const instead = GONE[first];
  if (instead) return [text, instead];
  const settings = Object.keys(SETTINGS).map(flagOf);
  const near = first.length === 1 ? undefined : (nearest(first, options) ?? nearest(first, settings));
  if (settings.includes(first)) return [text, 'another command takes it: see patchgate <command> --help'];
  return near ? [text, `did you mean --${near}?`] : [text];
}

function dashed(name: string): string {
  return name.length === 1 ? `-${name}` : `--${name}`;
}

function commandText({ commands }: Called): string {
  return ['patchgate', ...commands].join(' ');
}

function seeHelp(called: Called): string {
  const general = called.commands.length === 0 ? ', or patchgate <command> --help' : '';
  return `see ${commandText(called)} --help${general}`;
}
