import type { Config } from './config.ts';
import { findRecording } from './recordings/find-recording.ts';
import type { LockWords } from './recordings/lock.ts';
import { type MatchRules, matchRules } from './recordings/matching/match-rules.ts';
import { redactionOf } from './recordings/redaction/redaction.ts';
import type { RecordingStore } from './recordings/store.ts';
import type { RecordMode } from './settings.ts';
import type { Upstream } from './upstreams/upstream.ts';

/** Takes one notice for people. */
type Notice = (text: string) => void;

/** @throws PatchgateError as `openStore` does */
export async function openRecording(
  config: Config,
  rules: MatchRules,
  notice: Notice,
  writable: boolean,
  lockWords?: LockWords,
): Promise<RecordingStore> {
  const { recordings, recording, refreshMeta, durability } = config;
  const { openStore } = await import('./recordings/open-store.ts');
  return openStore(recordings, recording, {
    ...{ writable, refreshMeta, durability },
    ...(lockWords && { lockWords }),
    rules,
    cacheBytes: cacheBytesOf(config),
    onNotice: notice,
  });
}

/** Of the memory, what the recording's files have of it; the answers that are replayed again and again have the rest. */
export function cacheBytesOf({ memory }: Config): number {
  return memory / 8;
}

/** Which requests are the same: to what records, to what replays, and to the files between them. */
export function rulesOf(config: Config): MatchRules {
  return matchRules(config, redactionOf(config));
}

/** A recording that must answer everything. @throws PatchgateError `bad-usage` where it is not there */
export async function openWholeRecording(
  config: Config,
  rules: MatchRules,
  notice: Notice,
): Promise<RecordingStore> {
  const { recording, recordings } = config;
  await findRecording(recordings, recording);
  const store = await openRecording(config, rules, notice, false);
  if (await store.isEmpty())
    notice(`the recording "${recording}" in ${recordings}/ is empty, so every request is refused`);
  return store;
}

/** Whether there is anything in the recording. */
export async function isRecorded(config: Config): Promise<boolean> {
  const store = await openRecording(config, rulesOf(config), () => undefined, false);
  try {
    return !(await store.isEmpty());
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
): Promise<{ store: RecordingStore; records: boolean }> {
  if (mode === 'none') return { store: await openWholeRecording(config, rules, notice), records: false };
  if (mode === 'once') {
    const store = await openRecording(config, rules, notice, false);
    if (!(await orClose(store, () => store.isEmpty()))) return { store, records: false };
    await store.close();
  }
  return { store: await openRecording(config, rules, notice, true), records: true };
}

/** Whatever fails to close, the rest is closed. */
export function closing(upstream: Upstream, store: RecordingStore): () => Promise<void> {
  return async () => {
    try {
      await upstream.close();
    } finally {
      await store.close();
    }
  };
}

/** A start that fails leaves nothing open. */
export async function orClose<T>(opened: { close(): Promise<void> }, start: () => Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (error) {
    await opened.close();
    throw error;
  }
}
