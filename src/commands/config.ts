import { resolve } from 'node:path';
import type { CommandModule } from 'yargs';
import { PatchgateError } from '../errors.ts';
import type { FaultRule } from '../model/fault.ts';
import { faultText } from '../model/fault.ts';
import { nearest } from '../model/nearest.ts';
import { redactText, redactUrl } from '../recordings/redact/redact.ts';
import { REDACTED } from '../recordings/redact/redacted.ts';
import { type Redaction, redactionOf } from '../recordings/redact/redaction.ts';
import { placeIn } from '../schemas/check.ts';
import { printable } from '../server/printable.ts';
import { type Origin, type Resolved, resolveConfig } from '../settings/config.ts';
import { CONFIG_FILES } from '../settings/config-file.ts';
import { EXTRAS, type ExtraName, type Extras } from '../settings/extras.ts';
import {
  COMMAND_DEFAULTS,
  flagOf,
  kindOf,
  SETTING_NAMES,
  SETTINGS,
  type Setting,
  UNHEEDED,
  variableOf,
} from '../settings/settings.ts';
import { once } from './given.ts';
import { flagsOf, formatOf, withSettings } from './options.ts';
import { standardOutput } from './output.ts';
import { table } from './recordings/units.ts';

export const config: CommandModule = {
  builder: (yargs) =>
    withSettings(yargs, SETTING_NAMES)
      .positional('command', {
        type: 'string',
        describe: 'With the defaults of: proxy, replay, fake, exec, check, plan',
      })
      .option('format', formatOf('Of the list', 'text', 'json'))
      .example('$0 config proxy', 'what patchgate proxy would run with here')
      .example('$0 config --format json', 'for a program'),
  handler: async (argv) => {
    const { command, format } = argv as unknown as { command?: string; format: string | string[] };
    const isJson = once('format', format) === 'json';
    const around = { env: process.env, cwd: process.cwd() };
    const text = await configText(flagsOf(argv), command, isJson ? 'json' : 'text', around);
    await standardOutput().write(text);
  },
};

/**
 * The settings in force: first what was given, then the defaults, then what is not set. In JSON, version 1 (a member may be added
 * within it, none is taken away or changes its meaning):
 *
 * ```
 * { "version": 1,
 *   "command": "proxy",                      whose defaults they are; null: of none
 *   "file": "/work/patchgate.config.json",   the config file that was read; null: none was found
 *   "settings": {                            all of them
 *     "timeout": { "value": "30s",           as a config file has it; null: not set
 *       "origin": "config file",             or "default", "environment", "flag"; null: not set
 *       "where": "patchgate.config.json:3:3",       or "PATCHGATE_TIMEOUT", "--timeout"; null otherwise
 *       "unused": true } },                         only of what the command does not go by
 *   "extras": {                              those that the file has
 *     "overrides": { "value": 1, "where": … }  their number; of customRules the names by operation
 * } }
 * ```
 *
 * @param command whose own defaults hold: `proxy`
 * @throws PatchgateError where a setting is wrong
 */
export async function configText(
  flags: Readonly<Record<string, unknown>>,
  command: string | undefined,
  format: 'text' | 'json',
  { env, cwd }: { env: Readonly<Record<string, string | undefined>>; cwd: string },
): Promise<string> {
  const resolved = await resolveConfig(flags, defaultsOf(command), env, cwd);
  await checkNames(resolved);
  return format === 'json' ? json(resolved, command) : text(resolved, command, cwd);
}

/** Which rules and operations there are, the contract knows. @throws PatchgateError where the config names another one */
async function checkNames({ config, file }: Resolved): Promise<void> {
  if (!file || EXTRAS.every((name) => file.values[name] === undefined)) return;
  const { gateOf } = await import('../app/compose-gate.ts');
  await gateOf({ ...config, target: undefined }, { lazy: true });
}

function defaultsOf(command: string | undefined): Record<string, unknown> {
  if (command === undefined) return {};
  const known: Readonly<Record<string, Record<string, unknown>>> = COMMAND_DEFAULTS;
  const defaults = Object.hasOwn(known, command) ? known[command] : undefined;
  if (defaults) return defaults;
  const names = Object.keys(known);
  const near = nearest(command, names);
  throw new PatchgateError('bad-usage', `unknown command ${JSON.stringify(command)}`, {
    hint: near ? `did you mean "${near}"?` : `it is one of: ${names.join(', ')}`,
  });
}

function text(resolved: Resolved, command: string | undefined, cwd: string): string {
  const all = shownSettings(resolved, command);
  const unheeded = all.filter(({ isUnheeded }) => isUnheeded).map(({ name }) => name);
  const shown = all.filter(({ isUnheeded }) => !isUnheeded);
  const given = [...shown.filter(({ where }) => where !== undefined), ...shownExtras(resolved)];
  const defaults = shown.filter(({ origin }) => origin === 'default');
  const unset = shown.filter(({ origin }) => origin === undefined).map(({ name }) => name);
  const { file } = resolved;
  const paragraphs = [
    file
      ? [`Config file: ${file.where}`]
      : [`Config file: none (no ${CONFIG_FILES.join(', ')} in ${resolve(cwd)} or above)`],
    table(given.map(rowOf), []),
    table(defaults.map(rowOf), []),
    unheeded.length > 0 ? [`Not used by ${command}: ${unheeded.join(', ')}`] : [],
    [`Not set: ${unset.join(', ')}`],
  ].filter((lines) => lines.length > 0);
  return paragraphs.map((lines) => lines.map((line) => `${printable(line)}\n`).join('')).join('\n');
}

/** Texts without quotes, all else as in JSON. */
function rowOf({ name, value, where = 'default' }: ShownSetting): string[] {
  return [name, typeof value === 'string' && value !== '' ? value : JSON.stringify(value), where];
}

function json(resolved: Resolved, command = null as string | null): string {
  const settings: Record<string, unknown> = {};
  const extras: Record<string, unknown> = {};
  for (const one of shownSettings(resolved, command ?? undefined)) {
    const { name, value = null, origin = null, where = null, isUnheeded } = one;
    settings[name] = { value, origin, where, ...(isUnheeded && { unused: true }) };
  }
  for (const { name, value, where } of shownExtras(resolved)) extras[name] = { value, where };
  const file = resolved.file?.file ?? null;
  return `${JSON.stringify({ version: 1, command, file, settings, extras }, null, 2)}\n`;
}

/** One setting as it is in force. */
interface ShownSetting {
  name: string;
  /** As a config file can have it; undefined where nothing is set. */
  value?: WrittenValue | Readonly<Record<string, unknown>>;
  origin?: Origin;
  /** `patchgate.config.json:3:3`, `PATCHGATE_PORT`, `--port`; undefined for a default. */
  where?: string | undefined;
  /** The command does not go by it. */
  isUnheeded?: boolean | undefined;
}

/** Every setting of the table. @param command by which they are to hold: `check` */
function shownSettings({ config, origins, file }: Resolved, command = ''): ShownSetting[] {
  const redaction = redactionOf(config);
  return [...SETTING_NAMES].sort().map((name) => {
    const setting: Setting = SETTINGS[name];
    const origin = origins[name] ?? (config[name] === undefined ? undefined : 'default');
    if (origin === undefined) return { name };
    const value = writtenValue(setting, config[name], redaction);
    if (origin === 'default') return { name, value, origin };
    const isUnheeded = origin !== 'flag' && UNHEEDED[command]?.includes(name);
    const inFile = file && placeIn(file, `/${name}`, 'name');
    const where = { 'config file': inFile, environment: variableOf(name), flag: `--${flagOf(name)}` }[origin];
    return { name, value, origin, where, isUnheeded };
  });
}

/** What else the config file says: names of rules, and of all else how much there is. */
function shownExtras({ config, file }: Resolved): ShownSetting[] {
  if (!file) return [];
  return EXTRAS.filter((name) => file.values[name] !== undefined).map((name) => ({
    name,
    value: summaryOf(name, config),
    origin: 'config file',
    where: placeIn(file, `/${name}`, 'name'),
  }));
}

function summaryOf(name: ExtraName, config: Extras): NonNullable<ShownSetting['value']> {
  if (name !== 'customRules') return config[name].length;
  const namesOf = (rules: readonly { name: string }[]) => rules.map((rule) => rule.name);
  const entries = Object.entries(config.customRules);
  return Object.fromEntries(entries.map(([operation, rules]) => [operation, namesOf(rules)]));
}

/** A setting's value as a config file in JSON can have it. */
type WrittenValue = string | number | boolean | string[];

/**
 * The form of a value that can be written back: 30000 -> `30s`, 5242880 -> `5MiB`. What is secret is not shown.
 *
 * @param value as in `Config`
 */
function writtenValue(setting: Setting, value: unknown, redaction: Redaction): WrittenValue {
  const kind = kindOf(setting);
  if (kind === 'headers' || kind === 'tokens')
    return (value as string[]).map((text) => text.replace(/=(?!env:).+$/, `=${REDACTED}`));
  if (setting.secret) return REDACTED;
  if (kind === 'duration') return inUnits(value as number, DURATIONS);
  if (kind === 'faults') return (value as FaultRule[]).map(faultText);
  if (kind === 'fileOrOff' && value === '') return false;
  if (kind === 'url') return redactUrl(value as string, redaction);
  if (kind === 'text') return redactText(value as string, redaction);
  return value as WrittenValue;
}

const DURATIONS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** In the largest unit that it is a whole number of. @param units the largest first */
function inUnits(value: number, units: Readonly<Record<string, number>>): string {
  const all = Object.entries(units);
  const [unit, size] =
    all.find(([, one]) => value > 0 && value % one === 0) ?? (all.at(-1) as [string, number]);
  return `${value / size}${unit}`;
}
