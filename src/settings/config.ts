import { PatchgateError } from '../errors.ts';
import { escapeToken, tokensOf } from '../json/pointer.ts';
import { nearest } from '../model/nearest.ts';
import { memberAt, type PlaceOf, placed } from '../schemas/check.ts';
import { PACKAGE_FOLDER } from '../version.ts';
import { type ConfigFile, failsToBeRead, findConfigFile, pathFrom, readConfigFile } from './config-file.ts';
import { EXTRAS, type Extras, extrasOf } from './extras.ts';
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
import { asWritten, checkWritten, resolvedValue } from './values.ts';

/** The settings in force: durations in milliseconds, sizes in bytes, folders as given. */
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
  /** Absolute; that from which paths start. */
  folder: string;
}

/**
 * Resolves every setting: defaults < config file < environment < flags. Unknown keys and wrong values are errors. Paths
 * in a config file start from its folder, and so do the defaults where that is a folder above; all others from `cwd`.
 *
 * @param flags values of the flags that were really given, by setting name; `config` names the file
 * @param defaults a command's own defaults
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
  const home = named === undefined && file ? file.folder : cwd;
  layers.push(defaultLayer(defaults, home));

  try {
    for (const { values, placeOf, origin } of layers) {
      checkNames(values, placeOf);
      if (origin !== 'default' && Object.keys(values).length > 0) checkWritten(values, placeOf);
    }
    const values: Record<string, unknown> = { contract: DEFAULT_CONTRACT };
    const origins: Resolved['origins'] = {};
    for (const name of SETTING_NAMES) {
      const layer = layers.find(({ values }) => values[name] !== undefined);
      if (!layer) continue;
      const value = resolvedValue(name, layer.values[name], layer.placeOf);
      const isPath = /^file/.test(kindOf(SETTINGS[name]) ?? '');
      values[name] = isPath ? pathFrom(layer.folder, value as string, cwd) : value;
      origins[name] = layer.origin;
    }
    const extras = await extrasInForce(given, file, cwd);
    return { config: { ...values, ...extras } as Config, origins, file };
  } catch (error) {
    if (error instanceof PatchgateError || !file) throw error;
    throw failsToBeRead(error, file.where);
  }
}

function flagLayer(flags: Values, cwd: string, called: (name: SettingName) => string): Layer {
  const given = Object.entries(flags).filter(([, value]) => value !== undefined);
  const source = { where: 'the settings given', folder: cwd };
  return {
    origin: 'flag',
    values: Object.fromEntries(
      given.map(([name, value]) => [name, isSetting(name) ? once(name, value, called(name)) : value]),
    ),
    placeOf(pointer, name) {
      const [first = ''] = tokensOf(pointer);
      return isSetting(first)
        ? called(first) + memberAt(pointer.slice(first.length + 1))
        : placed(source, pointer, name);
    },
    folder: cwd,
  };
}

/** An empty variable is not there, but for that of a secret; nor is one that a flag overrules. */
function variableLayer(env: Values, flags: Values, cwd: string): Layer {
  checkVariables(env);
  const given = SETTING_NAMES.filter((name) => {
    const variable = env[variableOf(name)];
    const { secret }: Setting = SETTINGS[name];
    return flags[name] === undefined && variable !== undefined && (variable !== '' || secret);
  });
  return {
    origin: 'environment',
    values: Object.fromEntries(given.map((name) => [name, asWritten(name, env[variableOf(name)])])),
    placeOf(pointer) {
      const [name = ''] = tokensOf(pointer);
      return variableOf(name) + memberAt(pointer.slice(name.length + 1));
    },
    folder: cwd,
  };
}

function fileLayer(file: ConfigFile): Layer {
  const placeOf: PlaceOf = (pointer, name) => placed(file, pointer, name);
  if (file.text !== undefined && file.values.customRules !== undefined)
    throw wrong(
      `${placeOf('/customRules')} cannot stand in JSON`,
      'a rule has a function: customRules stand in a patchgate.config.mjs',
    );
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

/** What yargs makes a list of was given more than once. @throws PatchgateError `bad-usage` */
function once(name: SettingName, given: unknown, flag: string): unknown {
  const isList = Array.isArray((SETTINGS[name] as Setting).default);
  if (!Array.isArray(given) || isList) return asWritten(name, given);
  const isBoth = kindOf(SETTINGS[name]) === 'fileOrOff' && given.includes('');
  const text = isBoth ? `${flag} and --no-${flagOf(name)} are both given` : `${flag} is given more than once`;
  throw new PatchgateError('bad-usage', text, { hint: isBoth ? 'give one of them, once' : 'give it once' });
}

/** The schema refuses an unknown name, too, but suggests none. */
function checkNames(values: Values, placeOf: PlaceOf): void {
  const known: string[] = [...SETTING_NAMES, ...EXTRAS];
  for (const name of Object.keys(values)) {
    if (known.includes(name) || name === '$schema') continue;
    const near = nearest(name, known);
    const hint = near ? `did you mean "${near}"?` : `known fields: ${known.join(', ')}`;
    const place = placeOf('', `/${escapeToken(name)}`);
    throw wrong(`unknown field ${JSON.stringify(name)} in ${place}`, hint);
  }
}

function wrong(text: string, hint: string): PatchgateError {
  return new PatchgateError('bad-config', text, { hint });
}

/**
 * A misspelt variable would be silently without effect: near misses are refused, others may be someone else's.
 *
 * @throws PatchgateError `bad-config`
 */
function checkVariables(env: Values): void {
  for (const name of EXTRAS)
    if (env[variableOf(name)])
      throw wrong(`there is no environment variable ${variableOf(name)}`, `only a config file has ${name}`);
  const known = [...SETTING_NAMES.map(variableOf), 'PATCHGATE_CONFIG', 'PATCHGATE_URL'];
  const bare = (variable: string) => variable.slice('PATCHGATE_'.length);
  for (const variable of Object.keys(env)) {
    if (!variable.startsWith('PATCHGATE_') || known.includes(variable)) continue;
    const near = nearest(bare(variable), known.map(bare));
    if (near) throw wrong(`unknown environment variable ${variable}`, `did you mean PATCHGATE_${near}?`);
  }
}

/** Those of a program stand above those of the file. */
async function extrasInForce(given: Values, file: ConfigFile | undefined, cwd: string): Promise<Extras> {
  const own = await extrasOf(given, { where: 'the settings given', folder: cwd });
  if (file === undefined) return own;
  const filed = await extrasOf(file.values, file);
  const names = EXTRAS.filter((name) => given[name] !== undefined);
  return {
    ...filed,
    ...Object.fromEntries(names.map((name) => [name, own[name]])),
    placeOf(pointer) {
      const [name = ''] = tokensOf(pointer);
      return (given[name] === undefined ? filed : own).placeOf(pointer);
    },
  };
}
