import { dirname, join } from 'node:path';
import type { Database } from '../postgres/database.ts';
import type { Outbox } from '../postgres/outbox.ts';
import { type MatchRules, matchRules } from '../recordings/match.ts';
import { hidingSecrets, redactionOf } from '../recordings/redact/redaction.ts';
import type { RecordingStore } from '../recordings/store.ts';
import type { Config, Resolved } from '../settings/config.ts';
import type { Env } from '../settings/named-values.ts';
import { COMMAND_DEFAULTS, type RecordMode, STATE_BY_DEFAULT } from '../settings/settings.ts';

/** What recordings are opened with. */
export interface RecordingSetup {
  config: Config;
  rules: MatchRules;
  notice(text: string): void;
  /** What `--store` stands for. */
  database?: Database | undefined;
  /** What a proxy sends into it. */
  outbox?: Outbox | undefined;
}

/**
 * The record mode of a proxy that is in force: `none` if a recording answers all. A CI machine records nothing by accident, so that a
 * test which misses its recording fails there.
 */
export async function recordMode(setup: RecordingSetup, env: Env): Promise<RecordMode | undefined> {
  const { record } = setup.config;
  if (record !== 'once' && record !== 'new_episodes') return record;
  // Most say `true`; AppVeyor says `True`, Woodpecker its name.
  if (!/^(?:|0|false)$/i.test(env.CI ?? '')) {
    setup.notice(`CI is set: --record ${record} replays only, as none does`);
    return 'none';
  }
  if (record === 'new_episodes') return record;
  const config = { ...setup.config, record: 'none' as const };
  const store = await openRecording({ ...setup, config, notice: () => undefined });
  try {
    return store.isEmpty() ? record : 'none';
  } finally {
    await store.close();
  }
}

/** Which requests are the same, and which texts are secret. @param secrets texts that are hidden wherever they stand */
export function rulesOf(config: Config, secrets: readonly string[] = []): MatchRules {
  return matchRules(config, hidingSecrets(redactionOf(config), secrets));
}

/** Milliseconds: what stops a server kills it after ten seconds. */
const CLOSE_WITHIN = 8000;

/** It can be written to if the record mode says so. @throws PatchgateError as `openStore`; `store-unavailable` */
export async function openRecording(setup: RecordingSetup): Promise<RecordingStore> {
  const { config, rules, notice, database, outbox } = setup;
  const { recordings, recording, record = 'none' } = config;
  if (database) {
    const { PgRecordingStore } = await import('../postgres/recordings.ts');
    const { placesOf } = await import('../postgres/frames.ts');
    const places = await placesOf(database, recording);
    return new PgRecordingStore(recording, { database, rules, outbox }, places);
  }
  const { openStore } = await import('../recordings/store.ts');
  const how = { writable: record !== 'none', replaces: record !== 'none' && record !== 'new_episodes' };
  return openStore(recordings, recording, { rules, onNotice: notice, closeWithin: CLOSE_WITHIN, ...how });
}

/** The database of `--store`; undefined without that setting. @throws PatchgateError as `openDatabase` */
export async function openDatabaseOf({ store }: Config, notice: RecordingSetup['notice']) {
  if (store === undefined) return undefined;
  const { openDatabase } = await import('../postgres/database.ts');
  return openDatabase({ url: store, notice });
}

/** Keeps exchanges for the database beside the state file until it has them. @throws PatchgateError `cannot-write` */
export async function openOutbox({ config, notice }: RecordingSetup, database: Database): Promise<Outbox> {
  const { Outbox } = await import('../postgres/outbox.ts');
  const folder = join(dirname(config.state || STATE_BY_DEFAULT), 'outbox');
  const mode = config.record === 'new_episodes' ? 'append' : 'all';
  return Outbox.open({ database, folder, recording: config.recording, mode, notice });
}

/** Opens the database of `--store` for one piece of work, whose error tells if it is away. */
export async function withDatabase<T>(config: Config, work: (database?: Database) => Promise<T>): Promise<T> {
  const database = await openDatabaseOf(config, () => undefined);
  return work(database).finally(() => database?.close());
}

/** A replay; or the proxy, if a flag or the environment asks to record. A config file's `record` is for the proxy alone. */
export function replayOrRecord({ config, origins }: Resolved): { kind: 'replay' | 'proxy'; config: Config } {
  const isAsked = origins.record === 'flag' || origins.record === 'environment';
  if (!isAsked || config.record === undefined) return { kind: 'replay', config };
  // A real service is guarded, unless somebody says otherwise.
  const { guard } = origins.guard === 'default' ? COMMAND_DEFAULTS.proxy : config;
  return { kind: 'proxy', config: { ...config, guard } };
}
