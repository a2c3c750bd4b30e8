import { PatchgateError } from '../errors.ts';
import type { Gate } from '../gate/gate.ts';
import { findRecording } from '../recordings/find-recording.ts';
import { redactText, redactUrl } from '../recordings/redact/redact.ts';
import type { RecordingStore } from '../recordings/store.ts';
import type { NamedTokens } from '../server/access.ts';
import type { Env } from '../settings/named-values.ts';
import type { Fake } from '../upstreams/fake/fake.ts';
import type { State } from '../upstreams/fake/seed.ts';
import type { Forward } from '../upstreams/forward.ts';
import type { ReplayUpstream } from '../upstreams/replay.ts';
import { parseTarget } from '../upstreams/target.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import { openRecording, type RecordingSetup } from './recording.ts';

export type ServerKind = 'proxy' | 'replay' | 'fake';

/** What the program around gives. */
export interface RuntimeContext {
  /** Takes whole lines of the access log. */
  writeLog(text: string): void;
  /** It shows colours. */
  isLogColoured?: boolean;
  /** Takes one notice for people. */
  notice(text: string): void;
  env: Env;
  /** Milliseconds that a client may take for a request's head; for all of the request, five times that. Default a minute. */
  clientTimeout?: number;
  /** The records that the fake starts with, in the place of the setting. */
  seed?: State;
}

type Closable = { close(): Promise<void> | void };

/** Closes what was added, the last first, each one even if another fails. */
export class Opened implements Closable {
  readonly #all: Closable[] = [];

  add<T extends Closable | undefined>(one: T): T {
    if (one) this.#all.push(one);
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

/** What all parts of one run are made with. The settings are those in force. */
export interface Setup extends RuntimeContext, RecordingSetup {
  kind: ServerKind;
  gate: Gate;
  approvers: NamedTokens;
  opened: Opened;
}

/** What answers the requests that pass. */
export interface Backend {
  upstream: Upstream;
  /** For people: `forwards to https://…, records "checkout" in recordings/ (all)`. */
  summary: string;
  /** To a real service, which gets what passes, and WebSockets, too. */
  forward?: Forward;
  store?: RecordingStore;
  /** Tells of misses, and of what was never served. */
  replay?: ReplayUpstream | undefined;
  fake?: Fake;
}

const HOW_TO_RECORD =
  'choose another with --recording or --recordings, or record it: patchgate proxy URL --record; for exec and tests: PATCHGATE_RECORD=all PATCHGATE_TARGET=URL';

/** A mode is composition: `forward`, `record(forward)`, `replay` or `replay(record(forward))`. Each loads only what it needs. */
export const MODES: Readonly<Record<ServerKind, (setup: Setup) => Promise<Backend>>> = {
  async proxy(setup) {
    const { config, rules, opened, notice, env } = setup;
    if (config.target === undefined)
      throw new PatchgateError('bad-usage', 'no target is given', {
        hint: 'give the base URL of the service: patchgate proxy URL, --target URL or PATCHGATE_TARGET=URL',
      });
    const { openForward } = await import('../upstreams/forward.ts');
    const forward = opened.add(await openForward(parseTarget(config.target), config, env));
    const { proxy } = forward.target;
    const to = `forwards to ${config.target}${proxy ? ` by the proxy ${proxy.origin}` : ''}`;
    if (config.record === undefined) return { upstream: forward, forward, summary: to };
    const { redaction } = rules;
    const store = opened.add(await openRecording(setup));
    const { record } = await import('../upstreams/record.ts');
    const recorder = record(forward, store, {
      ...{ rules, only: config.recordOnly },
      onSkipped: (reason, { method, url }) =>
        notice(`not recorded: ${method} ${redactUrl(url, redaction)}: ${redactText(reason, redaction)}`),
    });
    opened.add(recorder);
    const replay = config.record === 'new_episodes' ? await replayOf(setup, store, recorder) : undefined;
    const does = replay ? 'replays and records' : 'records';
    const summary = `${to}, ${does} ${placeOf(setup)} (${config.record})`;
    return { upstream: replay ?? recorder, forward, store, replay, summary };
  },

  async replay(setup) {
    const { config, database, opened, notice } = setup;
    const { recordings, recording } = config;
    if (!database) await findRecording(recordings, recording, HOW_TO_RECORD);
    else await (await import('../postgres/frames.ts')).requireStored(database, recording, HOW_TO_RECORD);
    const store = opened.add(await openRecording(setup));
    const at = placeOf(setup);
    if (store.isEmpty()) notice(`the recording ${at} is empty, so every request is refused`);
    const replay = await replayOf(setup, store);
    return { upstream: replay, store, replay, summary: `replays ${at} and refuses the rest` };
  },

  async fake({ config, seed: given }) {
    const { createFake } = await import('../upstreams/fake/fake.ts');
    const { loadSeed, readState, sampleState } = await import('../upstreams/fake/seed.ts');
    const seed = config.seed ? await loadSeed(config.seed) : sampleState();
    const fake = createFake(given ? readState(JSON.stringify(given), 'the seed') : seed);
    const from = given ? 'records given' : (config.seed ?? 'the built-in sample');
    return { upstream: fake, fake, summary: `stands in front of a fake of the service, seeded from ${from}` };
  },
};

async function replayOf({ config, rules }: Setup, store: RecordingStore, onMiss?: Upstream) {
  const { replay } = await import('../upstreams/replay.ts');
  return replay(store, { onMiss, strictSequence: config.strictSequence, rules });
}

/** For people: `"checkout" in recordings/`, or in the database. */
function placeOf({ config, database }: Setup): string {
  return `"${config.recording}" in ${database ? database.name : `${config.recordings}/`}`;
}
