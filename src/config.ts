import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkValue } from './config/check-value.ts';
import { findConfigFile, readConfigFile } from './config/config-file.ts';
import { checkExtras, EXTRAS, type Extras } from './config/extras.ts';
import { PatchgateError } from './errors.ts';
import { nearest } from './model/nearest.ts';
import type { RecordKind } from './model/record.ts';
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
  redactPointers: string[];
  /** Sources of regular expressions. */
  redactPatterns: string[];
  detectSecrets: boolean;
  matchHeaders: string[];
  ignorePointers: string[];
  ignoreQuery: string[];
  arraysAsSets: string[];
  strictSequence: boolean;
  replayFailures: boolean;
  maxAge: number | undefined;
  onStale: 'warn' | 'refuse';
  failUnused: boolean;
  sessionIdle: number;
  memory: number;
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
  readState: boolean;
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
  tlsCert: string | undefined;
  tlsKey: string | undefined;
  controlToken: string | undefined;
  seed: string | undefined;
  envelope: string | undefined;
  latency: number;
  failOn: 'error' | 'warn';
  /** A file with findings that are known. */
  baseline: string | undefined;
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
  file: string | undefined;
}

/** `schemas/` of this package: the same from `src/` and from the bundle in `dist/`. */
export const DEFAULT_CONTRACT = fileURLToPath(new URL('../schemas/', import.meta.url));

/**
 * Settles every setting: defaults < config file < environment < flags. Unknown keys and wrong values are errors.
 *
 * @param flags values of the flags that were really given, by setting name; `config` names the file
 * @param defaults a command's own defaults
 * @throws PatchgateError `bad-config` or `bad-usage`, naming the place and what is taken there
 */
export async function resolveConfig(
  flags: Readonly<Record<string, unknown>>,
  defaults: Partial<Record<SettingName, unknown>> = {},
  env: Readonly<Record<string, string | undefined>> = process.env,
  cwd: string = process.cwd(),
): Promise<Resolved> {
  const file = findConfigFile(flags.config ?? (env.PATCHGATE_CONFIG || undefined), cwd);
  const fromFile = file === undefined ? {} : await readConfigFile(file);
  checkKeys(flags, 'the settings given', ['config']);
  checkKeys(fromFile, file ?? '', ['$schema']);
  for (const variable of Object.keys(env)) checkVariable(variable);

  const values: Record<string, unknown> = { contract: DEFAULT_CONTRACT };
  const origins: Resolved['origins'] = {};
  for (const name of Object.keys(SETTINGS) as SettingName[]) {
    const setting: Setting = SETTINGS[name];
    const variable = env[variableOf(name)];
    const take = (given: unknown, origin: Origin, where: string) => {
      values[name] = checkValue(name, setting, given, where);
      origins[name] = origin;
    };
    if (flags[name] !== undefined) take(flags[name], 'flag', `--${flagOf(name)}`);
    else if (variable !== undefined && (variable !== '' || setting.secret))
      take(variable, 'environment', variableOf(name));
    else if (fromFile[name] !== undefined) take(fromFile[name], 'config file', `${name} in ${file}`);
    else {
      const fallback = defaults[name] ?? setting.default;
      if (fallback !== undefined) take(fallback, 'default', name);
    }
  }
  const extras = await extrasOf(flags, fromFile, file, cwd);
  return { config: { ...values, ...extras } as unknown as Config, origins, file };
}

/** Those of a program stand above those of the file, and severities beside one another. */
async function extrasOf(
  flags: Readonly<Record<string, unknown>>,
  fromFile: Readonly<Record<string, unknown>>,
  file: string | undefined,
  cwd: string,
): Promise<Extras> {
  const own = await checkExtras(flags, { where: 'the settings given', folder: cwd });
  if (file === undefined) return own;
  const filed = await checkExtras(fromFile, { where: file, folder: dirname(file) });
  const given = EXTRAS.filter((name) => flags[name] !== undefined);
  return {
    ...filed,
    ...Object.fromEntries(given.map((name) => [name, own[name]])),
    rules: { ...filed.rules, ...own.rules },
  };
}

function checkKeys(given: Readonly<Record<string, unknown>>, where: string, others: readonly string[]): void {
  const known = [...Object.keys(SETTINGS), ...EXTRAS];
  for (const key of Object.keys(given)) {
    if (known.includes(key) || others.includes(key)) continue;
    const near = nearest(key, known);
    throw new PatchgateError('bad-config', `unknown key "${key}" in ${where}`, {
      hint: near ? `did you mean "${near}"?` : `known keys: ${known.join(', ')}`,
    });
  }
}

/** A misspelt variable would be silently without effect: near misses are refused, others may be someone else's. */
function checkVariable(variable: string): void {
  if (!variable.startsWith('PATCHGATE_')) return;
  const known = [...Object.keys(SETTINGS).map(variableOf), 'PATCHGATE_CONFIG', 'PATCHGATE_URL'];
  if (known.includes(variable)) return;
  const bare = (name: string) => name.slice('PATCHGATE_'.length);
  const near = nearest(bare(variable), known.map(bare));
  if (near) {
    throw new PatchgateError('bad-config', `unknown environment variable ${variable}`, {
      hint: `did you mean PATCHGATE_${near}?`,
    });
  }
}
