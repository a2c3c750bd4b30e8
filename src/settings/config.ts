import { PatchgateError } from '../errors.ts';
import { pointerOf, tokensOf } from '../json/pointer.ts';
import type { FaultRule, Latency } from '../model/fault.ts';
import type { RecordKind } from '../model/record.ts';
import { PACKAGE_FOLDER } from '../version.ts';
import { checkKeys, checkVariables } from './check-names.ts';
import { checkValue, type PlaceOfPart } from './check-value.ts';
import { placed } from './extras/source.ts';
import { checkExtras, EXTRAS, type Extras } from './extras.ts';
import { findConfigFile } from './find-config-file.ts';
import { type ConfigFile, failsToBeRead, readConfigFile } from './read-config-file.ts';
import {
  type Durability,
  flagOf,
  type LogFormat,
  type RecordMode,
  SETTINGS,
  type Setting,
  type SettingName,
  type ValidationMode,
  variableOf,
} from './settings.ts';
import { pathFrom } from './short-path.ts';

/** The settings in force: durations in milliseconds, sizes in bytes, folders as given. */
export interface Config extends Extras {
  contract: string;
  recordings: string;
  recording: string;
  record: RecordMode | undefined;
  recordInCi: boolean;
  refreshMeta: boolean;
  recordLimit: number;
  durability: Durability;
  redact: string[];
  noRedact: string[];
  redactPointers: string[];
  /** Sources of regular expressions. */
  redactPatterns: string[];
  detectSecrets: boolean;
  matchHeaders: string[];
  ignorePointers: string[];
  ignoreQuery: string[];
  arraysAsSets: string[];
  formsAsSets: boolean;
  strictSequence: boolean;
  replayFailures: boolean;
  maxAge: number | undefined;
  onStale: 'warn' | 'refuse';
  failUnused: boolean;
  sessionIdle: number;
  onMiss: 'refuse' | 'forward' | 'record';
  target: string | undefined;
  targetCa: string | undefined;
  targetInsecure: boolean;
  preserveHost: boolean;
  forwardedHeaders: boolean;
  validation: ValidationMode;
  guard: 'on' | 'strict' | 'off';
  /** Id of the workspace that `current` means. */
  account: number | undefined;
  /** A file; undefined or `""`: what is known is kept in memory alone. */
  state: string | undefined;
  /** Undefined: only before a 409 that rests on what may be gone. */
  readState: boolean | undefined;
  /** Milliseconds. */
  stateLag: number;
  learn: RecordKind[];
  approvalTtl: number;
  /** Patterns of names. */
  allowDelete: string[];
  unlisted: 'pass' | 'block';
  basePath: string | undefined;
  bodyLimit: number;
  timeout: number;
  clientTimeout: number;
  log: LogFormat;
  port: number;
  host: string;
  /** Patterns of names. */
  allowHost: string[];
  tlsCert: string | undefined;
  tlsKey: string | undefined;
  controlToken: string | undefined;
  seed: string | undefined;
  envelope: string | undefined;
  latency: Latency;
  faults: FaultRule[];
  /** Undefined: any. */
  faultSeed: number | undefined;
  failOn: 'error' | 'warn';
  failOnBlock: boolean;
  /** A file with findings that are known. */
  baseline: string | undefined;
  ignoreDrift: string[];
  driftHeaders: string[];
}

/** The workspace that `current` means, as a path names it. */
export function workspaceOf({ account }: Pick<Config, 'account'>): string | undefined {
  return account === undefined ? undefined : String(account);
}

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

/**
 * Settles every setting: defaults < config file < environment < flags. Unknown keys and wrong values are errors. Paths
 * in a config file start from its folder, and so do the defaults where that is a folder above; all others from `cwd`.
 *
 * @param flags values of the flags that were really given, by setting name; `config` names the file
 * @param defaults a command's own defaults
 * @param called what a setting among the flags is called where it was given
 * @throws PatchgateError `bad-config` or `bad-usage`, naming the place and what is taken there
 */
export async function resolveConfig(
  flags: Readonly<Record<string, unknown>>,
  defaults: Partial<Record<SettingName, unknown>> = {},
  env: Readonly<Record<string, string | undefined>> = process.env,
  cwd: string = process.cwd(),
  called: (name: SettingName) => string = (name) => `--${flagOf(name)}`,
): Promise<Resolved> {
  const named = flags.config ?? (env.PATCHGATE_CONFIG || undefined);
  const found = findConfigFile(named, cwd);
  const file = found === undefined ? undefined : await readConfigFile(found, cwd);
  const filed = file?.values ?? {};
  checkKeys(flags, { where: 'the settings given', folder: cwd }, ['config']);
  if (file) checkKeys(filed, file, ['$schema']);
  checkVariables(env);
  const home = named === undefined && file ? file.folder : cwd;

  const values: Record<string, unknown> = { contract: DEFAULT_CONTRACT };
  const origins: Resolved['origins'] = {};
  for (const name of Object.keys(SETTINGS) as SettingName[]) {
    const setting: Setting = SETTINGS[name];
    const variable = env[variableOf(name)];
    const take = (given: unknown, origin: Origin, where: string, folder = cwd, at?: PlaceOfPart) => {
      const value = checkValue(name, setting, given, where, origin === 'config file', at);
      values[name] = setting.isPath && folder !== cwd ? pathFrom(folder, value as string, cwd) : value;
      origins[name] = origin;
    };
    if (flags[name] !== undefined) take(once(name, setting, flags[name], called), 'flag', called(name));
    else if (variable !== undefined && (variable !== '' || setting.secret))
      take(variable, 'environment', variableOf(name));
    else if (file && filed[name] !== undefined) {
      const at: PlaceOfPart = (pointer, part) => placed(pointerOf([name]) + pointer, file, part);
      take(filed[name], 'config file', at(''), file.folder, at);
    } else {
      const fallback = defaults[name] ?? setting.default;
      if (fallback !== undefined) take(fallback, 'default', name, home);
    }
  }
  const extras = await extrasOf(flags, file, cwd);
  return { config: { ...values, ...extras } as unknown as Config, origins, file };
}

/** What yargs makes a list of was given more than once. @throws PatchgateError `bad-usage` */
function once(
  name: SettingName,
  { kind, mayBeOff }: Setting,
  given: unknown,
  called: (name: SettingName) => string,
): unknown {
  if (!Array.isArray(given) || ['list', 'pointers', 'patterns', 'faults'].includes(kind)) return given;
  const flag = called(name);
  if (mayBeOff && given.includes('')) {
    throw new PatchgateError('bad-usage', `${flag} and --no-${flagOf(name)} are both given`, {
      hint: 'give one of them, once',
    });
  }
  throw new PatchgateError('bad-usage', `${flag} is given more than once`, { hint: 'give it once' });
}

/** Those of a program stand above those of the file, and severities beside one another. */
async function extrasOf(
  flags: Readonly<Record<string, unknown>>,
  file: ConfigFile | undefined,
  cwd: string,
): Promise<Extras> {
  const own = await checkExtras(flags, { where: 'the settings given', folder: cwd });
  if (file === undefined) return own;
  const filed = await checkExtras(file.values, file).catch((error: unknown) => {
    if (error instanceof PatchgateError) throw error;
    throw failsToBeRead(error, file.where);
  });
  const given = EXTRAS.filter((name) => flags[name] !== undefined);
  return {
    ...filed,
    ...Object.fromEntries(given.map((name) => [name, own[name]])),
    rules: { ...filed.rules, ...own.rules },
    placeOf(pointer) {
      const [name = '', member = ''] = tokensOf(pointer);
      const isOwn = name === 'rules' ? Object.hasOwn(own.rules, member) : flags[name] !== undefined;
      return (isOwn ? own : filed).placeOf(pointer);
    },
  };
}
