import { findRecording } from '../recordings/find-recording.ts';
import { type MatchRules, matchRules } from '../recordings/match-rules.ts';
import { hidingSecrets, redactionOf } from '../recordings/redact/redaction.ts';
import type { RecordingStore, StoreOptions } from '../recordings/store.ts';
import type { Config } from '../settings/config.ts';
import type { RecordMode } from '../settings/settings.ts';
import type { Shared } from './open-database.ts';

/**
 * The record mode in force, and why it is not the one that was asked for: on a CI machine nothing is recorded by accident, so
 * that a test which misses its recording fails there instead.
 */
export function recordMode(
  { record }: Pick<Config, 'record'>,
  env: Readonly<Record<string, string | undefined>>,
): { mode: RecordMode | undefined; notice?: string } {
  // Most say `true`; AppVeyor says `True`, Woodpecker its name.
  const isCi = !/^(?:|0|false)$/i.test(env.CI ?? '');
  if (!isCi || (record !== 'once' && record !== 'new_episodes')) return { mode: record };
  return { mode: 'none', notice: `CI is set: --record ${record} replays only, as none does` };
}

/** Which requests are the same: to what records, to what replays, and to the files between them. @param secrets texts that are hidden wherever they stand */
export function rulesOf(config: Config, secrets: readonly string[] = []): MatchRules {
  return matchRules(config, hidingSecrets(redactionOf(config), secrets));
}

/** Milliseconds: what stops a server kills it after ten seconds. */
const CLOSE_WITHIN = 8000;

/** @throws PatchgateError as `openStore`; `store-unavailable` */
export async function openRecording(
  { recordings, recording }: Config,
  { database, outbox }: Shared,
  options: Pick<StoreOptions, 'onNotice' | 'writable' | 'replaces' | 'onKept'> & { rules: MatchRules },
): Promise<RecordingStore> {
  if (database) {
    const { PgRecordingStore } = await import('../postgres/recordings.ts');
    const { rules, writable, onKept } = options;
    return PgRecordingStore.open(recording, {
      database,
      outbox: writable ? outbox : undefined,
      rules,
      onKept,
    });
  }
  const { openStore } = await import('../recordings/store.ts');
  return openStore(recordings, recording, { closeWithin: CLOSE_WITHIN, ...options });
}

/** @param hint how to record it @throws PatchgateError `bad-usage` where the recording is not there */
export async function requireRecording(
  { recordings, recording }: Config,
  { database }: Shared,
  hint?: string,
): Promise<unknown> {
  if (!database) return findRecording(recordings, recording, hint);
  const { requireStored } = await import('../postgres/frames.ts');
  return requireStored(database, recording, hint ?? HOW_TO_RECORD);
}

const HOW_TO_RECORD =
  'give another name with --recording, or record one: patchgate proxy <target> --store URL --record --recording NAME';

/** Whether there is anything in the recording. */
export async function isRecorded(config: Config, shared: Shared): Promise<boolean> {
  const store = await openRecording(config, shared, { rules: rulesOf(config) });
  try {
    return !store.isEmpty();
  } finally {
    await store.close();
  }
}
