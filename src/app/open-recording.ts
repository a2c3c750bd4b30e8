import { dirname, join } from 'node:path';
import { PatchgateError } from '../errors.ts';
import type { Database } from '../postgres/database.ts';
import type { Outbox } from '../postgres/outbox.ts';
import { findRecording } from '../recordings/find-recording.ts';
import { type MatchRules, matchRules } from '../recordings/match-rules.ts';
import { hidingSecrets, redactionOf } from '../recordings/redact/redaction.ts';
import type { RecordingStore, StoreOptions } from '../recordings/store.ts';
import type { Config, Resolved } from '../settings/config.ts';
import { COMMAND_DEFAULTS, type RecordMode, STATE_BY_DEFAULT } from '../settings/settings.ts';

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
    const [{ PgRecordingStore }, { placesOf }] = await Promise.all([
      import('../postgres/recordings.ts'),
      import('../postgres/frames.ts'),
    ]);
    const { rules, writable, onKept } = options;
    const given = { database, rules, onKept, outbox: writable ? outbox : undefined };
    return new PgRecordingStore(recording, given, await placesOf(database, recording));
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

/** What `--store` stands for, once it is open. */
export interface Shared {
  database?: Database | undefined;
  /** Of what records into it. */
  outbox?: Outbox | undefined;
}

/** The database of `--store`; undefined without that setting. @throws PatchgateError as `openDatabase` */
export async function openDatabaseOf(
  { store }: Pick<Config, 'store'>,
  notice: (text: string) => void,
): Promise<Database | undefined> {
  if (store === undefined) return undefined;
  const { openDatabase } = await import('../postgres/database.ts');
  return openDatabase({ url: store, notice });
}

/** What is on its way to the database stands beside the state file. @throws PatchgateError `cannot-write` */
export async function openOutbox(
  { state, recording, record }: Config,
  database: Database,
  notice: (text: string) => void,
): Promise<Outbox> {
  const { Outbox } = await import('../postgres/outbox.ts');
  const folder = join(dirname(state || STATE_BY_DEFAULT), 'outbox');
  const mode = record === 'new_episodes' ? 'append' : 'all';
  return Outbox.open({ database, folder, recording, mode, notice });
}

/** Opens the database of `--store` for some work alone. That it is away is told by the error that ends the work, and by no notice. */
export async function withDatabase<T>(
  config: Pick<Config, 'store'>,
  work: (database: Database | undefined) => Promise<T>,
): Promise<T> {
  const database = await openDatabaseOf(config, () => undefined);
  try {
    return await work(database);
  } finally {
    await database?.close();
  }
}

/**
 * What is to answer from a recording, as `COMMAND_DEFAULTS.replay` has it; or the proxy that records instead, in front of a
 * service that it guards, where a flag or the environment asks for that. A config file's `record` is for the proxy alone.
 *
 * @param hints how to give a target, and how to record
 * @throws PatchgateError `bad-usage`: no target, no such recording
 */
export async function replayOrRecord(
  { config, origins }: Resolved,
  env: Readonly<Record<string, string | undefined>>,
  notice: (text: string) => void,
  hints: { target: string; record: string },
): Promise<{ kind: 'replay' | 'proxy'; config: Config }> {
  const isAsked = origins.record === 'flag' || origins.record === 'environment';
  const { mode, notice: why } = isAsked ? recordMode(config, env) : { mode: undefined };
  if (why) notice(why);
  const replays = await withDatabase(config, async (database) => {
    if (mode === 'all' || mode === 'new_episodes') return false;
    if (mode === 'once' && !(await isRecorded(config, { database }))) return false;
    await requireRecording(config, { database }, hints.record);
    return true;
  });
  if (replays) return { kind: 'replay', config };
  if (config.target === undefined) {
    const message = `the record mode is "${mode}", and there is no target to record from`;
    throw new PatchgateError('bad-usage', message, { hint: hints.target });
  }
  // A real service is guarded, whatever is known of it.
  const { guard } = origins.guard === 'default' ? COMMAND_DEFAULTS.proxy : config;
  return { kind: 'proxy', config: { ...config, guard } };
}
