/** The thread in which the gates of a test process run: its fake timers and mocks do not reach it. */
import { join, resolve } from 'node:path';
import { parentPort } from 'node:worker_threads';
import { replayOrRecord, type ServerKind } from '../app/modes.ts';
import { createPatchgate, type Patchgate } from '../app/patchgate.ts';
import { missesText, unservedText } from '../app/run-text.ts';
import { messageOf, PatchgateError } from '../errors.ts';
import { hintWith } from '../recordings/explain.ts';
import { recordedText } from '../reporters/wording.ts';
import type { ExchangeFilter } from '../server/exchange-list.ts';
import type { Faults } from '../server/faults.ts';
import { type Config, resolveConfig } from '../settings/config.ts';
import { COMMAND_DEFAULTS } from '../settings/settings.ts';
import type { State } from '../upstreams/fake/seed.ts';
import { checkMembers, misuse } from './misuse.ts';
import type { Call, ErrorSent, Reply } from './thread.ts';

type Session = string | undefined;
type Env = Readonly<Record<string, string | undefined>>;

const gates = new Map<number, ReturnType<typeof callsOf>>();

parentPort?.on('message', (call: Call) => {
  perform(call).then(
    (value) => send({ id: call.id, value }),
    (error: unknown) => send({ id: call.id, error: sendable(error) }),
  );
});

function send(reply: Reply): void {
  parentPort?.postMessage(reply);
}

function notice(text: string): void {
  send({ notice: text });
}

function sendable(error: unknown): ErrorSent {
  if (!(error instanceof PatchgateError)) return { message: messageOf(error) };
  const { code, message, hint, details } = error;
  return { code, message, hint, details };
}

async function perform({ gate, name, args }: Call): Promise<unknown> {
  if (name === 'start') {
    const { url, calls } = await start(...(args as Parameters<typeof start>));
    gates.set(gate, calls);
    return url;
  }
  const calls = gates.get(gate);
  if (!calls) throw misuse('the gate is closed', 'ask it before it is closed');
  if (name === 'close') gates.delete(gate);
  return (calls[name as keyof typeof calls] as (...given: unknown[]) => unknown)(...args);
}

/** @throws PatchgateError if an option is wrong, or there is no such recording */
async function start(given: ServerKind, options: Readonly<Record<string, unknown>>, env: Env, cwd: string) {
  const { kind, config } = await inForce(given, options, env, cwd);
  const gate = await createPatchgate(kind, config, {
    writeLog: (text) => process.stdout.write(text),
    ...{ notice, env },
    ...(typeof options.seed === 'object' && { seed: options.seed as State }),
  });
  return { url: gate.url, calls: callsOf(gate, config) };
}

/** Resolves the settings, and whether a replay is to record. */
async function inForce(kind: ServerKind, options: object, env: Env, cwd: string) {
  if ('failUnused' in options) throw misuse('failUnused is for commands', 'await gate.assertAllServed()');
  // Many gates run at a time, and none leaves anything behind.
  const all = Object.entries({ port: 0, log: 'off', state: false, ...options });
  const given = all.filter(
    ([name, value]) => value !== undefined && !(name === 'seed' && typeof value === 'object'),
  );
  const settings = Object.fromEntries(given);
  const resolved = await resolveConfig(settings, COMMAND_DEFAULTS[kind], env, cwd);
  const chosen = kind === 'replay' ? replayOrRecord(resolved) : { kind, config: resolved.config };
  // A test may change the working folder. The page of a config file is for one gate.
  const { ui } = settings as Partial<Config>;
  const recordings = resolve(cwd, chosen.config.recordings);
  return { kind: chosen.kind, config: { ...chosen.config, recordings, ui } };
}

/** What a test can ask of a gate. Without a session: of all. */
function callsOf(gate: Patchgate, config: Config) {
  const again = 'PATCHGATE_RECORD=new_episodes PATCHGATE_TARGET=URL';
  let isAsked = false;
  const textOfMisses = (session?: string) =>
    missesText(gate.replay?.misses.list(session), (hint) => hintWith(hint, config.recording, again));
  return {
    exchanges(session: Session, filter: ExchangeFilter = {}) {
      checkMembers('exchanges', filter, ['limit', 'outcome', 'session', 'bodies']);
      return [...gate.exchanges.list(session === undefined ? filter : { ...filter, session })].reverse();
    },
    misses(session: Session) {
      isAsked = true;
      return gate.replay?.misses.list(session).misses ?? [];
    },
    missesText(session: Session): string | undefined {
      isAsked = true;
      const texts = [textOfMisses(session), gate.replay ? undefined : failuresText(gate, session)];
      return texts.filter(Boolean).join('\n') || undefined;
    },
    async unservedText(session: Session): Promise<string | undefined> {
      const unserved = await gate.replay?.unserved(session);
      return unserved?.count ? unservedText(unserved) : undefined;
    },
    setFaults: (faults: Parameters<Faults['set']>[0]) => gate.faults.set(faults),
    reset(session: Session) {
      gate.reset(session);
      gate.replay?.misses.reset(session);
    },
    async close(): Promise<void> {
      try {
        await gate.stop();
        const missed = isAsked ? undefined : textOfMisses();
        if (missed) notice(missed);
      } finally {
        await gate.close();
      }
      const status = gate.store?.status();
      if (status) notice(recordedText(status.recorded, join(config.recordings, config.recording)));
    },
  };
}

/** Requests that Patchgate itself answered with 500; a replay counts them as misses. */
function failuresText(gate: Patchgate, session: Session): string | undefined {
  const failed = [...gate.exchanges.list({ session, bodies: false })].filter(
    ({ answeredBy, response, fault }) => answeredBy === 'gate' && response?.status === 500 && !fault,
  );
  const lines = failed.map(({ request, failure }) => `\n  ${request.method} ${request.url}: ${failure}`);
  return lines.length === 0
    ? undefined
    : `Patchgate itself failed, and answered 500:${lines.slice(0, 20).join('')}`;
}
