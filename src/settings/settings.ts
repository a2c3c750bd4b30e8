import { JUDGING } from './judging.ts';
import { RECORDING } from './recording.ts';
import { REPLAYING } from './replaying.ts';
import { SERVING } from './serving.ts';
import { VERIFYING } from './verifying.ts';

export type { Durability, LogFormat, RecordMode, ValidationMode } from './modes.ts';
export { RECORD_MODES } from './modes.ts';
export type { Setting } from './setting.ts';

/**
 * Every setting of the tool, once: flags, environment, config file, help and `patchgate config` are made from this
 * table. Names are those of the config file; the flag is the same in kebab case, the variable `PATCHGATE_` in capitals.
 */
export const SETTINGS = { ...RECORDING, ...REPLAYING, ...SERVING, ...JUDGING, ...VERIFYING };

export type SettingName = keyof typeof SETTINGS;

/** Settings that are gone, by name, with what to do instead. */
export const GONE: Readonly<Record<string, string>> = {
  memory: 'leave it out: a replay holds its whole recording in memory',
};

/** Where a proxy keeps what is known, and `plan` looks for it. */
export const STATE_BY_DEFAULT = '.patchgate/state.json';

/**
 * What a command takes where nobody says: a real service is guarded, and remembered; what only plays one has nothing to
 * lose. What was made before is judged as it was sent, and a plan is about what would be lost. What is sent again was meant for
 * another day: nothing goes that may delete, and nobody can say.
 */
export const COMMAND_DEFAULTS = {
  proxy: { guard: 'on', state: STATE_BY_DEFAULT },
  replay: { guard: 'off' },
  fake: { guard: 'off' },
  exec: { guard: 'off', port: 0, log: 'off' },
  check: { guard: 'off' },
  plan: { guard: 'on', state: STATE_BY_DEFAULT },
  verify: { guard: 'strict', readState: true },
} as const;

/**
 * What a command does not go by, whatever config file and environment say of it: to judge is what `check` is for, and what a
 * service holds today is not what it held before its recordings. (A flag that a command takes always counts.)
 */
export const UNHEEDED: Readonly<Record<string, readonly SettingName[]>> = {
  exec: ['port', 'log', 'state'],
  check: ['state', 'validation'],
  plan: ['guard', 'validation'],
  verify: ['baseline', 'forwardedHeaders', 'preserveHost', 'state', 'validation'],
};

/** `recordInCi` -> `record-in-ci` */
export function flagOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** `recordInCi` -> `PATCHGATE_RECORD_IN_CI` */
export function variableOf(name: string): string {
  return `PATCHGATE_${flagOf(name).replaceAll('-', '_').toUpperCase()}`;
}
