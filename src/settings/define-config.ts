import type { SeveritySetting } from '../model/finding.ts';
import type { Rule } from '../model/rule.ts';
import type { WrittenSettings } from './settings.ts';

export { type JsonObject, type JsonValue, listAt, member } from '../json/json.ts';
export { pointerOf } from '../json/pointer.ts';
export type { Effect } from '../model/effect.ts';
export type { Known } from '../model/record.ts';
export type { Example, FailingExample, Place, Rule, RuleContext } from '../model/rule.ts';
export type { FaultsGiven } from './faults.ts';

/** What a config file exports: `export default defineConfig({ recording: 'checkout' })`. It is there for the types alone. */
export function defineConfig(config: UserConfig): UserConfig {
  return config;
}

/** What a config file can say. Paths are relative to its folder. `patchgate <command> --help-all` says what each setting means. */
export interface UserConfig extends WrittenSettings {
  /** Severities by rule, for some request paths or for all; the later ones count. */
  overrides?: readonly UserOverride[] | undefined;
  /** Rules of one's own, by the operation that they apply to. */
  customRules?: Readonly<Record<string, readonly Rule[]>> | undefined;
}

/** Without `paths` it holds everywhere. */
export interface UserOverride {
  paths?: string | readonly string[] | undefined;
  rules: Readonly<Record<string, SeveritySetting>>;
}
