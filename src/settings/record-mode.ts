import type { Config } from './config.ts';
import type { RecordMode } from './settings.ts';

export interface ModeInForce {
  /** Undefined: nothing is recorded or replayed. */
  mode: RecordMode | undefined;
  /** Why it is not the mode that was asked for. */
  notice?: string;
}

/** On a CI machine nothing is recorded by accident: a test that misses its recording fails there instead. */
export function recordMode(
  { record, recordInCi }: Pick<Config, 'record' | 'recordInCi'>,
  env: Readonly<Record<string, string | undefined>>,
): ModeInForce {
  // Most say `true`; AppVeyor says `True`, Woodpecker its name.
  const isCi = !/^(?:|0|false)$/i.test(env.CI ?? '');
  if (!isCi || recordInCi || (record !== 'once' && record !== 'new_episodes')) return { mode: record };
  return {
    mode: 'none',
    notice: `CI is set: --record ${record} replays only, as none does; --record-in-ci records all the same`,
  };
}
