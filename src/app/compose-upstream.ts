import { join } from 'node:path';
import { PatchgateError } from '../errors.ts';
import type { RequestHead } from '../http/http.ts';
import { readTargetTls } from '../http/tls.ts';
import { findRecording } from '../recordings/find-recording.ts';
import type { MatchRules } from '../recordings/matching/match-rules.ts';
import { redactText, redactUrl } from '../recordings/redaction/redact.ts';
import type { RecordingStore } from '../recordings/store/recording-store.ts';
import type { Config } from '../settings/config.ts';
import type { State } from '../state/state-file.ts';
import type { Fake } from '../upstreams/fake/start-fake.ts';
import type { Forward } from '../upstreams/forward.ts';
import type { ReplayUpstream } from '../upstreams/replay.ts';
import type { SessionKeeper } from '../upstreams/session.ts';
import { parseTarget } from '../upstreams/target.ts';
import type { AnsweredBy, Upstream } from '../upstreams/upstream.ts';
import {
  closing,
  openByMode,
  openRecording,
  openWholeRecording,
  orClose,
  recordMode,
} from './open-recording.ts';

export type Kind = 'proxy' | 'replay' | 'fake';

export interface RuntimeContext {
  /** Takes whole lines of the access log. */
  writeLog(text: string): void;
  /** It shows colours. */
  isLogColoured?: boolean;
  /** Takes one notice for people. */
  notice(text: string): void;
  env: Readonly<Record<string, string | undefined>>;
  /** It is one of many short runs, whose recording is known to be there: a schema of the built-in contract is compiled when it is
   *  first needed. */
  isBrief?: boolean;
  /** The records that the fake starts with, in the place of the setting. */
  seed?: State;
}

/** What answers the requests that pass, with all that must be closed with it. */
export interface Composed {
  upstream: Upstream;
  /** For people. */
  summary: string;
  /** Where WebSockets go; undefined where nothing is forwarded. */
  forward?: Forward;
  store?: RecordingStore;
  /** What keeps something for each session; undefined where they are but names. */
  sessions?: SessionKeeper;
  /** Where a recording is replayed. */
  replay?: ReplayUpstream;
  /** Who is the service here, where it is not the target: the fake, or a recording that has every answer or most. */
  fake?: Fake;
  played?: RecordingStore;
  /** How many exchanges were recorded by now; absent where none can be. */
  recorded?: () => number;
  /** @param hasFailed whether the run may have ended before it asked for all */
  close(hasFailed?: boolean): Promise<void>;
}

/**
 * Modes are composition: each is one expression of forward, record and replay. Only what is needed is loaded.
 *
 * @param rules those of the config: made once for all that uses them
 */
export async function composeUpstream(
  kind: Kind,
  config: Config,
  rules: MatchRules,
  context: RuntimeContext,
): Promise<Composed> {
  if (kind === 'fake') return composeFake(config, context);
  return kind === 'replay' ? composeReplay(config, rules, context) : composeProxy(config, rules, context);
}

async function composeProxy(config: Config, rules: MatchRules, context: RuntimeContext): Promise<Composed> {
  const { mode, notice } = recordMode(config, context.env);
  if (notice) context.notice(notice);
  const forward = await openForward(config, context);
  if (mode === undefined) {
    return {
      upstream: forward,
      forward,
      summary: `forwards to ${config.target}`,
      close: () => forward.close(),
    };
  }
  let count = 0;
  const recorded = () => count;
  const { store, records } = await openByMode(mode, config, rules, context.notice, (more) => {
    count += more;
  });
  const recorder = records
    ? await orClose(store, () => openRecorder(forward, store, config, rules, context))
    : undefined;
  if (recorder && mode !== 'new_episodes') {
    return {
      upstream: recorder,
      forward,
      store,
      summary: summaryOf(config, 'records', mode),
      recorded,
      close: closing(recorder, store),
    };
  }
  const upstream = await orClose(store, () => openReplay(config, rules, context, store, recorder));
  const summary = summaryOf(config, mode === 'new_episodes' ? 'replays and records' : 'replays', mode);
  const close = async (hasFailed?: boolean) => {
    await closing(upstream, store)();
    await leaveRunOf(config, upstream, hasFailed);
    await forward.close();
  };
  const more = recorder ? { recorded } : { played: store };
  return { upstream, forward, store, summary, sessions: upstream, replay: upstream, ...more, close };
}

async function composeReplay(config: Config, rules: MatchRules, context: RuntimeContext): Promise<Composed> {
  const { onMiss } = config;
  if (onMiss !== 'refuse' && config.target === undefined) {
    throw new PatchgateError('bad-usage', `--on-miss ${onMiss} needs a target`, {
      hint: 'give it with --target URL',
    });
  }
  if (onMiss === 'forward') await findRecording(config.recordings, config.recording);
  const forward = onMiss === 'refuse' ? undefined : await openForward(config, context);
  let count = 0;
  const onKept = (more: number) => {
    count += more;
  };
  const store = await (onMiss === 'refuse' && !context.isBrief
    ? openWholeRecording(config, rules, context.notice)
    : openRecording(config, rules, context.notice, { writable: onMiss === 'record', onKept }));
  const upstream = await orClose(store, async () => {
    const other =
      forward && (onMiss === 'record' ? await openRecorder(forward, store, config, rules, context) : forward);
    return openReplay(config, rules, context, store, other);
  });
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
    sessions: upstream,
    replay: upstream,
    played: store,
    ...(onMiss === 'record' && { recorded: () => count }),
    async close(hasFailed) {
      await closing(upstream, store)();
      await leaveRunOf(config, upstream, hasFailed);
    },
  };
}

async function composeFake(config: Config, context: RuntimeContext): Promise<Composed> {
  const { startFake } = await import('../upstreams/fake/start-fake.ts');
  const { loadSeed } = await import('../upstreams/fake/load-seed.ts');
  const { envelope } = config;
  const seed = context.seed ?? config.seed;
  const fake = await startFake({
    ...(seed !== undefined && { seed: await loadSeed(seed) }),
    envelope,
    host: '127.0.0.1',
  });
  const toFake = { ...config, target: fake.url, targetCa: undefined, targetInsecure: false };
  const forward = await openForward(toFake, context, 'fake');
  return {
    upstream: forward,
    forward,
    summary: `stands in front of a fake of the service, seeded from ${config.seed ?? (seed ? 'records given' : 'the built-in sample')}`,
    sessions: fake,
    fake,
    async close() {
      await forward.close();
      await fake.close();
    },
  };
}

async function openForward(
  config: Config,
  context: RuntimeContext,
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
    context.notice(
      `the certificate of ${target.origin} is not verified (--target-insecure): anybody in between can read and change all`,
    );
  const { forward } = await import('../upstreams/forward.ts');
  return forward({ target, tls, answeredBy, timeout, preserveHost, forwardedHeaders });
}

async function openReplay(
  config: Config,
  rules: MatchRules,
  context: RuntimeContext,
  store: RecordingStore,
  onMiss: Upstream | undefined,
): Promise<ReplayUpstream> {
  const { strictSequence, replayFailures, maxAge, onStale } = config;
  const { replay } = await import('../upstreams/replay.ts');
  return replay(store, {
    ...(onMiss && { onMiss }),
    ...{ strictSequence, replayFailures, maxAge, onStale },
    rules,
    notice: context.notice,
  });
}

/** For `recordings list` and `recordings remove --unused`, to which a run that asked for nothing says nothing. */
async function leaveRunOf(config: Config, replay: ReplayUpstream, hasFailed = false): Promise<void> {
  const run = replay.run();
  if (run.served.length === 0 && !hasFailed) return;
  const { leaveRun } = await import('../recordings/runs.ts');
  await leaveRun(join(config.recordings, config.recording), { ...run, ...(hasFailed && { failed: true }) });
}

async function openRecorder(
  forward: Forward,
  store: RecordingStore,
  config: Config,
  rules: MatchRules,
  context: RuntimeContext,
): Promise<Upstream> {
  const { record } = await import('../upstreams/record.ts');
  const { redaction } = rules;
  const shown = ({ method, url }: RequestHead) => `${method} ${redactUrl(url, redaction)}`;
  return record(forward, store, {
    rules,
    bodyLimit: config.recordLimit,
    onSkipped: (reason, request) =>
      context.notice(`not recorded: ${shown(request)}: ${redactText(reason, redaction)}`),
    onOmitted: (reason, request) => context.notice(`recorded in part: ${shown(request)}: ${reason}`),
    onCoded: (reason, request) => context.notice(`recorded as it came: ${shown(request)}: ${reason}`),
    onDetected: context.notice,
  });
}

function summaryOf(config: Config, does: string, mode: string): string {
  const target = does === 'replays' ? '' : `forwards to ${config.target}, `;
  return `${target}${does} "${config.recording}" in ${config.recordings}/ (${mode})`;
}
