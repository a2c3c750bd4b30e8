import { PatchgateError } from '../errors.ts';
import type { Config, Resolved } from '../settings/config.ts';
import { COMMAND_DEFAULTS } from '../settings/settings.ts';
import type { ServerKind } from './modes.ts';
import { withDatabase } from './open-database.ts';
import { isRecorded, recordMode, requireRecording } from './open-recording.ts';

/** What a test suite runs against, and its settings. */
export interface InForce {
  kind: ServerKind;
  config: Config;
}

/** How one says what is missing. */
export interface Wording {
  /** What a flag is called: `--record`. */
  flag(name: string): string;
  /** How to give a target. */
  target: string;
  /** How to record. */
  record: string;
}

/**
 * What is to answer from a recording, as `COMMAND_DEFAULTS.replay` has it; or the proxy that records instead, in front of a
 * service that it guards, where a flag or the environment asks for that. A config file's `record` is for the proxy alone.
 *
 * @param notice takes one notice for people
 * @throws PatchgateError `bad-usage`: no target, no such recording
 */
export async function replayOrRecord(
  { config, origins }: Resolved,
  env: Readonly<Record<string, string | undefined>>,
  notice: (text: string) => void,
  wording: Wording,
): Promise<InForce> {
  const isAsked = origins.record === 'flag' || origins.record === 'environment';
  const { mode, notice: why } = isAsked ? recordMode(config, env) : { mode: undefined };
  if (why) notice(why);
  const replays = await withDatabase(config, async (database) => {
    if (mode === 'all' || mode === 'new_episodes') return false;
    if (mode === 'once' && !(await isRecorded(config, { database }))) return false;
    await requireRecording(config, { database }, wording.record);
    return true;
  });
  if (replays) return { kind: 'replay', config };
  if (config.target === undefined) {
    const where = origins.record === 'flag' ? wording.flag('record') : 'PATCHGATE_RECORD';
    throw new PatchgateError('bad-usage', `${where} is "${mode}", and there is no target to record from`, {
      hint: wording.target,
    });
  }
  // A real service is guarded, whatever is known of it.
  const { guard } = origins.guard === 'default' ? COMMAND_DEFAULTS.proxy : config;
  return { kind: 'proxy', config: { ...config, guard } };
}
