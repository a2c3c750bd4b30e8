import { messageOf, PatchgateError } from '../errors.ts';
import { parseUrl } from '../http/url.ts';
import { tokensOf } from '../json/pointer.ts';
import type { Rule } from '../model/rule.ts';
import type { SeverityOverride } from '../model/severity-override.ts';
import { meant, memberAt, type PlaceOf, placed, problemError, problemOf } from '../schemas/check.ts';
import { PACKAGE_FOLDER } from '../version.ts';
import { type ConfigFile, findConfigFile, pathFrom, readConfigFile } from './config-file.ts';
import type { UserConfig } from './define-config.ts';
import { readFaults } from './faults.ts';
import { filePatterns, pathCompiler } from './globs.ts';
import { DURATIONS, LONGEST_TIMER, readAmount } from './read-amount.ts';
import {
  flagOf,
  kindOf,
  SETTING_NAMES,
  SETTINGS,
  type Setting,
  type SettingName,
  type SettingValues,
  variableOf,
} from './settings.ts';

/** What a config file says beside the settings of the table: no flag and no variable could. */
export interface Extras {
  overrides: SeverityOverride[];
  /** Rules of one's own, by operation. */
  customRules: Record<string, Rule[]>;
  /** What a JSON Pointer means in all this, and where it stands: `overrides[0].rules["x.y"] in patchgate.config.json:4:5`. */
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
 * @param called what a setting among the flags is called where it was given
 * @throws PatchgateError `bad-config` or `bad-usage`, naming the place and what is taken there
 */
export async function resolveConfig(
  flags: Values,
  defaults: Partial<Record<SettingName, unknown>> = {},
  env: Readonly<Record<string, string | undefined>> = process.env,
  cwd: string = process.cwd(),
  called: (name: SettingName) => string = (name) => `--${flagOf(name)}`,
): Promise<Resolved> {
  const { config: named = env.PATCHGATE_CONFIG || undefined, ...given } = flags;
  const found = findConfigFile(named, cwd);
  const file = found === undefined ? undefined : await readConfigFile(found, cwd);
  const layers = [flagLayer(given, cwd, called), variableLayer(env, given, cwd)];
  if (file) layers.push(fileLayer(file));
  for (const layer of layers) checkLayer(layer);
  layers.push(defaultLayer(defaults, named === undefined && file ? file.folder : cwd));
  const layerOf = (name: string) => layers.find(({ values }) => values[name] !== undefined);

  const values: Record<string, unknown> = { contract: DEFAULT_CONTRACT };
  const origins: Resolved['origins'] = {};
  for (const name of SETTING_NAMES) {
    const layer = layerOf(name);
    if (!layer) continue;
    const value = inForce(name, layer.values[name], layer.placeOf(`/${name}`));
    const isPath = /^file/.test(kindOf(SETTINGS[name]) ?? '');
    values[name] = isPath ? pathFrom(layer.folder, value as string, cwd) : value;
    origins[name] = layer.origin;
  }
  const overrides = (layerOf('overrides')?.values.overrides ?? []) as NonNullable<UserConfig['overrides']>;
  const extras: Extras = {
    overrides: await Promise.all(
      overrides.map(async ({ files, paths, rules }) => ({
        ...(files && { ofFile: await filePatterns([files].flat(), layerOf('overrides')?.folder ?? cwd) }),
        ...(paths && { paths: { globs: [paths].flat(), compile: await pathCompiler() } }),
        rules,
      })),
    ),
    customRules: (layerOf('customRules')?.values.customRules ?? {}) as Extras['customRules'],
    placeOf(pointer) {
      const { placeOf } = layerOf(tokensOf(pointer)[0] ?? '') ?? (layers[0] as Layer);
      // Of a severity, what is wrong is the name that it is given for.
      return placeOf(pointer, /^\/overrides\/\d+\/rules\//.test(pointer) ? pointer : undefined);
    },
  };
  return { config: { ...values, ...extras } as Config, origins, file };
}

function flagLayer(flags: Values, folder: string, called: (name: SettingName) => string): Layer {
  const given = Object.entries(flags).filter(([, value]) => value !== undefined);
  for (const [name, value] of given)
    if (isSetting(name) && Array.isArray(value) && !Array.isArray((SETTINGS[name] as Setting).default))
      throw new PatchgateError('bad-usage', `${called(name)} is given more than once`, {
        hint: 'give it once',
      });
  return {
    ...{ origin: 'flag', folder },
    values: Object.fromEntries(
      given.map(([name, value]) => [name, isSetting(name) ? asWritten(name, value) : value]),
    ),
    placeOf(pointer, name) {
      const [first = ''] = tokensOf(pointer);
      const isFlag = isSetting(first);
      if (!isFlag) return placed({ where: 'the settings given' }, pointer, name);
      return called(first) + memberAt(pointer.slice(first.length + 1));
    },
  };
}

/** An empty variable is not there, but for that of a secret; nor is one that a flag overrules. */
function variableLayer(env: Values, flags: Values, folder: string): Layer {
  const known = [...SETTING_NAMES, 'config', 'url'].map(variableOf);
  // A misspelt one would be silently without effect; others may be someone else's.
  for (const variable of Object.keys(env)) {
    if (!variable.startsWith('PATCHGATE_') || known.includes(variable)) continue;
    const hint = meant(variable, known);
    const isNear =
      hint !== undefined &&
      meant(
        variable.slice(10),
        known.map((name) => name.slice(10)),
      );
    if (isNear) throw new PatchgateError('bad-config', `unknown environment variable ${variable}`, { hint });
  }
  const given = SETTING_NAMES.filter((name) => {
    const text = env[variableOf(name)];
    return flags[name] === undefined && (text || (text === '' && (SETTINGS[name] as Setting).secret));
  });
  return {
    ...{ origin: 'environment', folder },
    values: Object.fromEntries(given.map((name) => [name, asWritten(name, env[variableOf(name)])])),
    placeOf: (pointer) => variableOf(tokensOf(pointer)[0] ?? ''),
  };
}

function fileLayer(file: ConfigFile): Layer {
  const placeOf: PlaceOf = (pointer, name) => placed(file, pointer, name);
  return { origin: 'config file', values: file.values, placeOf, folder: file.folder };
}

function defaultLayer(own: Values, folder: string): Layer {
  const common = SETTING_NAMES.map((name) => [name, (SETTINGS[name] as Setting).default]);
  const values = { ...Object.fromEntries(common), ...own };
  return { origin: 'default', values, placeOf: (pointer) => pointer.slice(1), folder };
}

function isSetting(name: string): name is SettingName {
  return Object.hasOwn(SETTINGS, name);
}

/** What a flag, a variable or a program gives, as a config file has it: `"80"` -> 80, 250 -> `"250ms"`. */
function asWritten(name: SettingName, given: unknown): unknown {
  const setting: Setting = SETTINGS[name];
  if (typeof given === 'number' && kindOf(setting) === 'duration') return `${given}ms`;
  if (typeof given !== 'string') return given;
  if (setting.type === 'boolean' && /^(?:true|1)$/.test(given)) return true;
  if (setting.type === 'boolean' && /^(?:false|0)$/.test(given)) return false;
  if (setting.type === 'integer' && /^\d+$/.test(given)) return Number(given);
  if (kindOf(setting) === 'fileOrOff' && /^(?:false)?$/.test(given)) return false;
  return setting.bare && given === '' ? setting.bare : given;
}

/** Whether values are as the schema of the config file has them. What is secret, or may hold a password, is not shown. */
function checkLayer({ values, placeOf }: Layer): void {
  const problem = problemOf('config', values);
  if (!problem) return;
  const [name = ''] = tokensOf(problem.pointer);
  const isSecret = isSetting(name) && (SETTINGS[name] as Setting).secret;
  const shown = isSecret || problem.text.includes('@') ? { ...problem, text: 'invalid value for ' } : problem;
  throw problemError(shown, placeOf, 'bad-config');
}

/** A setting's value as it is in force. @param written as the schema takes it */
function inForce(name: SettingName, written: unknown, place: string): unknown {
  const setting: Setting = SETTINGS[name];
  const fail = (takes: string, shown = ` ${JSON.stringify(written)}`) =>
    new PatchgateError('bad-config', `invalid value${shown} for ${place}`, { hint: `it takes ${takes}` });
  switch (kindOf(setting)) {
    case 'url':
      if (!parseUrl(written as string)) throw fail('an http or https URL, whole', '');
      return written;
    case 'fileOrOff':
      return written === false ? '' : written;
    case 'duration': {
      const amount = readAmount(written, DURATIONS) ?? 0;
      if (amount > LONGEST_TIMER) throw fail('a duration of at most 596h');
      return amount;
    }
    case 'list':
    case 'pointers':
    case 'secrets':
    case 'tokens':
      return parts(written);
    case 'headers':
      return [written].flat();
    case 'patterns':
      return [written as string].flat().map((source) => checkPattern(source, fail));
    case 'faults':
      return readFaults(written as string, place);
    default:
      if (setting.enum && typeof written === 'boolean') return written ? setting.bare : 'off';
      return written;
  }
}

/** A list, or a text that commas part; a flag that was given more than once may hold several each time. */
function parts(given: unknown): string[] {
  const texts = [given].flat().flatMap((text) => String(text).split(','));
  return texts.map((text) => text.trim()).filter((text) => text !== '');
}

function checkPattern(source: string, fail: (takes: string) => PatchgateError): string {
  try {
    new RegExp(source, 'u');
    return source;
  } catch (error) {
    throw fail(`regular expressions of JavaScript (${messageOf(error)})`);
  }
}
