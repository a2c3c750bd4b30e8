import type { Argv, Options } from 'yargs';
import { PatchgateError } from '../errors.ts';
import { checkValue } from '../settings/check-value.ts';
import { flagOf, SETTINGS, type Setting, type SettingName } from '../settings/settings.ts';

/** Settings that every command which judges takes. */
export const JUDGING: readonly SettingName[] = [
  'contract',
  'validation',
  'guard',
  'unlisted',
  'basePath',
  'bodyLimit',
];
/** Settings of what is known of the records, for every command that holds PATCHes against it. */
export const GUARDING: readonly SettingName[] = ['account', 'allowDelete'];
/** Settings of what is learnt and approved, for every command that guards a service. */
export const APPROVING: readonly SettingName[] = ['learn', 'approvalTtl'];

/** Settings that every command which listens takes. */
export const SERVING: readonly SettingName[] = [
  'port',
  'host',
  'allowHost',
  'log',
  'controlToken',
  'clientTimeout',
];

/** Settings of what fails, for every command that answers clients. */
export const FAULTS: readonly SettingName[] = ['latency', 'faults', 'faultSeed'];
/** Settings that every command with clients of its own takes. */
export const TLS: readonly SettingName[] = ['tlsCert', 'tlsKey'];
/** Settings that every command which forwards to a real service takes. */
export const FORWARDING: readonly SettingName[] = [
  'timeout',
  'targetCa',
  'targetInsecure',
  'preserveHost',
  'forwardedHeaders',
];

/** Settings that every command which tells sessions apart takes. */
export const SESSIONS: readonly SettingName[] = ['sessionIdle'];
/** Settings that every command which answers from a recording takes. */
export const REPLAYING: readonly SettingName[] = [
  ...SESSIONS,
  'strictSequence',
  'replayFailures',
  'maxAge',
  'onStale',
  'failUnused',
];

/** Settings that say which requests are the same, for every command that records or replays. */
export const MATCHING: readonly SettingName[] = [
  'matchHeaders',
  'ignorePointers',
  'ignoreQuery',
  'arraysAsSets',
  'formsAsSets',
];

/** Settings that say what is secret, for every command that keeps or shows exchanges. */
export const REDACTION: readonly SettingName[] = [
  'redact',
  'noRedact',
  'redactPointers',
  'redactPatterns',
  'detectSecrets',
];

/** Settings that every command which records takes. */
export const RECORDING: readonly SettingName[] = ['durability', 'recordLimit', 'refreshMeta'];

/** Settings of what makes a live answer differ from a recorded one. */
export const VERIFYING: readonly SettingName[] = ['ignoreDrift', 'driftHeaders'];

/** Settings that every command takes which answers clients from a service or from a recording. */
export const ANSWERING: readonly SettingName[] = [
  ...JUDGING,
  ...GUARDING,
  ...APPROVING,
  ...SERVING,
  ...TLS,
  ...FORWARDING,
  ...MATCHING,
  ...REDACTION,
  ...REPLAYING,
  ...RECORDING,
  ...FAULTS,
  'recording',
  'recordings',
];
/** Those of them that have the service as their target. */
export const PROXYING: readonly SettingName[] = [
  ...ANSWERING,
  'state',
  'readState',
  'stateLag',
  'record',
  'recordInCi',
];

/** Those of a command that answers from a recording alone. */
export const REPLAYING_ALONE: readonly SettingName[] = [...ANSWERING, 'onMiss', 'target'];
/** Those of a command that answers from a fake. */
export const FAKING: readonly SettingName[] = [
  ...JUDGING,
  ...GUARDING,
  ...APPROVING,
  ...SERVING,
  ...TLS,
  ...SESSIONS,
  ...REDACTION,
  ...FAULTS,
  'seed',
  'envelope',
];

/** Under which heading a command's help has them; any other setting is among its options. */
const GROUPS: readonly [heading: string, names: readonly SettingName[]][] = [
  ['Judging:', JUDGING],
  ['Guard:', ['guard', 'state', 'readState', 'stateLag', ...GUARDING, ...APPROVING]],
  ['Recordings:', ['recording', 'recordings', 'record', 'recordInCi', 'onMiss', ...RECORDING]],
  ['Replaying:', REPLAYING],
  ['Matching:', MATCHING],
  ['Redaction:', REDACTION],
  ['Target:', ['target', ...FORWARDING]],
  ['Faults:', FAULTS],
  ['Drift:', VERIFYING],
  ['Server:', [...SERVING, ...TLS]],
];

/**
 * Gives a command its options, from the table of settings. No defaults and no types are given to yargs: config.ts
 * settles and checks every value, wherever it comes from.
 */
export function withSettings<T>(yargs: Argv<T>, names: readonly SettingName[]): Argv<T> {
  // yargs makes the text of a command's help before it runs, asked for or not: of a long list that is felt at each start.
  const hidden = !process.argv.some((word) => HELP.has(word));
  let result = yargs.option('config', { type: 'string', describe: 'Config file', requiresArg: true });
  for (const name of [...names].sort()) {
    const group = GROUPS.find(([, grouped]) => grouped.includes(name))?.[0];
    result = result.option(flagOf(name), { ...optionOf(SETTINGS[name]), ...(group && { group }), hidden });
  }
  return result as unknown as Argv<T>;
}

const HELP: ReadonlySet<string> = new Set(['--help', '-h', 'help']);

function optionOf({ kind, describe, default: fallback, choices, alias }: Setting): Options {
  const words =
    choices && !choices.every((word) => describe.includes(word)) ? ` (${choices.join(', ')})` : '';
  return {
    type: kind === 'boolean' ? 'boolean' : 'string',
    describe: describe + words,
    ...(kind !== 'boolean' && { requiresArg: true }),
    ...(alias !== undefined && { alias }),
    ...(fallback !== undefined && fallback !== '' && { defaultDescription: String(fallback) }),
  };
}

/** The settings that the flags give, by setting name, for `resolveConfig`. */
export function flagsOf(argv: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const flags: Record<string, unknown> = {};
  for (const name of ['config', ...Object.keys(SETTINGS)])
    if (argv[name] !== undefined) flags[name] = argv[name];
  return flags;
}

/**
 * Writes out what a flag means whose value was left out, and `--no-guard`: an option with an optional value takes only
 * its listed words, never the target after it. One that is on or off takes no other word: yargs would read any as off.
 *
 * @throws PatchgateError `bad-config` where one is given to it
 */
export function spellOut(args: readonly string[]): string[] {
  const settings = new Map<string, [name: SettingName, setting: Setting]>(
    (Object.keys(SETTINGS) as SettingName[]).map((name) => [`--${flagOf(name)}`, [name, SETTINGS[name]]]),
  );
  const spelt: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] as string;
    // What follows is another command's.
    if (arg === '--') return [...spelt, ...args.slice(i)];
    const [flag = '', ...rest] = arg.split('=');
    const [name, setting] = settings.get(flag) ?? [];
    if (arg === '--no-guard') spelt.push('--guard=off');
    else if (arg === '--no-state') spelt.push('--state=');
    // To yargs it is `--redact` turned off.
    else if (arg === '--no-redact') spelt.push(`--no-redact=${nameBehind(arg, args[++i])}`);
    else if (arg === '--write-baseline') spelt.push('--write-baseline=');
    else if (name && setting?.kind === 'boolean' && rest.length > 0)
      spelt.push(`${flag}=${checkValue(name, setting, rest.join('='), flag)}`);
    else if (setting?.bare === undefined || rest.length > 0) spelt.push(arg);
    else if (setting.choices?.includes(args[i + 1] ?? '')) spelt.push(`${arg}=${args[++i]}`);
    else spelt.push(`${arg}=${setting.bare}`);
  }
  return spelt;
}

function nameBehind(flag: string, value: string | undefined): string {
  if (value !== undefined && !value.startsWith('-')) return value;
  throw new PatchgateError('bad-config', `${flag} needs a name`, {
    hint: `${flag} NAME keeps what has this name; nothing turns redaction off as a whole`,
  });
}
