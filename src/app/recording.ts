import { dirname, join } from 'node:path';
import type { Database } from '../postgres/database.ts';
import type { Outbox } from '../postgres/outbox.ts';
import { findRecording } from '../recordings/find-recording.ts';
import { type MatchRules, matchRules } from '../recordings/match.ts';
import { hidingSecrets, redactionOf } from '../recordings/redact/redaction.ts';
import type { RecordingStore, StoreOptions } from '../recordings/store.ts';
import type { Config, Resolved } from '../settings/config.ts';
import { COMMAND_DEFAULTS, type RecordMode, STATE_BY_DEFAULT } from '../settings/settings.ts';

type Env = Readonly<Record<string, string | undefined>>;
type Notice = (text: string) => void;

/** What `--store` stands for, once it is open. */
export interface Shared {
  database?: Database | undefined;
  /** What a proxy sends into it. */
  outbox?: Outbox | undefined;
}

/**
 * The record mode in force; `none` if a recording answers all. A CI machine records nothing by accident, so that a test which misses
 * its recording fails there.
 */
export async function recordMode(
  config: Config,
  shared: Shared,
  env: Env,
  notice: Notice,
): Promise<RecordMode | undefined> {
  const { record } = config;
  if (record !== 'once' && record !== 'new_episodes') return record;
  // Most say `true`; AppVeyor says `True`, Woodpecker its name.
  if (!/^(?:|0|false)$/i.test(env.CI ?? '')) {
    notice(`CI is set: --record ${record} replays only, as none does`);
    return 'none';
  }
  return record === 'once' && (await isRecorded(config, shared)) ? 'none' : record;
}

/** Which requests are the same, and which texts are secret. @param secrets texts that are hidden wherever they stand */
export function rulesOf(config: Config, secrets: readonly string[] = []): MatchRules {
  return matchRules(config, hidingSecrets(redactionOf(config), secrets));
}

/** Milliseconds: what stops a server kills it after ten seconds. */
const CLOSE_WITHIN = 8000;

/** @throws PatchgateError as `openStore`; `store-unavailable` */
export async function openRecording(
  { recordings, recording }: Config,
  { database, outbox }: Shared,
  options: Pick<StoreOptions, 'onNotice' | 'writable' | 'replaces'> & { rules: MatchRules },
): Promise<RecordingStore> {
  if (!database) {
    const { openStore } = await import('../recordings/store.ts');
    return openStore(recordings, recording, { closeWithin: CLOSE_WITHIN, ...options });
  }
  const { PgRecordingStore } = await import('../postgres/recordings.ts');
  const { placesOf } = await import('../postgres/frames.ts');
  const { rules, writable } = options;
  const given = { database, rules, outbox: writable ? outbox : undefined };
  return new PgRecordingStore(recording, given, await placesOf(database, recording));
}

const HOW_TO_RECORD =
  'give another name with --recording, or record one: patchgate proxy <target> --store URL --record --recording NAME';

/** @param hint how to record it @throws PatchgateError `bad-usage` if the recording is not there */
export async function requireRecording(
  config: Config,
  { database }: Shared,
  hint?: string,
): Promise<unknown> {
  if (!database) return findRecording(config.recordings, config.recording, hint);
  const { requireStored } = await import('../postgres/frames.ts');
  return requireStored(database, config.recording, hint ?? HOW_TO_RECORD);
}

/** Whether the recording holds an exchange. */
async function isRecorded(config: Config, shared: Shared): Promise<boolean> {
  const store = await openRecording(config, shared, { rules: rulesOf(config) });
  try {
    return !store.isEmpty();
  } finally {
    await store.close();
  }
}

/** The database of `--store`; undefined without that setting. @throws PatchgateError as `openDatabase` */
export async function openDatabaseOf(
  { store }: Pick<Config, 'store'>,
  notice: Notice,
): Promise<Database | undefined> {
  if (store === undefined) return undefined;
  const { openDatabase } = await import('../postgres/database.ts');
  return openDatabase({ url: store, notice });
}

/** Keeps exchanges for the database beside the state file until it has them. @throws PatchgateError `cannot-write` */
export async function openOutbox(config: Config, database: Database, notice: Notice): Promise<Outbox> {
  const { Outbox } = await import('../postgres/outbox.ts');
  const folder = join(dirname(config.state || STATE_BY_DEFAULT), 'outbox');
  const mode = config.record === 'new_episodes' ? 'append' : 'all';
  return Outbox.open({ database, folder, recording: config.recording, mode, notice });
}

/** Opens the database of `--store` for one piece of work, whose error tells if it is away. */
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

/** A replay; or the proxy, if a flag or the environment asks to record. A config file's `record` is for the proxy alone. */
export function replayOrRecord({ config, origins }: Resolved): { kind: 'replay' | 'proxy'; config: Config } {
  const isAsked = origins.record === 'flag' || origins.record === 'environment';
  if (!isAsked || config.record === undefined) return { kind: 'replay', config };
  // A real service is guarded, unless somebody says otherwise.
  const { guard } = origins.guard === 'default' ? COMMAND_DEFAULTS.proxy : config;
  return { kind: 'proxy', config: { ...config, guard } };
}
