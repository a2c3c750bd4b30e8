import type { Argv, Options } from 'yargs';
import { flagOf, SETTING_NAMES, SETTINGS, type Setting, type SettingName } from '../settings/settings.ts';

type Names = readonly SettingName[];

/** What every command that judges takes. */
export const JUDGING: Names = ['contract', 'validation', 'guard'];
/** The known records, for every command that compares PATCHes with them. */
export const GUARDING: Names = ['allowDelete', 'protect'];
/** Which requests are the same, for every command that records or replays. */
export const MATCHING: Names = ['ignorePointers', 'ignoreQuery', 'matchHeaders'];
/** Where recordings are, for every command that works on them. */
export const RECORDINGS: Names = ['recordings', 'store'];
/** What every command that listens takes. */
export const SERVING: Names = ['port', 'host', 'log', 'controlToken'];

/** From a fake. */
export const FAKING: Names = [
  ...[...JUDGING, ...GUARDING, ...SERVING],
  ...(['redact', 'approvers', 'ui', 'tlsCert', 'tlsKey', 'fault', 'seed'] as const),
];
/** From a recording. */
export const REPLAYING: Names = [
  ...[...FAKING.filter((name) => name !== 'seed'), ...MATCHING, ...RECORDINGS],
  ...(['recording', 'strictSequence', 'failUnused'] as const),
];
/** In front of the service. */
export const PROXYING: Names = [
  ...REPLAYING,
  ...(['record', 'recordOnly', 'audit', 'state', 'readState', 'setHeader', 'timeout'] as const),
  ...(['targetCa', 'targetCert', 'targetKey'] as const),
];

/** Gives a command its options, from the table of settings. config.ts checks every value, wherever it comes from. */
export function withSettings<T>(yargs: Argv<T>, names: Names): Argv<T> {
  let result = yargs.option('config', { type: 'string', describe: 'Config file', requiresArg: true });
  for (const name of SETTING_NAMES)
    if (names.includes(name)) result = result.option(flagOf(name), optionOf(SETTINGS[name]));
  return result as unknown as Argv<T>;
}

/** Takes an argument from `--record` or `--guard`, which need no value. @param isOne whether a text is an argument */
export function argumentBehind(argv: Record<string, unknown>, isOne: (text: string) => boolean): string[] {
  const flag = ['record', 'guard'].find((name) => argv[name] && isOne(String(argv[name])));
  if (flag === undefined) return [];
  const text = String(argv[flag]);
  argv[flag] = '';
  return [text];
}

/** An option of a command's own that takes a text. */
export const takesText = (describe: string, more: Options = {}) =>
  ({ type: 'string', requiresArg: true, describe, ...more }) as const;

/** One that is on or off. */
export const isOn = (describe: string, more: Options = {}) =>
  ({ type: 'boolean', nargs: 0, default: false, describe, ...more }) as const;

/** The option `--format`; the first one is the default. */
export const formatOf = <T extends string>(describe: string, ...choices: readonly T[]) =>
  ({ choices, default: choices[0], describe }) as const;

function optionOf(setting: Setting): Options {
  const { type, description, default: fallback, alias, group, bare, rare = false } = setting;
  const words = (setting.enum ?? []).filter((word) => typeof word === 'string');
  const says = words.every((word) => description.includes(word))
    ? description
    : `${description}: ${words.join(', ')}`;
  const shown = String(fallback ?? '');
  return {
    describe: says,
    group: `${group}:`,
    hidden: rare,
    // One that is on or off takes no word: yargs would read any as off.
    ...(type === 'boolean' ? { type, nargs: 0 } : { type: 'string', requiresArg: bare === undefined }),
    ...(alias !== undefined && { alias }),
    ...(shown !== '' && type !== 'boolean' && { defaultDescription: shown }),
  };
}

/** The settings that the flags give, by setting name, for `resolveConfig`. */
export function flagsOf(argv: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const given = ['config', ...SETTING_NAMES].filter((name) => argv[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, argv[name]]));
}
