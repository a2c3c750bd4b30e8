import { dirname, join } from 'node:path';
import { PatchgateError } from '../errors.ts';
import type { Gate } from '../gate/gate.ts';
import type { Database } from '../postgres/database.ts';
import type { Outbox } from '../postgres/outbox.ts';
import { findRecording } from '../recordings/files.ts';
import { type MatchRules, matchRules } from '../recordings/match.ts';
import { redactText, redactUrl } from '../recordings/redact/redact.ts';
import { hidingSecrets, redactionOf } from '../recordings/redact/redaction.ts';
import { openStore, type RecordingStore } from '../recordings/store.ts';
import type { NamedTokens } from '../server/access.ts';
import type { Config, Resolved } from '../settings/config.ts';
import type { Env } from '../settings/named-values.ts';
import { COMMAND_DEFAULTS, type RecordMode, STATE_BY_DEFAULT } from '../settings/settings.ts';
import type { Fake } from '../upstreams/fake/fake.ts';
import type { State } from '../upstreams/fake/seed.ts';
import type { Forward } from '../upstreams/forward.ts';
import { type RecordOptions, record } from '../upstreams/record.ts';
import { type ReplayUpstream, replay } from '../upstreams/replay.ts';
import { parseTarget } from '../upstreams/target.ts';
import type { Upstream } from '../upstreams/upstream.ts';

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
export interface Setup extends RuntimeContext {
  kind: ServerKind;
  config: Config;
  rules: MatchRules;
  gate: Gate;
  approvers: NamedTokens;
  /** What `--store` stands for. */
  database: Database | undefined;
  opened: Opened;
}

/** What recordings are opened with. */
type RecordingSetup = Pick<Setup, 'config' | 'rules' | 'notice' | 'database'>;

/** What answers the requests that pass. */
export interface Backend {
  upstream: Upstream;
  /** For people: `forwards to https://…, records "checkout" in recordings/ (all)`. */
  summary: string;
  /** To a real service, which gets what passes, and WebSockets, too. */
  forward?: Forward;
  /** What goes into the database waits there. */
  outbox?: Outbox | undefined;
  store?: RecordingStore;
  /** Tells of misses, and of what was never served. */
  replay?: ReplayUpstream | undefined;
  fake?: Fake;
  /** Exchanges that were to be recorded, and are not. */
  unrecorded?: { count: number };
}

/** A mode is composition: `forward`, `record(forward)`, `replay` or `replay(record(forward))`. Target, fake and database are loaded if needed. */
export const MODES: Readonly<Record<ServerKind, (setup: Setup) => Promise<Backend>>> = {
  async proxy(setup) {
    const { config, rules, database, opened, notice, env } = setup;
    if (config.target === undefined)
      throw new PatchgateError('bad-usage', 'no target is given', {
        hint: 'give the base URL of the service: patchgate proxy URL, --target URL or PATCHGATE_TARGET=URL',
      });
    const { openForward } = await import('../upstreams/forward.ts');
    const forward = opened.add(await openForward(parseTarget(config.target), config, env));
    const { proxy } = forward.target;
    const to = `forwards to ${config.target}${proxy ? ` by the proxy ${proxy.origin}` : ''}`;
    const outbox = database && opened.add(await openOutbox(setup, database));
    if (config.record === undefined) return { upstream: forward, forward, outbox, summary: to };
    const store = opened.add(await openRecording(setup, outbox));
    const { redaction } = rules;
    const unrecorded = { count: 0 };
    const onSkipped: RecordOptions['onSkipped'] = (reason, { method, url }, isLeft) => {
      if (!isLeft) unrecorded.count++;
      notice(`not recorded: ${method} ${redactUrl(url, redaction)}: ${redactText(reason, redaction)}`);
    };
    const recorder = opened.add(record(forward, store, { rules, only: config.recordOnly, onSkipped }));
    const replaying = { ...config, rules, onMiss: recorder };
    const replays = config.record === 'new_episodes' ? replay(store, replaying) : undefined;
    const summary = `${to}, ${replays ? 'replays and records' : 'records'} ${placeOf(setup)} (${config.record})`;
    return { upstream: replays ?? recorder, forward, outbox, store, replay: replays, unrecorded, summary };
  },

  async replay(setup) {
    const { config, rules, database, opened, notice } = setup;
    const { recordings, recording } = config;
    if (!database) await findRecording(recordings, recording);
    else await (await import('../postgres/frames.ts')).requireStored(database, recording);
    const store = opened.add(await openRecording(setup));
    if (store.isEmpty()) notice(`the recording ${placeOf(setup)} is empty, so every request is refused`);
    const upstream = replay(store, { ...config, rules });
    return { upstream, store, replay: upstream, summary: `replays ${placeOf(setup)} and refuses the rest` };
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

/** For people: `"checkout" in recordings/`, or in the database. */
function placeOf({ config, database }: Setup): string {
  return `"${config.recording}" in ${database ? database.name : `${config.recordings}/`}`;
}

/**
 * The record mode of a proxy that is in force: `none` if a recording answers all. A CI machine records nothing by accident, so that a
 * test which misses its recording fails there.
 */
export async function recordMode(setup: RecordingSetup, env: Env): Promise<RecordMode | undefined> {
  const { record } = setup.config;
  if (record !== 'once' && record !== 'new_episodes') return record;
  if (isOnCi(env)) {
    setup.notice(`CI is set: --record ${record} replays only, as none does`);
    return 'none';
  }
  if (record === 'new_episodes') return record;
  // Only one that is written to must be closed.
  const store = await openRecording({ ...setup, config: { ...setup.config, record: 'none' } });
  return store.isEmpty() ? record : 'none';
}

/** Most say `true`; AppVeyor says `True`, Woodpecker its name. */
export const isOnCi = ({ CI = '' }: Env) => !/^(?:|0|false)$/i.test(CI);

/** Which requests are the same, and which texts are secret. @param secrets texts that are hidden wherever they stand */
export function rulesOf(config: Config, secrets: readonly string[] = []): MatchRules {
  return matchRules(config, hidingSecrets(redactionOf(config), secrets));
}

/** Milliseconds: what stops a server kills it after ten seconds. */
const CLOSE_WITHIN = 8000;

const mergeMode = ({ record }: Config) => (record === 'new_episodes' ? 'append' : 'all');

/** It can be written to if the record mode says so. @throws PatchgateError as `openStore`; `store-unavailable` */
async function openRecording(setup: RecordingSetup, outbox?: Outbox): Promise<RecordingStore> {
  const { config, rules, notice, database } = setup;
  const { recordings, recording, record = 'none' } = config;
  if (database) {
    const { PgRecordingStore } = await import('../postgres/recordings.ts');
    const { placesOf } = await import('../postgres/frames.ts');
    return new PgRecordingStore(recording, { database, rules, outbox }, await placesOf(database, recording));
  }
  const mode = record === 'none' ? undefined : mergeMode(config);
  return openStore(recordings, recording, { rules, mode, onNotice: notice, closeWithin: CLOSE_WITHIN });
}

/** The database of `--store`; undefined without that setting. @throws PatchgateError as `openDatabase` */
export async function openDatabaseOf({ store }: Config, notice: RecordingSetup['notice']) {
  if (store === undefined) return undefined;
  const { openDatabase } = await import('../postgres/database.ts');
  return openDatabase({ url: store, notice });
}

/** Keeps exchanges for the database beside the state file until it has them. @throws PatchgateError `cannot-write` */
async function openOutbox({ config, notice }: RecordingSetup, database: Database): Promise<Outbox> {
  const { Outbox } = await import('../postgres/outbox.ts');
  const folder = join(dirname(config.state || STATE_BY_DEFAULT), 'outbox');
  return Outbox.open({ database, folder, recording: config.recording, mode: mergeMode(config), notice });
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
