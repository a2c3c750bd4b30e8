import { readdir } from 'node:fs/promises';
import type { Config } from './config.ts';
import { PatchgateError } from './errors.ts';
import { recordMode } from './record-mode.ts';
import { redactUrl } from './recordings/redaction/redact.ts';
import type { RecordingStore } from './recordings/store.ts';
import type { Forward } from './upstreams/forward.ts';
import { parseTarget } from './upstreams/target.ts';
import { readTargetTls } from './upstreams/target-tls.ts';
import type { AnsweredBy, Upstream } from './upstreams/upstream.ts';

export type Kind = 'proxy' | 'replay' | 'fake';

/** Where nobody says: a real service is guarded; what only plays one has nothing to lose. */
export const GUARD_BY_DEFAULT: Readonly<Record<Kind, 'on' | 'off'>> = {
  proxy: 'on',
  replay: 'off',
  fake: 'off',
};

export interface Surroundings {
  /** Takes whole lines of the access log. */
  writeLog(text: string): void;
  /** Takes one notice for people. */
  notice(text: string): void;
  env: Readonly<Record<string, string | undefined>>;
}

/** What answers the requests that pass, with all that must be closed or reset with it. */
export interface Composed {
  upstream: Upstream;
  /** For people. */
  summary: string;
  /** Where WebSockets go; undefined where nothing is forwarded. */
  forward?: Forward;
  store?: RecordingStore;
  resets: (() => void)[];
  close(): Promise<void>;
}

/** Modes are composition: each is one expression of forward, record and replay. Only what is needed is loaded. */
export async function composeUpstream(kind: Kind, config: Config, around: Surroundings): Promise<Composed> {
  if (kind === 'fake') return composeFake(config, around);
  return kind === 'replay' ? composeReplay(config, around) : composeProxy(config, around);
}

async function composeProxy(config: Config, around: Surroundings): Promise<Composed> {
  const { mode, notice } = recordMode(config, around.env);
  if (notice) around.notice(notice);
  const forward = await openForward(config, around);
  if (mode === undefined) {
    return {
      upstream: forward,
      forward,
      summary: `forwards to ${config.target}`,
      resets: [],
      close: () => forward.close(),
    };
  }
  const store =
    mode === 'none' ? await openWholeRecording(config, around) : await openRecording(config, true);
  const replays = mode === 'none' || mode === 'new_episodes' || (mode === 'once' && !(await store.isEmpty()));
  const recorder = mode === 'none' ? undefined : await openRecorder(forward, store, mode === 'all', around);
  if (!replays && recorder) {
    return {
      upstream: recorder,
      forward,
      store,
      summary: summaryOf(config, 'records', mode),
      resets: [],
      close: closing(recorder, store),
    };
  }
  const { replay } = await import('./upstreams/replay.ts');
  const upstream = replay(store, mode === 'new_episodes' && recorder ? { onMiss: recorder } : {});
  const summary = summaryOf(config, mode === 'new_episodes' ? 'replays and records' : 'replays', mode);
  const close = async () => {
    await closing(upstream, store)();
    await forward.close();
  };
  return { upstream, forward, store, summary, resets: [() => upstream.reset()], close };
}

async function composeReplay(config: Config, around: Surroundings): Promise<Composed> {
  const { onMiss } = config;
  if (onMiss !== 'refuse' && config.target === undefined) {
    throw new PatchgateError('bad-usage', `--on-miss ${onMiss} needs a target`, {
      hint: 'give it with --target URL',
    });
  }
  const forward = onMiss === 'refuse' ? undefined : await openForward(config, around);
  const store = await (onMiss === 'refuse'
    ? openWholeRecording(config, around)
    : openRecording(config, onMiss === 'record'));
  const { replay } = await import('./upstreams/replay.ts');
  const other =
    forward && (onMiss === 'record' ? await openRecorder(forward, store, false, around) : forward);
  const upstream = replay(store, other ? { onMiss: other } : {});
  const missing = {
    refuse: 'refuses the rest',
    forward: `forwards the rest to ${config.target}`,
    record: `records the rest from ${config.target}`,
  };
  return {
    upstream,
    ...(forward && { forward }),
    store,
    summary: `replays "${config.recording}" from ${config.recordings}/ and ${missing[onMiss]}`,
    resets: [() => upstream.reset()],
    close: closing(upstream, store),
  };
}

async function composeFake(config: Config, around: Surroundings): Promise<Composed> {
  const { startFake } = await import('./upstreams/fake/start-fake.ts');
  const { loadSeed } = await import('./upstreams/fake/load-seed.ts');
  const { seed, envelope, latency } = config;
  const fake = await startFake({
    ...(seed !== undefined && { seed: await loadSeed(seed) }),
    envelope,
    latency,
    host: '127.0.0.1',
  });
  const toFake = { ...config, target: fake.url, targetCa: undefined, targetInsecure: false };
  const forward = await openForward(toFake, around, 'fake');
  return {
    upstream: forward,
    forward,
    summary: `stands in front of a fake of the service, seeded from ${seed ?? 'the built-in sample'}`,
    resets: [() => fake.reset()],
    async close() {
      await forward.close();
      await fake.close();
    },
  };
}

async function openForward(
  config: Config,
  around: Surroundings,
  answeredBy: AnsweredBy = 'target',
): Promise<Forward> {
  if (config.target === undefined) {
    throw new PatchgateError('bad-usage', 'no target is given', {
      hint: 'patchgate proxy https://staging.example.com/api/v2',
    });
  }
  const target = parseTarget(config.target);
  const { timeout, preserveHost, forwardedHeaders } = config;
  const tls = await readTargetTls(target, config);
  if (!tls.rejectUnauthorized)
    around.notice(
      `the certificate of ${target.origin} is not verified (--target-insecure): anybody in between can read and change all`,
    );
  const { forward } = await import('./upstreams/forward.ts');
  return forward({ target, tls, answeredBy, timeout, preserveHost, forwardedHeaders });
}

async function openRecording(config: Config, writable: boolean): Promise<RecordingStore> {
  const { openStore } = await import('./recordings/lowdb-store.ts');
  return openStore(config.recordings, config.recording, { writable });
}

/** A recording that must answer everything: one that is not there may be a misspelt name. */
async function openWholeRecording(config: Config, around: Surroundings): Promise<RecordingStore> {
  const store = await openRecording(config, false);
  if (await store.isEmpty()) {
    const { recording, recordings } = config;
    const names = await readdir(recordings).catch(() => []);
    const others = names.length > 0 ? ` (there are: ${names.sort().join(', ')})` : '';
    around.notice(
      `the recording "${recording}" in ${recordings}/ is empty, so every request is refused${others}`,
    );
  }
  return store;
}

async function openRecorder(
  forward: Forward,
  store: RecordingStore,
  replace: boolean,
  around: Surroundings,
): Promise<Upstream> {
  const { record } = await import('./upstreams/record.ts');
  return record(forward, store, {
    replace,
    onSkipped: (reason, { method, url }) =>
      around.notice(`not recorded: ${method} ${redactUrl(url)}: ${reason}`),
  });
}

function summaryOf(config: Config, does: string, mode: string): string {
  const target = does === 'replays' ? '' : `forwards to ${config.target}, `;
  return `${target}${does} "${config.recording}" in ${config.recordings}/ (${mode})`;
}

/** Whatever fails to close, the rest is closed. */
function closing(upstream: Upstream, store: RecordingStore): () => Promise<void> {
  return async () => {
    try {
      await upstream.close();
    } finally {
      await store.close();
    }
  };
}
