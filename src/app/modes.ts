import { PatchgateError } from '../errors.ts';
import type { RequestHead } from '../http/http.ts';
import type { MatchRules } from '../recordings/match.ts';
import { redactText, redactUrl } from '../recordings/redact/redact.ts';
import type { RecordingStore } from '../recordings/store.ts';
import type { Config } from '../settings/config.ts';
import type { RecordMode } from '../settings/settings.ts';
import type { Fake } from '../upstreams/fake/fake.ts';
import type { State } from '../upstreams/fake/seed.ts';
import type { Forward } from '../upstreams/forward.ts';
import type { ReplayUpstream } from '../upstreams/replay.ts';
import { parseTarget } from '../upstreams/target.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import { openRecording, requireRecording, type Shared } from './recording.ts';

export type ServerKind = 'proxy' | 'replay' | 'fake';

/** What the program around gives. */
export interface RuntimeContext {
  /** Takes whole lines of the access log. */
  writeLog(text: string): void;
  /** It shows colours. */
  isLogColoured?: boolean;
  /** Takes one notice for people. */
  notice(text: string): void;
  env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds that a client may take for a request's head; for all of the request, five times that. Default a minute. */
  clientTimeout?: number;
  /** One of many short runs: what may load later does. */
  isBrief?: boolean;
  /** What to do if there is no target, or no recording. */
  hints?: { target: string; record: string };
  /** The records that the fake starts with, in the place of the setting. */
  seed?: State;
}

type Closable = { close(): Promise<void> | void };

/** Closes what was added, the last first, each one even if another fails. */
export class Opened implements Closable {
  readonly #all: Closable[] = [];

  add<T extends Closable>(one: T): T {
    this.#all.push(one);
    return one;
  }

  async close(): Promise<void> {
    try {
      await this.#all.pop()?.close();
    } finally {
      if (this.#all.length > 0) await this.close();
    }
  }
}

/** What all parts of one run are made with. */
export interface Setup extends RuntimeContext, Shared {
  config: Config;
  rules: MatchRules;
  opened: Opened;
  /** Of a proxy. */
  mode: RecordMode | undefined;
}

/** What answers the requests that pass. */
export interface Backend {
  upstream: Upstream;
  /** For people. */
  summary: string;
  /** To a real service, which gets what passes, and WebSockets, too. */
  forward?: Forward | undefined;
  store?: RecordingStore;
  replay?: ReplayUpstream;
  fake?: Fake;
}

/** A mode is composition: `forward`, `record(forward)`, `replay` or `replay(record(forward))`. Each loads only what it needs. */
export const MODES: Readonly<Record<ServerKind, (setup: Setup) => Promise<Backend>>> = {
  async proxy(setup) {
    const { config, rules, opened, notice, mode } = setup;
    const at = `"${config.recording}" in ${placeOf(setup)}`;
    if (mode === 'none') return MODES.replay(setup);
    if (config.target === undefined) {
      const { target: hint = 'patchgate proxy https://staging.example.com/api/v2' } = setup.hints ?? {};
      throw new PatchgateError('bad-usage', 'no target is given', { hint });
    }
    const forward = await forwardTo(setup, config.target);
    const { proxy } = forward.target;
    const to = `forwards to ${config.target}${proxy ? ` by the proxy ${proxy.origin}` : ''}`;
    if (mode === undefined) return { upstream: forward, forward, summary: to };
    const options = { rules, onNotice: notice, writable: true, replaces: mode !== 'new_episodes' };
    const store = opened.add(await openRecording(config, setup, options));
    const recorder = opened.add(await recorderOf(setup, forward, store));
    const parts = { forward, store };
    if (mode !== 'new_episodes')
      return { ...parts, upstream: recorder, summary: `${to}, records ${at} (${mode})` };
    const replay = await replayOf(setup, store, recorder);
    return { ...parts, upstream: replay, replay, summary: `${to}, replays and records ${at} (${mode})` };
  },

  async replay(setup) {
    const { config, rules, opened, notice, isBrief } = setup;
    await requireRecording(config, setup, setup.hints?.record);
    const store = opened.add(await openRecording(config, setup, { rules, onNotice: notice }));
    const at = `"${config.recording}" in ${placeOf(setup)}`;
    if (!isBrief && store.isEmpty()) notice(`the recording ${at} is empty, so every request is refused`);
    const replay = await replayOf(setup, store);
    const summary = `replays "${config.recording}" from ${placeOf(setup)} and refuses the rest`;
    return { upstream: replay, store, replay, summary };
  },

  async fake(setup) {
    const { seed: file } = setup.config;
    const { createFake } = await import('../upstreams/fake/fake.ts');
    const { loadSeed, readState, sampleState } = await import('../upstreams/fake/seed.ts');
    const given = setup.seed && readState(JSON.stringify(setup.seed), 'the seed');
    const fake = createFake(given ?? (file ? await loadSeed(file) : sampleState()));
    const from = file ?? (given ? 'records given' : 'the built-in sample');
    const summary = `stands in front of a fake of the service, seeded from ${from}`;
    return { upstream: fake, fake, summary };
  },
};

async function forwardTo({ config, opened, env }: Setup, to: string): Promise<Forward> {
  const target = parseTarget(to);
  const { openForward } = await import('../upstreams/forward.ts');
  return opened.add(await openForward(target, config, env));
}

async function replayOf({ config, rules }: Setup, store: RecordingStore, onMiss?: Upstream) {
  const { replay } = await import('../upstreams/replay.ts');
  return replay(store, { onMiss, strictSequence: config.strictSequence, rules });
}

async function recorderOf({ config, rules, notice }: Setup, forward: Forward, store: RecordingStore) {
  const { record } = await import('../upstreams/record.ts');
  const { redaction } = rules;
  const onSkipped = (reason: string, { method, url }: RequestHead) =>
    notice(`not recorded: ${method} ${redactUrl(url, redaction)}: ${redactText(reason, redaction)}`);
  return record(forward, store, { rules, only: config.recordOnly, onSkipped });
}

/** For people: `recordings/`, or the database. */
function placeOf({ config, database }: Setup): string {
  return database ? database.name : `${config.recordings}/`;
}
