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
import type { Upstream } from '../upstreams/upstream.ts';
import type { Opened } from './closing.ts';
import type { Shared } from './open-recording.ts';
import { isRecorded, openRecording, recordMode, requireRecording } from './open-recording.ts';

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
  /** Milliseconds that a client may take for its request, in the place of a minute. */
  clientTimeout?: number;
  /** One of many short runs, whose recording is known to be there: what may load later does. */
  isBrief?: boolean;
  /** The records that the fake starts with, in the place of the setting. */
  seed?: State;
}

/** What all parts of one run are made with. */
export interface Setup extends RuntimeContext, Shared {
  config: Config;
  rules: MatchRules;
  opened: Opened;
  /** The operation that a request means. */
  operationOf(head: RequestHead): string | undefined;
}

/** What answers the requests that pass. */
export interface Backend {
  upstream: Upstream;
  /** For people. */
  summary: string;
  /** Where WebSockets go; undefined where nothing is forwarded. */
  forward?: Forward | undefined;
  store?: RecordingStore | undefined;
  /** Where a recording is replayed. */
  replay?: ReplayUpstream | undefined;
  fake?: Fake | undefined;
  /** A real service gets what passes: no fake, and no recording that has every answer. */
  isReal: boolean;
  /** How many exchanges were recorded by now; absent where none can be. */
  recorded?: (() => number) | undefined;
}

/** Of a target in this process. */
const NO_TARGET_SETTINGS = {
  ...{ targetCa: undefined, targetCert: undefined, targetKey: undefined },
  setHeader: [],
};

/** `forward`, `record(forward, store)`, `replay(store)` or `replay(store, onMiss: record(forward, store))`. */
async function proxy(setup: Setup): Promise<Backend> {
  const { config, rules, opened, notice } = setup;
  const { mode, notice: why } = recordMode(config, setup.env);
  if (why) notice(why);
  const forward = await forwardTo(setup, config.target);
  const { proxy } = forward.target;
  const to = `forwards to ${config.target}${proxy ? ` by the proxy ${proxy.origin}` : ''}`;
  if (mode === undefined) return { upstream: forward, forward, isReal: true, summary: to };
  const at = `"${config.recording}" in ${placeOf(setup)} (${mode})`;
  if (mode === 'none' || (mode === 'once' && (await isRecorded(config, setup))))
    return { ...(await replay(setup)), forward, summary: `replays ${at}` };
  let count = 0;
  const onKept = (more: number) => {
    count += more;
  };
  const options = { rules, onNotice: notice, writable: true, replaces: mode !== 'new_episodes', onKept };
  const store = opened.add(await openRecording(config, setup, options));
  const recorder = opened.add(await recorderOf(setup, forward, store));
  const parts = { forward, store, isReal: true, recorded: () => count };
  if (mode !== 'new_episodes') return { ...parts, upstream: recorder, summary: `${to}, records ${at}` };
  const replayed = await replayOf(setup, store, recorder);
  return { ...parts, upstream: replayed, replay: replayed, summary: `${to}, replays and records ${at}` };
}

async function replay(setup: Setup): Promise<Backend> {
  const { config, rules, opened, notice } = setup;
  if (!setup.isBrief) await requireRecording(config, setup);
  const store = opened.add(await openRecording(config, setup, { rules, onNotice: notice }));
  const of = `"${config.recording}"`;
  if (store.isEmpty() && !setup.isBrief)
    notice(`the recording ${of} in ${placeOf(setup)} is empty, so every request is refused`);
  const upstream = await replayOf(setup, store);
  const summary = `replays ${of} from ${placeOf(setup)} and refuses the rest`;
  return { upstream, store, replay: upstream, isReal: false, summary };
}

async function fake(setup: Setup): Promise<Backend> {
  const { config, opened } = setup;
  const { startFake } = await import('../upstreams/fake/start-fake.ts');
  const seed = setup.seed ?? config.seed;
  const started = opened.add(await startFake({ seed }));
  const toFake = { ...setup, config: { ...config, ...NO_TARGET_SETTINGS } };
  const forward = await forwardTo(toFake, started.url, 'fake');
  const from = config.seed ?? (seed ? 'records given' : 'the built-in sample');
  const summary = `stands in front of a fake of the service, seeded from ${from}`;
  return { upstream: forward, forward, fake: started, isReal: false, summary };
}

/** A mode is composition. Only what is needed is loaded. */
export const MODES: Readonly<Record<ServerKind, (setup: Setup) => Promise<Backend>>> = {
  proxy,
  replay,
  fake,
};

async function forwardTo(
  { config, opened, env }: Setup,
  to: string | undefined,
  answeredBy: 'target' | 'fake' = 'target',
): Promise<Forward> {
  if (to === undefined) {
    const hint = 'patchgate proxy https://staging.example.com/api/v2';
    throw new PatchgateError('bad-usage', 'no target is given', { hint });
  }
  const target = parseTarget(to);
  const { openForward } = await import('../upstreams/forward.ts');
  return opened.add(await openForward(target, { ...config, answeredBy }, env));
}

async function replayOf({ config, rules, operationOf }: Setup, store: RecordingStore, onMiss?: Upstream) {
  const { replay } = await import('../upstreams/replay.ts');
  const { echoing } = await import('../upstreams/replay/echo.ts');
  const echo = echoing(config.echo, operationOf);
  return replay(store, { onMiss, strictSequence: config.strictSequence, rules, echo });
}

async function recorderOf({ config, rules, notice }: Setup, forward: Forward, store: RecordingStore) {
  const { record } = await import('../upstreams/record.ts');
  const tell =
    (what: string) =>
    (reason: string, { method, url }: RequestHead) =>
      notice(`${what}: ${method} ${redactUrl(url, rules.redaction)}: ${redactText(reason, rules.redaction)}`);
  return record(forward, store, {
    ...{ rules, only: config.recordOnly },
    onSkipped: tell('not recorded'),
    onOmitted: tell('recorded in part'),
  });
}

/** For people: `recordings/`, or the database. */
function placeOf({ config, database }: Setup): string {
  return database ? database.name : `${config.recordings}/`;
}
