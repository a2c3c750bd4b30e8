import { JUDGING } from './settings/judging.ts';
import { RECORDING } from './settings/recording.ts';
import { REPLAYING } from './settings/replaying.ts';
import { SERVING } from './settings/serving.ts';

export type { Durability, LogFormat, RecordMode, ValidationMode } from './settings/modes.ts';
export { RECORD_MODES } from './settings/modes.ts';
export type { Setting } from './settings/setting.ts';

/**
 * Every setting of the tool, once: flags, environment, config file, help and `patchgate config` are made from this
 * table. Names are those of the config file; the flag is the same in kebab case, the variable `PATCHGATE_` in capitals.
 */
export const SETTINGS = { ...RECORDING, ...REPLAYING, ...SERVING, ...JUDGING };

export type SettingName = keyof typeof SETTINGS;

/** `recordInCi` -> `record-in-ci` */
export function flagOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** `recordInCi` -> `PATCHGATE_RECORD_IN_CI` */
export function variableOf(name: string): string {
  return `PATCHGATE_${flagOf(name).replaceAll('-', '_').toUpperCase()}`;
}
