import { PatchgateError } from '../errors.ts';
import type { RequestHead } from '../http/http.ts';
import type { MatchRules } from '../recordings/match-rules.ts';
import { redactText, redactUrl } from '../recordings/redact/redact.ts';
import type { RecordingStore } from '../recordings/store.ts';
import type { Config } from '../settings/config.ts';
import type { State } from '../upstreams/fake/seed.ts';
import type { Fake } from '../upstreams/fake/start-fake.ts';
import type { Forward } from '../upstreams/forward.ts';
import type { ReplayUpstream } from '../upstreams/replay.ts';
import { parseTarget } from '../upstreams/target.ts';
import type { AnsweredBy, Upstream } from '../upstreams/upstream.ts';
import { closing, orClose } from './closing.ts';
import type { Shared } from './open-database.ts';
import { openByMode, openRecording, openWholeRecording, placeOf, recordMode } from './open-recording.ts';

export type ServerKind = 'proxy' | 'replay' | 'fake';

export interface RuntimeContext extends Shared {
  /** Takes whole lines of the access log. */
  writeLog(text: string): void;
  /** It shows colours. */
  isLogColoured?: boolean;
  /** Takes one notice for people. */
  notice(text: string): void;
  env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds that a client may take for its request, in the place of a minute. */
  clientTimeout?: number;
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
  forward?: Forward | undefined;
  store?: RecordingStore | undefined;
  /** Where a recording is replayed. */
  replay?: ReplayUpstream | undefined;
  /** What stands for the service, where that is not the target: the fake, or a recording that has every answer or most. */
  fake?: Fake | undefined;
  played?: RecordingStore | undefined;
  /** How many exchanges were recorded by now; absent where none can be. */
  recorded?: (() => number) | undefined;
  close(): Promise<void>;
}

/** What all parts of one composition are made with. */
interface Setup extends RuntimeContext {
  config: Config;
  rules: MatchRules;
}

/**
 * Modes are composition: each is one expression of forward, record and replay. Only what is needed is loaded.
 *
 * @param rules those of the config: made once for all that uses them
 */
export async function composeUpstream(
  kind: ServerKind,
  config: Config,
  rules: MatchRules,
  context: RuntimeContext,
): Promise<Composed> {
  const setup = { ...context, config, rules };
  if (kind === 'fake') return composeFake(setup);
  return kind === 'replay' ? composeReplay(setup) : composeProxy(setup);
}

async function composeProxy(setup: Setup): Promise<Composed> {
  const { config, rules, env } = setup;
  const { mode, notice } = recordMode(config, env);
  if (notice) setup.notice(notice);
  const forward = await forwardOf(setup);
  const to = `forwards to ${config.target}${byProxy(forward)}`;
  if (mode === undefined) return { upstream: forward, forward, summary: to, close: () => forward.close() };
  const count = counter();
  const { store, records } = await openByMode(mode, config, rules, setup.notice, count.add, setup);
  return orClose(store, async () => {
    const recorder = records ? await openRecorder(setup, forward, store) : undefined;
    const recorded = recorder && count.read;
    const at = `"${config.recording}" in ${placeOf(config, setup)} (${mode})`;
    if (recorder && mode !== 'new_episodes') {
      const close = () => closing(recorder, store);
      return { upstream: recorder, forward, store, summary: `${to}, records ${at}`, recorded, close };
    }
    const replay = await openReplay(setup, store, recorder);
    return {
      ...{ upstream: replay, forward, store, replay, recorded },
      played: recorder ? undefined : store,
      summary: recorder ? `${to}, replays and records ${at}` : `replays ${at}`,
      close: () => closing(replay, store, forward),
    };
  });
}

function byProxy(forward: Forward | undefined): string {
  const proxy = forward?.target.proxy;
  return proxy ? ` by the proxy ${proxy.origin}` : '';
}

async function composeReplay(setup: Setup): Promise<Composed> {
  const { config, rules, notice, isBrief } = setup;
  const store = await (isBrief
    ? openRecording(config, rules, notice, setup)
    : openWholeRecording(config, rules, notice, setup));
  const replay = await orClose(store, () => openReplay(setup, store, undefined));
  return {
    ...{ upstream: replay, store, replay, played: store },
    summary: `replays "${config.recording}" from ${placeOf(config, setup)} and refuses the rest`,
    close: () => closing(replay, store),
  };
}

/** Of a target in this process. */
export const NO_TARGET_SETTINGS = {
  targetCa: undefined,
  targetCert: undefined,
  targetKey: undefined,
  targetInsecure: false,
  setHeader: [],
};

async function composeFake(setup: Setup): Promise<Composed> {
  const { config } = setup;
  const { startFake } = await import('../upstreams/fake/start-fake.ts');
  const seed = setup.seed ?? config.seed;
  const fake = await startFake({ seed });
  const toFake = { ...config, target: fake.url, ...NO_TARGET_SETTINGS };
  const forward = await forwardOf({ ...setup, config: toFake }, 'fake');
  return {
    upstream: forward,
    forward,
    summary: `stands in front of a fake of the service, seeded from ${config.seed ?? (seed ? 'records given' : 'the built-in sample')}`,
    fake,
    async close() {
      await forward.close();
      await fake.close();
    },
  };
}

function counter() {
  let count = 0;
  return {
    add(more: number) {
      count += more;
    },
    read: () => count,
  };
}

async function forwardOf(
  { config, notice, env }: Setup,
  answeredBy: AnsweredBy = 'target',
): Promise<Forward> {
  if (config.target === undefined) {
    throw new PatchgateError('bad-usage', 'no target is given', {
      hint: 'patchgate proxy https://staging.example.com/api/v2',
    });
  }
  const target = parseTarget(config.target);
  const { openForward } = await import('../upstreams/forward.ts');
  const forward = await openForward(target, { ...config, answeredBy }, env);
  if (forward.isInsecure)
    notice(
      `the certificate of ${target.origin} is not verified (--target-insecure): anybody in between can read and change all`,
    );
  return forward;
}

async function openReplay(
  { config, rules }: Setup,
  store: RecordingStore,
  onMiss: Upstream | undefined,
): Promise<ReplayUpstream> {
  const { replay } = await import('../upstreams/replay.ts');
  return replay(store, { onMiss, strictSequence: config.strictSequence, rules });
}

async function openRecorder(
  { config, rules, notice }: Setup,
  forward: Forward,
  store: RecordingStore,
): Promise<Upstream> {
  const { record } = await import('../upstreams/record.ts');
  const { redaction } = rules;
  const shown = ({ method, url }: RequestHead) => `${method} ${redactUrl(url, redaction)}`;
  return record(forward, store, {
    rules,
    only: config.recordOnly,
    onSkipped: (reason, request) =>
      notice(`not recorded: ${shown(request)}: ${redactText(reason, redaction)}`),
    onOmitted: (reason, request) => notice(`recorded in part: ${shown(request)}: ${reason}`),
  });
}
