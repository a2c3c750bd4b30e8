import { join } from 'node:path';
import type { Patchgate } from '../app/patchgate.ts';
import {
  crossSessionText,
  missesText,
  neverHappenedText,
  sessionText,
  unservedText,
} from '../app/run-text.ts';
import { type Remediation, refusedTexts } from '../commands/exec/refused-text.ts';
import type { JsonObject } from '../json/json.ts';
import { isSessionName, SESSION_NAMES } from '../model/session-name.ts';
import { hintWith } from '../recordings/explain.ts';
import { recordedText } from '../reporters/wording.ts';
import { AS_SENT, type ExchangeFilter, type SentExchanges } from '../server/exchange-list.ts';
import { sessionPath } from '../server/session-path.ts';
import type { Config } from '../settings/config.ts';
import { shortPath } from '../settings/config-file.ts';
import { variableOf } from '../settings/settings.ts';
import type { Missed, MissedRequest } from '../upstreams/replay/misses.ts';
import type { Unserved } from '../upstreams/replay/unserved.ts';
import { SESSION_HEADER } from '../upstreams/session.ts';
import { recordingName } from './recording-name.ts';
import type { Asked, FakeGate, FakeRecords, FakeSession, ShownExchange } from './test-gate.ts';
import { type NamedTest, namesOf } from './test-names.ts';
import { inOptions, misuse, orHint } from './with-hint.ts';

interface TestGateParts {
  gate: Patchgate;
  /** What it listens on. */
  url: string;
  /** Lets what is in flight finish. */
  stopListening(): Promise<void>;
  /** Takes one notice for people. */
  notice(text: string): void;
  config: Config;
  /** It records, or would: the recording has nothing of what is refused or fails. */
  isRecording: boolean;
  /** What fails the end: exchanges that were never served, misses that no test has asked for. */
  failUnused: boolean;
  failOnMiss: boolean;
  /** Whether its options give faults. Those of a config file are for all gates. */
  hasFaults: boolean;
  /** What was never served; undefined where a recording is being made. @throws where there is none */
  unserved(session?: string): Promise<Unserved | undefined>;
}

interface AskedWithRecords extends Asked, FakeRecords {
  /** With what matchers compare. */
  [AS_SENT](): SentExchanges;
}

/** Of tests that are run once more. */
const BY_VARIABLES: Remediation = {
  again: 'record it anew with',
  allowDelete: `${variableOf('allowDelete')}=`,
  noGuard: `${variableOf('guard')}=off`,
};

/** A gate that listens, as a test sees it. */
export function createTestGate(parts: TestGateParts): FakeGate {
  const { gate, url, notice, config } = parts;
  /** How often each had missed when a test asked. */
  const askedMisses = new Map<string, number>();
  /** Checks for which no test waits. */
  const unawaited = new Set<Promise<void>>();
  /** Of sessions whose test was tried again. */
  const attempts = new Map<string, number>();
  let closing: Promise<void> | undefined;

  const mustBeOpen = (hint: string) => {
    if (closing) throw misuse('the gate is closed', hint);
  };

  function askMisses(session?: string): Missed {
    const missed = gate.misses(session);
    for (const miss of missed.misses) askedMisses.set(keyOf(miss), miss.count);
    return missed;
  }

  function textOfMisses(missed: Missed): string | undefined {
    const again = 'PATCHGATE_RECORD=new_episodes PATCHGATE_TARGET=URL';
    const hintOf = ({ hint }: MissedRequest) => inOptions(hintWith(hint, config.recording, again));
    return missesText({ ...missed, misses: missed.misses.map((miss) => ({ ...miss, hint: hintOf(miss) })) });
  }

  /** The misses that no test has asked for: most often its client has failed of them before it could. */
  function unaskedMisses(): string | undefined {
    const all = gate.misses();
    const misses = all.misses
      .map((miss) => ({ ...miss, count: miss.count - (askedMisses.get(keyOf(miss)) ?? 0) }))
      .filter(({ count }) => count > 0);
    return textOfMisses({ ...all, count: misses.reduce((sum, miss) => sum + miss.count, 0), misses });
  }

  function assertAllServed(session?: string): PromiseLike<void> {
    // Made here, it shows the line of the test.
    const error = new Error();
    Error.captureStackTrace(error, assertAllServed);
    const check = parts.unserved(session).then((unserved) => {
      const text = unserved && wrongWith(unserved, session);
      if (text === undefined) return;
      error.message = text;
      // V8 writes the message into the stack when the error is made.
      error.stack = `Error: ${text}\n${error.stack?.split('\n').slice(1).join('\n')}`;
      throw error;
    });
    // Without this, a check for which no test waits yet would end the process.
    check.catch(() => undefined);
    unawaited.add(check);
    return {
      // biome-ignore lint/suspicious/noThenProperty: being waited for is what tells whether a test does
      then(onKept, onThrown) {
        unawaited.delete(check);
        return check.then(onKept, onThrown);
      },
    };
  }

  async function end(): Promise<void> {
    let missed: string | undefined;
    try {
      await parts.stopListening();
      if (parts.failUnused) assertAllServed();
      missed = unaskedMisses();
      const { requests } = gate.counts();
      const refused = refusedTexts(gate, BY_VARIABLES, parts.isRecording);
      const again = 'PATCHGATE_RECORD=all PATCHGATE_TARGET=URL, and that test alone';
      for (const text of [
        parts.failOnMiss ? undefined : missed,
        ...refused,
        requests === 0 ? `no request came to the gate: its client must ask ${url}` : undefined,
        ...(parts.isRecording ? [...attempts.keys()].map(triedAgainText) : []),
        crossSessionText(gate.crossSessionHits(), again),
        ...(parts.hasFaults ? gate.faults.neverHappened().map(neverHappenedText) : []),
      ])
        if (text !== undefined) notice(text);
      if (missed && parts.failOnMiss) throw new Error(missed);
      for (const check of unawaited) await check;
    } finally {
      await gate.close();
    }
    const recorded = gate.recorded();
    const folder = shortPath(join(config.recordings, config.recording), process.cwd());
    if (recorded !== undefined) notice(recordedText(recorded, folder));
  }

  function close(): Promise<void> {
    // What was wrong is said once.
    if (closing) return closing.catch(() => undefined);
    closing = end();
    return closing;
  }

  /** What gate and session have alike. */
  const askedOf = (session?: string): AskedWithRecords => ({
    exchanges: (filter) => exchangesOf(gate, session === undefined ? filter : { ...filter, session }),
    misses: () => askMisses(session).misses,
    assertNoMisses: function assertNoMisses() {
      const text = textOfMisses(askMisses(session));
      if (text === undefined) return;
      const error = new Error(text);
      // The line that is shown is the test's.
      Error.captureStackTrace(error, assertNoMisses);
      throw error;
    },
    async setFaults(faults) {
      mustBeOpen('set faults before the requests that are to fail, and close it after them');
      await orHint(() => gate.faults.set(faults, session));
    },
    assertAllServed() {
      mustBeOpen('ask what was served before it is closed');
      return assertAllServed(session);
    },
    ...recordsOf(gate, session ?? ''),
    [AS_SENT]: () => gate[AS_SENT](session === undefined ? {} : { session }),
  });

  return {
    ...askedOf(),
    url,
    session(test): FakeSession {
      const name = sessionNameOf(test);
      mustBeOpen('no session of it is answered any more');
      // What a test that is tried again was answered before is not to count.
      const attempt = typeof test === 'string' ? 0 : (namesOf(test).attempt ?? 0);
      if (attempt > (attempts.get(name) ?? 0)) {
        attempts.set(name, attempt);
        gate.reset(name);
      }
      return {
        ...askedOf(name),
        name,
        url: url + sessionPath(name),
        headers: { [SESSION_HEADER]: name },
        reset: () => gate.reset(name),
      };
    },
    reset: (session) => gate.reset(session),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function keyOf({ session, text }: MissedRequest): string {
  return `${session}\n${text}`;
}

function triedAgainText(session: string): string {
  return `the test of the session ${JSON.stringify(session)} was tried again while it was recorded, so its recording begins with a try that failed: record that test anew`;
}

/** @param session that was asked about. @returns undefined where all was served */
function wrongWith(unserved: Unserved, session: string | undefined): string | undefined {
  // Nothing can be missing there: most likely another session was meant.
  if (session !== undefined && unserved.total === 0)
    return `nothing in "${unserved.recording}" was recorded in ${sessionText(session)}: record it anew, or ask the gate what was served in all`;
  return unserved.count === 0 ? undefined : inOptions(unservedText(unserved));
}

/** @throws PatchgateError `bad-usage`: two tests that have no name would share a session */
function sessionNameOf(test: NamedTest): string {
  if (typeof test !== 'string') return recordingName(test);
  if (isSessionName(test)) return test;
  throw misuse(
    `${JSON.stringify(test)} cannot name a session`,
    `a name is ${SESSION_NAMES}; of a test itself it makes one: gate.session(task)`,
  );
}

const FILTER: Readonly<Record<string, [is: (value: unknown) => boolean, what: string]>> = {
  limit: [Number.isSafeInteger, 'a whole number'],
  outcome: [(value) => value === 'pass' || value === 'block', '"pass" or "block"'],
  session: [(value) => typeof value === 'string', 'the name of a session'],
};

/** Oldest first. @throws PatchgateError `bad-usage`: an unknown filter would filter nothing, and the test see other exchanges than it means */
function exchangesOf(gate: Patchgate, filter: ExchangeFilter = {}): ShownExchange[] {
  for (const [name, value] of Object.entries(filter)) {
    const [is, what] = (Object.hasOwn(FILTER, name) && FILTER[name]) || [];
    if (!is)
      throw misuse(
        `exchanges: there is no filter ${JSON.stringify(name)}`,
        `there is: ${Object.keys(FILTER).join(', ')}; by all else: exchanges().filter(({ request }) => request.method === 'PATCH'), or expect(gate).toHaveServed(…)`,
      );
    if (value !== undefined && !is(value))
      throw misuse(`exchanges: ${name} cannot be ${JSON.stringify(value)}`, `it is ${what}`);
  }
  return [...gate.exchanges(filter)].reverse();
}

function recordsOf({ records }: Patchgate, session: string): FakeRecords {
  const nameOf = (kind: string, id: number | string, account: number | string = 'current') => ({
    ...{ account: String(account), kind, id: String(id) },
  });
  return {
    record: (kind, id, account) => orHint(() => records?.get(nameOf(kind, id, account), session)),
    setRecord: (kind, id, record, account) =>
      orHint(() => records?.set(nameOf(kind, id, account), record as JsonObject, session)),
  };
}
