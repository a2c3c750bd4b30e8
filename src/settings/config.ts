import { PatchgateError } from '../errors.ts';
import { tokensOf } from '../json/pointer.ts';
import { nearest } from '../model/nearest.ts';
import type { Rule } from '../model/rule.ts';
import type { SeverityOverride } from '../model/severity-override.ts';
import { memberAt, type PlaceOf, placed, problemError, problemOf } from '../schemas/check.ts';
import { PACKAGE_FOLDER } from '../version.ts';
import { type ConfigFile, findConfigFile, pathFrom, readConfigFile } from './config-file.ts';
import type { UserConfig, UserOverride } from './define-config.ts';
import { durationOf } from './duration.ts';
import { readFaults } from './faults.ts';
import {
  flagOf,
  kindOf,
  SETTING_NAMES,
  SETTINGS,
  type SettingName,
  type SettingValues,
  settingOf,
  variableOf,
} from './settings.ts';

/** What a config file says beside the settings of the table: no flag and no variable could. */
export interface Extras {
  overrides: SeverityOverride[];
  /** Rules of one's own, by operation. */
  customRules: Record<string, Rule[]>;
  /** Names a JSON Pointer's place in all this: `overrides[0].rules["x.y"] in patchgate.config.json:4:5`. */
  placeOf(pointer: string): string;
}
export const EXTRAS = ['overrides', 'customRules'] as const;

/** The settings in force: durations in milliseconds, paths as the command can use them. */
export interface Config extends SettingValues, Extras {}

export type Origin = 'default' | 'config file' | 'environment' | 'flag';

export interface Resolved {
  config: Config;
  /** Where each value came from. */
  origins: Partial<Record<SettingName, Origin>>;
  /** The config file that was read, if any. */
  file: ConfigFile | undefined;
}

/** `schemas/` of this package: the same from `src/` and from the bundle in `dist/`. */
export const DEFAULT_CONTRACT = `${PACKAGE_FOLDER}schemas/`;

type Values = Readonly<Record<string, unknown>>;

/** Values of one origin, as a config file has them. */
interface Layer {
  origin: Origin;
  values: Values;
  placeOf: PlaceOf;
  /** Absolute; paths start from it. */
  folder: string;
}

/**
 * Resolves every setting: defaults < config file < environment < flags. Unknown names and wrong values are errors. Where the config
 * file was found in a folder above, paths that nobody gives start from there, too.
 *
 * @param flags what was given, by setting name; `config` names the file
 * @param defaults a command's own
 * @throws PatchgateError `bad-config`, naming the place and the right form
 */
export async function resolveConfig(
  flags: Values,
  defaults: Partial<Record<SettingName, unknown>> = {},
  env: Readonly<Record<string, string | undefined>> = process.env,
  cwd: string = process.cwd(),
): Promise<Resolved> {
  const { config: named = env.PATCHGATE_CONFIG || undefined, ...given } = flags;
  const found = findConfigFile(named, cwd);
  const file = found === undefined ? undefined : await readConfigFile(found, cwd);
  const layers: Layer[] = [
    { origin: 'flag', values: asWritten(given), folder: cwd, placeOf: placeOfFlag },
    {
      ...{ origin: 'environment', values: asWritten(variablesIn(env, given)), folder: cwd },
      placeOf: (pointer) => variableOf(tokensOf(pointer)[0] ?? ''),
    },
  ];
  if (file) layers.push({ ...file, origin: 'config file', placeOf: (at, name) => placed(file, at, name) });
  for (const layer of layers) checkLayer(layer);
  const home = named === undefined && file ? file.folder : cwd;
  const values = { ...DEFAULTS, ...defaults };
  layers.push({ origin: 'default', values, folder: home, placeOf: (pointer) => pointer.slice(1) });
  const layerOf = (name: string) => layers.find(({ values }) => values[name] !== undefined);

  const config: Record<string, unknown> = { contract: DEFAULT_CONTRACT };
  const origins: Resolved['origins'] = {};
  for (const name of SETTING_NAMES) {
    const layer = layerOf(name);
    if (!layer) continue;
    const value = inForce(name, layer.values[name], layer.placeOf(`/${name}`));
    const isPath = /^file/.test(kindOf(name) ?? '');
    config[name] = isPath ? pathFrom(layer.folder, value as string, cwd) : value;
    origins[name] = layer.origin;
  }
  const more = Object.fromEntries(EXTRAS.map((name) => [name, layerOf(name)?.values[name]])) as UserConfig;
  const extras = {
    customRules: more.customRules ?? {},
    overrides: await overridesOf(more.overrides ?? []),
    placeOf: (pointer: string) =>
      (layerOf(tokensOf(pointer)[0] ?? '') ?? (layers[0] as Layer)).placeOf(pointer, pointer),
  };
  return { config: { ...config, ...extras } as Config, origins, file };
}

/** Globs: dots count, and neither `!` nor groups nor a plus mean anything. */
const GLOBS = { dot: true, nonegate: true, noextglob: true, regex: false };

async function overridesOf(overrides: readonly UserOverride[]): Promise<SeverityOverride[]> {
  if (overrides.length === 0) return [];
  const { default: picomatch } = await import('picomatch');
  return overrides.map(({ paths, rules }) => ({
    ...(paths && { paths: { globs: [paths].flat(), compile: (glob) => picomatch(glob, GLOBS) } }),
    rules,
  }));
}

const DEFAULTS = Object.fromEntries(SETTING_NAMES.map((name) => [name, settingOf(name).default]));

function placeOfFlag(pointer: string, name?: string): string {
  const [first = ''] = tokensOf(pointer);
  if (!isSetting(first)) return placed({ where: 'the settings given' }, pointer, name);
  return `--${flagOf(first)}${memberAt(pointer.slice(first.length + 1))}`;
}

/** The settings that variables give. An empty one is not there, but for that of a secret; nor is one that a flag overrules. */
function variablesIn(env: Values, flags: Values): Values {
  const known = [...SETTING_NAMES, 'config', 'url'].map((name) => variableOf(name).slice(PREFIX.length));
  // A misspelt one would be silently without effect; others may be someone else's.
  for (const variable of Object.keys(env).filter((name) => name.startsWith(PREFIX))) {
    const name = variable.slice(PREFIX.length);
    const near = known.includes(name) ? undefined : nearest(name, known);
    if (near === undefined) continue;
    const hint = `did you mean ${PREFIX}${near}?`;
    throw new PatchgateError('bad-config', `unknown environment variable ${variable}`, { hint });
  }
  const isGiven = (name: SettingName) => env[variableOf(name)] || settingOf(name).secret;
  const names = SETTING_NAMES.filter((name) => flags[name] === undefined && isGiven(name));
  return Object.fromEntries(names.map((name) => [name, env[variableOf(name)]]));
}

const PREFIX = 'PATCHGATE_';

function isSetting(name: string): name is SettingName {
  return Object.hasOwn(SETTINGS, name);
}

/** What flags, variables or a program give, as a config file has it: `"80"` -> 80, 250 -> `"250ms"`. */
function asWritten(given: Values): Values {
  const entries = Object.entries(given).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, isSetting(name) ? written(name, value) : value]),
  );
}

function written(name: SettingName, given: unknown): unknown {
  const setting = settingOf(name);
  if (typeof given === 'number' && kindOf(name) === 'duration') return `${given}ms`;
  if (typeof given !== 'string') return given;
  const isSwitch = setting.type === 'boolean' || setting.enum?.includes(false);
  if (isSwitch && /^(?:true|1|false|0)$/.test(given)) return /^[t1]/.test(given);
  if (setting.type === 'integer' && /^\d+$/.test(given)) return Number(given);
  if (kindOf(name) === 'fileOrOff' && /^(?:false)?$/.test(given)) return false;
  return setting.bare && given === '' ? setting.bare : given;
}

/** Whether values are as the schema of the config file has them. Secrets, and values that may hold a password, are not shown. */
function checkLayer({ values, placeOf }: Layer): void {
  const problem = problemOf('config', values);
  if (!problem) return;
  const [name = ''] = tokensOf(problem.pointer);
  const isSecret = isSetting(name) && settingOf(name).secret;
  const shown = isSecret || problem.text.includes('@') ? { ...problem, text: 'invalid value for ' } : problem;
  throw problemError(shown, placeOf, 'bad-config');
}

/** A setting's value as it is in force. @param given as the schema takes it */
function inForce(name: SettingName, given: unknown, place: string): unknown {
  const setting = settingOf(name);
  const kind = kindOf(name);
  if (kind === 'fileOrOff') return given === false ? '' : given;
  if (kind === 'faults') return readFaults(given as string, place);
  if (setting.enum && typeof given === 'boolean') return given ? setting.bare : 'off';
  if (kind === 'duration') return durationOf(given as string);
  if (!Array.isArray(setting.default)) return given;
  const texts = [given as string].flat();
  if (kind === 'headers') return texts;
  const parts = texts.flatMap((text) => text.split(',')).map((text) => text.trim());
  return parts.filter((text) => text !== '');
}
