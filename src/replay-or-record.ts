import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Kind } from './compose-upstream.ts';
import type { Config, Resolved } from './config.ts';
import { PatchgateError, systemCode } from './errors.ts';
import { nearest } from './model/nearest.ts';
import { isRecorded, recordingsIn } from './open-recording.ts';
import { recordMode } from './record-mode.ts';
import { checkRecordingName } from './recordings/files/location.ts';
import { COMMAND_DEFAULTS } from './settings.ts';

/** What a test suite runs against, and its settings. */
export interface InForce {
  kind: Kind;
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
  if (mode === undefined || mode === 'none' || (mode === 'once' && (await isRecorded(config)))) {
    if (config.onMiss === 'refuse') await checkIsThere(config, wording);
    return { kind: 'replay', config };
  }
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

/** A misspelt name would be an empty recording, which refuses every request. */
async function checkIsThere({ recordings, recording }: Config, { record }: Wording): Promise<void> {
  checkRecordingName(recording);
  if (isFolder(join(recordings, recording))) return;
  const names = await recordingsIn(recordings);
  const near = nearest(recording, names);
  // Which folder it starts from is what one is most often wrong about.
  const there =
    names.length > 0 ? `there are: ${names.join(', ')}` : `there is none in ${resolve(recordings)}`;
  throw new PatchgateError('bad-usage', `there is no recording "${recording}" in ${recordings}/ (${there})`, {
    hint: near ? `did you mean "${near}"?` : record,
  });
}

/** At once: to have it looked up by another thread takes longer than to look. */
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    // What else is wrong with it is said by who opens it.
    return systemCode(error) !== 'ENOENT' && systemCode(error) !== 'ENOTDIR';
  }
}
