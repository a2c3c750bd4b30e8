/** Gates beside a test, and the sessions that tests share one by. */
import type { ServerKind } from '../app/modes.ts';
import { isSessionName, SESSION_NAMES } from '../model/session-name.ts';
import { amount, noticeText } from '../reporters/wording.ts';
import type { ExchangeFilter } from '../server/exchange-list.ts';
import type { Faults } from '../server/faults.ts';
import type { ShownExchange } from '../server/show-exchange.ts';
import type { UserConfig } from '../settings/define-config.ts';
import type { MissedRequest } from '../upstreams/replay/misses.ts';
import { SESSION_HEADER } from '../upstreams/upstream.ts';
import { misuse } from './misuse.ts';
import { attemptOf, type NamedTest, recordingName } from './recording-name.ts';
import { ask, nextId } from './thread.ts';

/**
 * Settings as plain data, above those of the environment and the config file; rules stand in the config file alone. Without others,
 * a gate listens on a free port, logs nothing and keeps no state file.
 */
export interface TestGateOptions extends Omit<UserConfig, 'customRules' | 'failUnused'> {
  /** The config file; without it, that of the working folder or of the nearest folder above that has any. */
  config?: string | undefined;
}

export interface FakeOptions extends Omit<TestGateOptions, 'seed'> {
  /** The records that it starts with: the name of a JSON file, or its content, by account, kind and id. */
  seed?: string | { accounts: object } | undefined;
}

/** What a test asks of a gate, or of one session. */
export interface Asked {
  /** The last 1,000 exchanges, oldest first, redacted. */
  exchanges(filter?: ExchangeFilter): Promise<ShownExchange[]>;
  /** The requests that the recording could not answer; those that miss alike are one. */
  misses(): Promise<MissedRequest[]>;
  /** @throws Error that lists the misses, and the requests that Patchgate itself answered with 500 */
  assertNoMisses(): Promise<void>;
  /** @throws Error that lists the recorded exchanges that were never served; of a session, those recorded in it */
  assertAllServed(): Promise<void>;
  /** Begins anew: exchanges, misses, places in sequences, records of the fake. */
  reset(): Promise<void>;
}

/** One of the tests that share a gate. It begins with its first request. */
export interface TestSession extends Asked {
  readonly name: string;
  /** Name the session: for every request that a client sends to the gate's `url`. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A gate on a free port, in a thread beside the test. */
export interface TestGate extends Asked, AsyncDisposable {
  /** Its origin, without a base path: `http://127.0.0.1:40123` */
  readonly url: string;
  /**
   * Begins anew if vitest or Playwright tries a test again.
   *
   * @param test what `recordingName` takes, or a name: 1 to 100 printable ASCII characters
   */
  session(test: NamedTest): TestSession;
  /** Makes answers fail or wait: a fault in words, a list of faults, or `{ faults }`. `[]`: none. @throws PatchgateError */
  setFaults(faults: Parameters<Faults['set']>[0]): Promise<void>;
  /** Waits for requests in flight, writes what was recorded, and prints misses that no test asked for. */
  close(): Promise<void>;
}

/**
 * Starts a gate that answers from a recording. If `PATCHGATE_RECORD` or the option `record` names a mode that records, it is a
 * guarded proxy in front of `target` that does so.
 *
 * @throws PatchgateError if an option is wrong, or there is no such recording
 */
export function startReplay(options: TestGateOptions = {}): Promise<TestGate> {
  return start('replay', options);
}

/** Starts a gate in front of a fake of the service. @throws PatchgateError if an option is wrong */
export function startFake(options: FakeOptions = {}): Promise<TestGate> {
  return start('fake', options);
}

/** Starts a gate in front of a service, `target`. @throws PatchgateError if an option is wrong */
export function startProxy(options: TestGateOptions = {}): Promise<TestGate> {
  return start('proxy', options);
}

/** Gates that no test has closed yet. */
const open = new Set<TestGate>();

async function start(kind: ServerKind, options: object): Promise<TestGate> {
  if (typeof options !== 'object')
    throw misuse(
      `the options are no object: ${options}`,
      "give them like startReplay({ recording: 'checkout' })",
    );
  const id = nextId();
  const url = (await ask(id, 'start', kind, { ...options }, { ...process.env }, process.cwd())) as string;
  const attempts = new Map<string, number>();
  let closing: Promise<void> | undefined;
  const close = () => {
    open.delete(gate);
    if (open.size === 0) process.off('beforeExit', closeOpen);
    closing ??= ask(id, 'close') as Promise<void>;
    return closing;
  };
  const gate: TestGate = {
    ...askedOf(id),
    url,
    session(test) {
      const name = sessionNameOf(test);
      const session = askedOf(id, name);
      const attempt = attemptOf(test);
      // Messages keep their order: the reset comes first.
      if (attempt > (attempts.get(name) ?? 0)) session.reset().catch(() => undefined);
      attempts.set(name, attempt);
      return { ...session, name, headers: { [SESSION_HEADER]: name } };
    },
    setFaults: (faults) => ask(id, 'setFaults', faults) as Promise<void>,
    close,
    [Symbol.asyncDispose]: close,
  };
  if (open.size === 0) process.on('beforeExit', closeOpen);
  open.add(gate);
  return gate;
}

/** At the end of the process, so that what was recorded is written. */
async function closeOpen(): Promise<void> {
  const count = amount(open.size, 'gate');
  process.stderr.write(noticeText(`no test has closed ${count}: await gate.close() at the end of the test`));
  for (const gate of open)
    await gate.close().catch((error: Error) => {
      process.stderr.write(noticeText(error.message));
      process.exitCode = 1;
    });
}

/** What gate and session have alike. */
function askedOf(id: number, session?: string): Asked {
  const failBy = (text: unknown) => {
    if (text !== undefined) throw new Error(String(text));
  };
  return {
    exchanges: (filter) => ask(id, 'exchanges', session, filter) as Promise<ShownExchange[]>,
    misses: () => ask(id, 'misses', session) as Promise<MissedRequest[]>,
    assertNoMisses: async () => failBy(await ask(id, 'missesText', session)),
    assertAllServed: async () => failBy(await ask(id, 'unservedText', session)),
    reset: () => ask(id, 'reset', session) as Promise<void>,
  };
}

function sessionNameOf(test: NamedTest): string {
  if (typeof test !== 'string') return recordingName(test);
  if (isSessionName(test)) return test;
  throw misuse(
    `${JSON.stringify(test)} cannot name a session`,
    `a name is ${SESSION_NAMES}; or give the test`,
  );
}
