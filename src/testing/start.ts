import type { ServerKind } from '../app/compose-upstream.ts';
import { messageOf } from '../errors.ts';
import { isObject } from '../json/json.ts';
import { isSessionName, SESSION_NAMES } from '../model/session-name.ts';
import { amount, noticeText } from '../reporters/wording.ts';
import { sessionPath } from '../server/session-path.ts';
import type { UserConfig } from '../settings/define-config.ts';
import { SESSION_HEADER } from '../upstreams/session.ts';
import { callGate, nextGate, startInThread } from './gate-thread.ts';
import { attemptOf, type NamedTest, recordingName } from './recording-name.ts';
import { type Asked, type FakeGate, type FakeRecords, SERVED, type TestGate } from './test-gate.ts';
import { misuse } from './with-hint.ts';

/**
 * Settings as plain data, above those of the environment and the config file; rules stand in the config
 * file alone. Without others, a gate listens on a free port, logs nothing and keeps no state file.
 */
export interface TestGateOptions extends Omit<UserConfig, 'customRules' | 'failUnused'> {
  /** The config file; without it, the one of the working folder or of the nearest folder above that has any. */
  config?: string | undefined;
}

export interface FakeOptions extends Omit<TestGateOptions, 'seed'> {
  /** The records that it starts with: the name of a JSON file, or its content, by account, kind and id. */
  seed?: string | { accounts: object } | undefined;
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
export function startFake(options: FakeOptions = {}): Promise<FakeGate> {
  return start('fake', options);
}

/** Starts a gate in front of a service, `target`. @throws PatchgateError if an option is wrong */
export function startProxy(options: TestGateOptions = {}): Promise<TestGate> {
  return start('proxy', options);
}

const EXAMPLES: Readonly<Record<ServerKind, string>> = {
  replay: "startReplay({ recording: 'checkout' })",
  proxy: "startProxy({ target: 'https://staging.example.com' })",
  fake: "startFake() or startFake({ seed: 'records.json' })",
};

async function start(kind: ServerKind, options: FakeOptions): Promise<FakeGate> {
  // In JavaScript, a recording's name or a test comes to mind first.
  if (!isObject(options))
    throw misuse(`the options are no object: ${String(options)}`, `give them like ${EXAMPLES[kind]}`);
  if ('failUnused' in options)
    throw misuse('failUnused is an option of patchgate exec alone', 'call await gate.assertAllServed()');
  const number = nextGate();
  const place = { env: { ...process.env }, cwd: process.cwd() };
  return testGate(number, await startInThread(number, { kind, options: { ...options }, ...place }));
}

/** Gates that no test has closed yet. */
const open = new Set<TestGate>();

function testGate(number: number, url: string): FakeGate {
  const attempts = new Map<string, number>();
  let closing: Promise<void> | undefined;
  const close = () => {
    open.delete(gate);
    if (open.size === 0) process.off('beforeExit', closeOpen);
    closing ??= callGate(number, 'close');
    return closing;
  };
  const gate: FakeGate = {
    ...askedOf(number),
    url,
    session(test) {
      const name = sessionNameOf(test);
      const session = askedOf(number, name);
      // Answers to the try before do not count. A message that is sent first comes first.
      const attempt = attemptOf(test);
      if (attempt > (attempts.get(name) ?? 0)) {
        attempts.set(name, attempt);
        session.reset().catch(() => undefined);
      }
      return { ...session, name, url: url + sessionPath(name), headers: { [SESSION_HEADER]: name } };
    },
    close,
    [Symbol.asyncDispose]: close,
  };
  if (open.size === 0) process.on('beforeExit', closeOpen);
  open.add(gate);
  return gate;
}

/** Where nothing else is to be done, so that what they recorded is written and their misses are told. */
async function closeOpen(): Promise<void> {
  const count = amount(open.size, 'gate');
  process.stderr.write(noticeText(`no test has closed ${count}: await gate.close() at the end of the test`));
  for (const gate of open)
    await gate.close().catch((error: unknown) => {
      process.stderr.write(noticeText(messageOf(error)));
      process.exitCode = 1;
    });
}

/** What gate and session have alike. */
function askedOf(gate: number, session?: string): Asked & FakeRecords {
  const placeOf = (kind: string, id: number | string, account: number | string = 'current') => {
    return { account: String(account), kind, id: String(id) };
  };
  return {
    exchanges: (filter) => callGate(gate, 'exchanges', session, filter),
    misses: () => callGate(gate, 'misses', session),
    assertNoMisses: async () => failBy(await callGate(gate, 'missesText', session)),
    assertAllServed: async () => failBy(await callGate(gate, 'unservedText', session)),
    setFaults: (faults) => callGate(gate, 'setFaults', session, faults),
    reset: () => callGate(gate, 'reset', session),
    record: (kind, id, account) => callGate(gate, 'record', session, placeOf(kind, id, account)),
    setRecord: (kind, id, record, account) =>
      callGate(gate, 'setRecord', session, placeOf(kind, id, account), record),
    [SERVED]: () => callGate(gate, 'served', session),
  };
}

function failBy(text: string | undefined): void {
  if (text !== undefined) throw new Error(text);
}

/** @throws PatchgateError `bad-usage`: two tests without a name would share a session */
function sessionNameOf(test: NamedTest): string {
  if (typeof test !== 'string') return recordingName(test);
  if (isSessionName(test)) return test;
  throw misuse(
    `${JSON.stringify(test)} cannot name a session`,
    `a name is ${SESSION_NAMES}; or give the test`,
  );
}
