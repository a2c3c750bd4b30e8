import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { messageOf, PatchgateError } from './errors.ts';
import type { SeveritySetting } from './model/finding.ts';
import { isObject } from './model/json.ts';
import { nearest } from './model/nearest.ts';
import {
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
export interface Config {
  contract: string;
  recordings: string;
  recording: string;
  record: RecordMode | undefined;
  recordInCi: boolean;
  onMiss: 'refuse' | 'forward' | 'record';
  target: string | undefined;
  targetCa: string | undefined;
  targetInsecure: boolean;
  preserveHost: boolean;
  forwardedHeaders: boolean;
  validation: ValidationMode;
  guard: 'on' | 'off';
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
  /** Severities by rule name, from the config file. */
  rules: Record<string, SeveritySetting>;
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

const CONFIG_FILES = ['patchgate.config.js', 'patchgate.config.mjs', 'patchgate.config.json'];

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
  const rules = {
    ...checkRules(fromFile.rules, file ?? ''),
    ...checkRules(flags.rules, 'the settings given'),
  };
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
  return { config: { ...values, rules } as unknown as Config, origins, file };
}

function findConfigFile(named: unknown, cwd: string): string | undefined {
  if (named !== undefined) {
    if (typeof named !== 'string') {
      throw new PatchgateError('bad-usage', '--config is given more than once', { hint: 'give it once' });
    }
    const file = resolve(cwd, named);
    if (!existsSync(file)) {
      throw new PatchgateError('bad-config', `the config file ${named} does not exist`, {
        hint: 'check the path given with --config or PATCHGATE_CONFIG',
      });
    }
    return file;
  }
  return CONFIG_FILES.map((name) => join(cwd, name)).find((file) => existsSync(file));
}

async function readConfigFile(file: string): Promise<Record<string, unknown>> {
  let content: unknown;
  try {
    content = file.endsWith('.json')
      ? JSON.parse(readFileSync(file, 'utf8'))
      : ((await import(pathToFileURL(file).href)) as { default: unknown }).default;
  } catch (error) {
    throw new PatchgateError('bad-config', `cannot read the config file ${file}: ${messageOf(error)}`, {
      cause: error,
    });
  }
  if (!isObject(content)) {
    throw new PatchgateError('bad-config', `the config file ${file} does not hold an object`, {
      hint: file.endsWith('.json')
        ? 'write { "recording": "checkout" }'
        : 'write export default { recording: "checkout" }',
    });
  }
  return content;
}

function checkKeys(given: Readonly<Record<string, unknown>>, where: string, others: readonly string[]): void {
  const known = [...Object.keys(SETTINGS), 'rules'];
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

function checkRules(rules: unknown, where: string): Record<string, SeveritySetting> {
  if (rules === undefined) return {};
  if (!isObject(rules)) {
    throw new PatchgateError(
      'bad-config',
      `rules in ${where} must be an object of rule names and severities`,
    );
  }
  for (const [name, severity] of Object.entries(rules)) {
    if (severity !== 'error' && severity !== 'warn' && severity !== 'off') {
      throw new PatchgateError('bad-config', `rules["${name}"] in ${where} is ${JSON.stringify(severity)}`, {
        hint: 'a severity is one of: error, warn, off',
      });
    }
  }
  return rules as Record<string, SeveritySetting>;
}

function checkValue(name: SettingName, setting: Setting, given: unknown, where: string): unknown {
  const wrong = (takes: string) =>
    new PatchgateError('bad-config', `${where}: ${JSON.stringify(given)} is not taken`, {
      hint: `it takes ${takes}`,
    });
  switch (setting.kind) {
    case 'string':
      if (typeof given !== 'string' || given === '') throw wrong('a text');
      return given;
    case 'path':
      if (typeof given !== 'string' || !/^\/[\w~!$&'()*+,=:@./-]*$/.test(given))
        throw wrong('a path that starts with a slash: /api/v2');
      return given;
    case 'boolean':
      if (typeof given === 'boolean') return given;
      if (given === 'true' || given === '1') return true;
      if (given === 'false' || given === '0') return false;
      throw wrong('true or false');
    case 'integer': {
      const number = typeof given === 'string' && /^\d+$/.test(given) ? Number(given) : given;
      const { min = 0, max = Number.MAX_SAFE_INTEGER } = setting;
      if (!Number.isSafeInteger(number) || (number as number) < min || (number as number) > max)
        throw wrong(`an integer from ${min} to ${max}`);
      return number;
    }
    case 'choice': {
      const word = given === true ? setting.bare : name === 'guard' && given === false ? 'off' : given;
      if (typeof word === 'string' && setting.choices?.includes(word)) return word;
      throw wrong(`one of: ${setting.choices?.join(', ')}`);
    }
    case 'duration': {
      const { max = Number.MAX_SAFE_INTEGER } = setting;
      const milliseconds = readAmount(given, { ms: 1, s: 1000, m: 60_000, h: 3_600_000 });
      if (milliseconds === undefined || milliseconds > max)
        throw wrong(`a duration of at most ${Math.floor(max / 3_600_000)}h: 500ms, 30s, 2m`);
      return milliseconds;
    }
    case 'size': {
      const { max = Number.MAX_SAFE_INTEGER } = setting;
      const bytes = readAmount(given, { b: 1, kb: 1000, kib: 1024, mb: 1e6, mib: 1_048_576 });
      if (bytes === undefined || bytes > max)
        throw wrong(`a size of at most ${Math.floor(max / 1_048_576)}MiB: 65536, 512KiB, 5MiB`);
      return bytes;
    }
  }
}

/** `30s` with `{ s: 1000 }` -> 30000; a bare number counts the smallest unit. */
function readAmount(given: unknown, units: Readonly<Record<string, number>>): number | undefined {
  if (typeof given !== 'string' && typeof given !== 'number') return undefined;
  const match = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(String(given));
  if (!match) return undefined;
  const word = (match[2] as string).toLowerCase();
  if (word !== '' && !Object.hasOwn(units, word)) return undefined;
  return Math.round(Number(match[1]) * (word === '' ? 1 : (units[word] as number)));
}
