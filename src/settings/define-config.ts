import type { FaultGiven } from '../model/fault.ts';
import type { SeveritySetting } from '../model/finding.ts';
import type { Rule } from '../model/rule.ts';
import type { SETTINGS, ValueKind } from './settings.ts';

export { type JsonObject, type JsonValue, listAt, member } from '../json/json.ts';
export { pointerOf } from '../json/pointer.ts';
export type { Effect } from '../model/effect.ts';
export type { FaultGiven, FaultsGiven, UserFault } from '../model/fault.ts';
export type { Known } from '../model/record.ts';
export type { Example, FailingExample, Place, Rule, RuleContext } from '../model/rule.ts';

/**
 * What a config file exports: `export default defineConfig({ recording: 'checkout' })`. It gives back what it is given;
 * it is there for the types alone.
 */
export function defineConfig(config: UserConfig): UserConfig {
  return config;
}

/**
 * What a config file can say. `patchgate <command> --help` and the JSON Schema say what each setting means.
 *
 * @typeParam Milliseconds the numbers that are taken for a duration: `number` where a program gives it, 0 in a config file
 */
export interface UserConfig<Milliseconds extends number = 0> extends UserSettings<Milliseconds> {
  /** Severities by rule, for some files or request paths or for all; the later ones count. */
  overrides?: readonly UserOverride[] | undefined;
  /** Rules of one's own, by the operation that they apply to. */
  customRules?: Readonly<Record<string, readonly Rule[]>> | undefined;
}

/** The settings of the table. Paths are relative to the config file's folder. */
export type UserSettings<Milliseconds extends number = 0> = {
  -readonly [Name in keyof typeof SETTINGS]?: Written<(typeof SETTINGS)[Name], Milliseconds> | undefined;
};

export type Severities = Readonly<Record<string, SeveritySetting>>;

/** Globs; those of files start from the config file's folder. */
export type Globs = string | readonly string[];

/** Without `files` and `paths` it holds everywhere. */
export interface UserOverride {
  files?: Globs | undefined;
  paths?: Globs | undefined;
  rules: Severities;
}

/** `30s`, `1.5h` */
export type DurationText = `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`;

/** What each kind of value is written as. */
interface WrittenKinds<Milliseconds> {
  text: string;
  file: string;
  fileOrOff: string | false;
  url: string;
  path: `/${string}`;
  duration: DurationText | Milliseconds;
  texts: string | readonly string[];
  secrets: string | readonly string[];
  pointers: string | readonly string[];
  patterns: string | readonly string[];
  headers: string | readonly string[];
  tokens: string | readonly string[];
  names: string | readonly string[];
  faults: string | readonly FaultGiven[];
}

type Written<S, Milliseconds> = S extends { $ref: `#/definitions/${infer K extends ValueKind}` }
  ? WrittenKinds<Milliseconds>[K]
  : S extends { enum: readonly (infer Word)[] }
    ? Word
    : S extends { type: 'boolean' }
      ? boolean
      : number;
