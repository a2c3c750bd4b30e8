import { isDeepStrictEqual } from 'node:util';
import type { Config } from '../settings/config.ts';
import { EXTRAS } from '../settings/extras.ts';
import { SETTING_NAMES } from '../settings/settings.ts';

type Name = Exclude<keyof Config, 'placeOf'>;

/** What the gate judges by: all that another config can change while a server runs. */
const JUDGED_BY: readonly Name[] = [
  'contract',
  'validation',
  'guard',
  'unlisted',
  'basePath',
  'bodyLimit',
  'allowDelete',
  'protect',
  'rules',
  'overrides',
  'guardPolicy',
  'customRules',
];

/** Without anybody who learns, a gate that was off would judge by nothing, and look like one that guards. */
const OF_LEARNERS: readonly Name[] = ['validation', 'guard'];

interface Reloaded {
  /** The one in force, with all of the next one that can be changed while a server runs. */
  config: Config;
  /** What the next one has otherwise, and only a restart brings into force. */
  needRestart: Name[];
}

/**
 * What a running server can take of another config.
 *
 * @param heeded the settings that the server goes by
 * @param learns whether something finds out what the records hold
 */
export function reloadedConfig(
  config: Config,
  next: Config,
  heeded: readonly string[],
  learns: boolean,
): Reloaded {
  const taken = JUDGED_BY.filter((name) => learns || !OF_LEARNERS.includes(name));
  const isHeeded = (name: Name) => heeded.includes(name) || name === 'normalizeRequest';
  const kept = [...SETTING_NAMES, ...EXTRAS].filter((name) => !taken.includes(name) && isHeeded(name));
  return {
    config: {
      ...config,
      ...Object.fromEntries(taken.map((name) => [name, next[name]])),
      placeOf: next.placeOf,
    },
    needRestart: kept.filter((name) => !isDeepStrictEqual(comparable(config[name]), comparable(next[name]))),
  };
}

/** A program that is loaded anew has other functions, which do the same. */
function comparable(value: unknown): unknown {
  return typeof value === 'function' ? String(value) : value;
}
