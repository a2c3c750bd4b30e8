import type { Patchgate } from '../app/patchgate.ts';
import { type Remediation, refusedTexts } from '../commands/exec/refused-text.ts';
import type { JsonObject } from '../json/json.ts';
import { isSessionName, SESSION_NAMES } from '../model/session-name.ts';
import { crossSessionText, neverHappenedText } from '../reporters/run-text.ts';
import { recordedText } from '../reporters/wording.ts';
import { AS_SENT, type ExchangeFilter, type SentExchanges } from '../server/exchange-list.ts';
import { sessionPath } from '../server/session-path.ts';
import { variableOf } from '../settings/settings.ts';
import type { Unserved } from '../upstreams/replay/unserved.ts';
import { SESSION_HEADER } from '../upstreams/session.ts';
import { createMissReports } from './miss-reports.ts';
import { recordingName } from './recording-name.ts';
import { createChecks } from './serving-checks.ts';
import type { FakeGate, FakeRecords, FakeSession, FaultSettings, ShownExchange } from './test-gate.ts';
import { type NamedTest, namesOf } from './test-names.ts';
import { misuse, orHint } from './with-hint.ts';

export interface TestGateParts {
  gate: Patchgate;
  /** What it listens on. */
  url: string;
  /** Lets what is in flight finish. */
  stopListening(): Promise<void>;
  /** Takes one notice for people. */
  notice(text: string): void;
  /** Name of the recording that answers, or is made. */
  recording: string;
  /** Its folder, for messages. */
  folder: string;
  /** What it is asked for is kept, or would be: of what is refused or fails, the recording has nothing. */
  isRecording: boolean;
  /** Whether all that was recorded must have been served in the end. */
  failUnused: boolean;
  /** Whether what nobody asked for of the misses fails the end. */
  failOnMiss: boolean;
  /** Whether what was blocked fails the end. */
  failOnBlock: boolean;
  /** Whether its options give faults. Those of a config file are for all gates, and of one or another. */
  hasFaults: boolean;
  /** What was never served; undefined where a recording is being made. @throws where there is none */
  unserved(session?: string): Promise<Unserved | undefined>;
}

/** A gate that listens, as a test sees it. */
export function createTestGate(parts: TestGateParts): FakeGate {
  const { gate, url } = parts;
  const checks = createChecks(parts.unserved);
  const misses = createMissReports(parts);
  let closing: Promise<void> | undefined;

  const end = async () => {
    let missed: string | undefined;
    try {
      await parts.stopListening();
      if (parts.failUnused) checks.begin();
      missed = misses.unheard();
      if (missed && !parts.failOnMiss) parts.notice(missed);
      const refused = refusedTexts(gate, BY_VARIABLES, parts.isRecording);
      const { requests, blocked } = gate.counts();
      const isBlocked = parts.failOnBlock && blocked > 0;
      if (!isBlocked) for (const text of refused) parts.notice(text);
      if (requests === 0) parts.notice(`no request came to the gate: its client must ask ${url}`);
      if (parts.isRecording) {
        for (const name of attempts.keys())
          parts.notice(
            `the test of the session ${JSON.stringify(name)} was tried again while it was recorded, so its recording begins with a try that failed: record that test anew`,
          );
      }
      const hits = crossSessionText(
        gate.crossSessionHits(),
        'PATCHGATE_RECORD=all PATCHGATE_TARGET=URL, and that test alone',
      );
      if (hits) parts.notice(hits);
      if (parts.hasFaults)
        for (const idle of gate.faults.neverHappened()) parts.notice(neverHappenedText(idle));
      if (missed && parts.failOnMiss) throw new Error(missed);
      if (isBlocked) throw new Error(refused.join('\n'));
      await checks.finish();
    } finally {
      await gate.close(missed !== undefined);
    }
    const recorded = gate.recorded();
    if (recorded !== undefined) parts.notice(recordedText(recorded, parts.folder));
  };
  const close = () => {
    // What was wrong is said once.
    if (closing) return closing.catch(() => undefined);
    closing = end();
    return closing;
  };

  const stillOpen = (hint: string) => {
    if (closing) throw misuse('the gate is closed', hint);
  };
  const assertAllServed = (session?: string) => {
    stillOpen('ask what was served before it is closed');
    return checks.begin(session);
  };
  /** What a test that is tried again was answered before is not to count. */
  const attempts = new Map<string, number>();
  const beginAnew = (test: NamedTest, name: string) => {
    const attempt = typeof test === 'string' ? 0 : (namesOf(test).attempt ?? 0);
    if (attempt <= (attempts.get(name) ?? 0)) return;
    attempts.set(name, attempt);
    gate.reset(name);
  };
  const setFaults = async (faults: FaultSettings, session?: string) => {
    stillOpen('set faults before the requests that are to fail, and close it after them');
    await orHint(() => gate.faults.set(faults, session));
  };

  const testGate: FakeGate = {
    exchanges: (filter) => exchangesOf(gate, filter),
    setFaults: (faults) => setFaults(faults),
    ...misses.of(),
    ...recordsOf(gate, ''),
    url,
    session(test) {
      const name = sessionNameOf(test);
      stillOpen('no session of it is answered any more');
      beginAnew(test, name);
      const session: FakeSession = {
        exchanges: (filter) => exchangesOf(gate, { ...filter, session: name }),
        setFaults: (faults) => setFaults(faults, name),
        ...misses.of(name),
        ...recordsOf(gate, name),
        name,
        url: url + sessionPath(name),
        headers: { [SESSION_HEADER]: name },
        assertAllServed: () => assertAllServed(name),
        reset: () => gate.reset(name),
      };
      return comparable(session, () => gate[AS_SENT]({ session: name }));
    },
    assertAllServed: () => assertAllServed(),
    reset: (session) => gate.reset(session),
    close,
    [Symbol.asyncDispose]: close,
  };
  return comparable(testGate, () => gate[AS_SENT]());
}

/** With what matchers compare. */
function comparable<Shown extends object>(shown: Shown, asSent: () => SentExchanges): Shown {
  return Object.assign(shown, { [AS_SENT]: asSent });
}

/** Of tests that are run once more. */
const BY_VARIABLES: Remediation = {
  again: 'record it anew with',
  allowDelete: `${variableOf('allowDelete')}=`,
  noGuard: `${variableOf('guard')}=off`,
};

/** @throws PatchgateError `bad-usage`: two tests that have no name would share a session */
function sessionNameOf(test: NamedTest): string {
  if (typeof test !== 'string') return recordingName(test);
  if (isSessionName(test)) return test;
  throw misuse(
    `${JSON.stringify(test)} cannot name a session`,
    `a name is ${SESSION_NAMES}; of a test itself it makes one: gate.session(task)`,
  );
}

const FILTER = { limit: 'a whole number', outcome: '"pass" or "block"', session: 'the name of a session' };

/** Oldest first. @throws PatchgateError `bad-usage`: what is not understood would filter nothing, and a test see what it does not mean */
function exchangesOf(gate: Patchgate, filter: ExchangeFilter = {}): ShownExchange[] {
  for (const [name, value] of Object.entries(filter)) {
    if (!Object.hasOwn(FILTER, name))
      throw misuse(
        `exchanges: there is no filter ${JSON.stringify(name)}`,
        `there is: ${Object.keys(FILTER).join(', ')}; by all else: exchanges().filter(({ request }) => request.method === 'PATCH'), or expect(gate).toHaveServed(…)`,
      );
    if (!isTaken(name, value))
      throw misuse(
        `exchanges: ${name} cannot be ${JSON.stringify(value)}`,
        `it is ${FILTER[name as keyof typeof FILTER]}`,
      );
  }
  return [...gate.exchanges(filter)].reverse();
}

function isTaken(name: string, value: unknown): boolean {
  if (value === undefined) return true;
  if (name === 'limit') return Number.isSafeInteger(value);
  return name === 'outcome' ? value === 'pass' || value === 'block' : typeof value === 'string';
}

function recordsOf({ records }: Patchgate, session: string): FakeRecords {
  const name = (kind: string, id: number | string, account: number | string = 'current') => ({
    account: String(account),
    kind,
    id: String(id),
  });
  return {
    record: (kind, id, account) => orHint(() => records?.get(name(kind, id, account), session)),
    setRecord: (kind, id, record, account) =>
      orHint(() => records?.set(name(kind, id, account), record as JsonObject, session)),
  };
}
