import type { Argv, Options } from 'yargs';
import {
  flagOf,
  SETTING_NAMES,
  SETTINGS,
  type Setting,
  type SettingName,
  wordsOf,
} from '../settings/settings.ts';
import { readValue } from '../settings/values.ts';

const inGroup = (group: string) =>
  SETTING_NAMES.filter((name) => (SETTINGS[name] as Setting).group === group);

/** What every command that judges takes. */
export const JUDGING = inGroup('Judging');
/** What is known of the records, for every command that holds PATCHes against it. */
export const GUARDING: readonly SettingName[] = ['allowDelete', 'protect'];
/** What every command that listens takes. */
export const SERVING = inGroup('Server').filter((name) => !name.startsWith('tls'));
/** Which requests are the same, for every command that records or replays. */
export const MATCHING = inGroup('Matching');
/** What is secret, for every command that keeps or shows exchanges. */
export const REDACTION = inGroup('Redaction');
/** Where recordings are, for every command that works on them. */
export const RECORDINGS: readonly SettingName[] = ['recordings', 'store'];
/** What every command that records takes. */
export const RECORDING: readonly SettingName[] = ['recordOnly', 'durability'];

/** What every command takes that answers clients. */
const ANSWERING: readonly SettingName[] = [
  ...JUDGING,
  ...GUARDING,
  'approvers',
  ...inGroup('Server'),
  ...inGroup('Inspector'),
  ...REDACTION,
  ...inGroup('Faults'),
];
/** The same from a recording, or into one. */
const RECORDED: readonly SettingName[] = [
  ...ANSWERING,
  ...MATCHING,
  ...inGroup('Replaying'),
  ...inGroup('Database'),
  'recording',
  'recordings',
];
/** In front of the service. */
export const PROXYING: readonly SettingName[] = [
  ...RECORDED,
  ...RECORDING,
  ...inGroup('Target').filter((name) => name !== 'target'),
  'audit',
  'state',
  'readState',
  'record',
];
/** From a recording alone. */
export const REPLAYING_ALONE: readonly SettingName[] = RECORDED;
/** From a fake. */
export const FAKING: readonly SettingName[] = [...ANSWERING, 'seed'];

/**
 * Gives a command its options, from the table of settings. No defaults and no types are given to yargs: config.ts
 * resolves and checks every value, wherever it comes from.
 */
export function withSettings<T>(yargs: Argv<T>, names: readonly SettingName[]): Argv<T> {
  // yargs makes the text of a command's help before it runs, asked for or not: of a long list that is felt at each start.
  const hidden = !process.argv.some((word) => HELP.has(word));
  let result = yargs.option('config', { type: 'string', describe: 'Config file', requiresArg: true });
  for (const name of [...new Set(names)].sort())
    result = result.option(flagOf(name), { ...optionOf(SETTINGS[name]), hidden });
  return result as unknown as Argv<T>;
}

/** An option of a command's own that takes a text. */
export const takesText = (describe: string, more: Options = {}) =>
  ({ type: 'string', requiresArg: true, describe, ...more }) as const;

/** One that is on or off. */
export const isOn = (describe: string, more: Options = {}) =>
  ({ type: 'boolean', default: false, describe, ...more }) as const;

/** The option `--format`; the first one is the default. */
export const formatOf = <T extends string>(describe: string, ...choices: readonly T[]) =>
  ({ choices, default: choices[0], describe }) as const;

const HELP: ReadonlySet<string> = new Set(['--help', '-h', 'help']);

function optionOf(setting: Setting): Options {
  const { type, description, default: fallback, alias, group } = setting;
  const words = wordsOf(setting).filter((word) => !description.includes(word));
  const shown = String(fallback ?? '');
  return {
    type: type === 'boolean' ? 'boolean' : 'string',
    describe: words.length === 0 ? description : `${description} (${wordsOf(setting).join(', ')})`,
    ...(type !== 'boolean' && { requiresArg: true }),
    ...(alias !== undefined && { alias }),
    ...(shown !== '' && type !== 'boolean' && { defaultDescription: shown }),
    ...(group && { group: `${group}:` }),
  };
}

/** The settings that the flags give, by setting name, for `resolveConfig`. */
export function flagsOf(argv: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const flags: Record<string, unknown> = {};
  for (const name of ['config', ...SETTING_NAMES]) if (argv[name] !== undefined) flags[name] = argv[name];
  return flags;
}

/**
 * Writes out what a flag means whose value was left out, and `--no-guard`: an option with an optional value takes only
 * its listed words, never the target after it. One that is on or off takes no other word: yargs would read any as off.
 *
 * @throws PatchgateError `bad-config` where one is given to it
 */
export function spellOut(args: readonly string[]): string[] {
  const names = new Map(SETTING_NAMES.map((name) => [`--${flagOf(name)}`, name]));
  const spelt: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] as string;
    // What follows is another command's.
    if (arg === '--') return [...spelt, ...args.slice(i)];
    const [flag = '', ...rest] = arg.split('=');
    const name = names.get(flag);
    const setting: Setting | undefined = name && SETTINGS[name];
    if (arg === '--no-guard') spelt.push('--guard=off');
    else if (arg === '--no-state') spelt.push('--state=');
    else if (name && setting?.type === 'boolean' && rest.length > 0)
      spelt.push(`${flag}=${readValue(name, rest.join('='), flag)}`);
    else if (setting?.bare === undefined || rest.length > 0) spelt.push(arg);
    else if (wordsOf(setting).includes(args[i + 1] ?? '')) spelt.push(`${arg}=${args[++i]}`);
    else spelt.push(`${arg}=${setting.bare}`);
  }
  return spelt;
}
