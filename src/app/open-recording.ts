import { findRecording } from '../recordings/find-recording.ts';
import { type MatchRules, matchRules } from '../recordings/match-rules.ts';
import { hidingSecrets, redactionOf } from '../recordings/redact/redaction.ts';
import type { RecordingStore, StoreOptions } from '../recordings/store.ts';
import type { Config } from '../settings/config.ts';
import type { RecordMode } from '../settings/settings.ts';
import { orClose } from './closing.ts';
import type { Shared } from './open-database.ts';

/** Takes one notice for people. */
type Notice = (text: string) => void;

type RecordingOptions = Pick<StoreOptions, 'writable' | 'replaces' | 'onKept'>;

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
  return {
    mode: 'none',
    notice: `CI is set: --record ${record} replays only, as none does`,
  };
}

/** Milliseconds: what stops a server kills it after ten seconds. */
const CLOSE_WITHIN = 8000;

/** @throws PatchgateError as `openStore`; `store-unavailable` */
export async function openRecording(
  { recordings, recording }: Config,
  rules: MatchRules,
  notice: Notice,
  { database, outbox }: Shared,
  { writable = false, ...options }: RecordingOptions = {},
): Promise<RecordingStore> {
  if (database) {
    const { PgRecordingStore } = await import('../postgres/recordings.ts');
    const into = writable ? outbox : undefined;
    return PgRecordingStore.open(recording, { database, outbox: into, rules, onKept: options.onKept });
  }
  const { openStore } = await import('../recordings/store.ts');
  const all = { closeWithin: CLOSE_WITHIN, rules, onNotice: notice, writable, ...options };
  return openStore(recordings, recording, all);
}

/** @param hint how to record it @throws PatchgateError `bad-usage` where the recording is not there */
export async function requireRecording(
  { recordings, recording }: Config,
  { database }: Shared,
  hint?: string,
): Promise<void> {
  if (!database) {
    await findRecording(recordings, recording, hint);
    return;
  }
  const { requireStored } = await import('../postgres/frames.ts');
  await requireStored(database, recording, hint ?? HOW_TO_RECORD);
}

const HOW_TO_RECORD =
  'give another name with --recording, or record one: patchgate proxy <target> --store URL --record --recording NAME';

/** For people: `recordings/`, or the database. */
export function placeOf({ recordings }: Config, { database }: Shared): string {
  return database ? database.name : `${recordings}/`;
}

/** Which requests are the same: to what records, to what replays, and to the files between them. @param secrets texts that are hidden wherever they stand */
export function rulesOf(config: Config, secrets: readonly string[] = []): MatchRules {
  return matchRules(config, hidingSecrets(redactionOf(config), secrets));
}

/** A recording that must answer everything. @throws PatchgateError `bad-usage` where it is not there */
export async function openWholeRecording(
  config: Config,
  rules: MatchRules,
  notice: Notice,
  shared: Shared,
): Promise<RecordingStore> {
  await requireRecording(config, shared);
  const store = await openRecording(config, rules, notice, shared);
  if (store.isEmpty())
    notice(
      `the recording "${config.recording}" in ${placeOf(config, shared)} is empty, so every request is refused`,
    );
  return store;
}

/** Whether there is anything in the recording. */
export async function isRecorded(config: Config, shared: Shared): Promise<boolean> {
  const store = await openRecording(config, rulesOf(config), () => undefined, shared);
  try {
    return !store.isEmpty();
  } finally {
    await store.close();
  }
}

/**
 * Opens a recording for a record mode. Only what is recorded into is opened to be written to, which one process may do at
 * a time.
 */
export async function openByMode(
  mode: RecordMode,
  config: Config,
  rules: MatchRules,
  notice: Notice,
  onKept: (count: number) => void,
  shared: Shared,
): Promise<{ store: RecordingStore; records: boolean }> {
  if (mode === 'none')
    return { store: await openWholeRecording(config, rules, notice, shared), records: false };
  if (mode === 'once') {
    const store = await openRecording(config, rules, notice, shared);
    if (!(await orClose(store, async () => store.isEmpty()))) return { store, records: false };
    await store.close();
  }
  // What `once` records is not replayed in the same run.
  const options = { writable: true, replaces: mode !== 'new_episodes', onKept };
  return { store: await openRecording(config, rules, notice, shared, options), records: true };
}
