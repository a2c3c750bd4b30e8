import type { JsonObject } from '../model/json.ts';
import { isSessionName, SESSION_NAMES } from '../model/session-name.ts';
import type { Patchgate } from '../patchgate.ts';
import { borrowedText } from '../reporters/borrowed-text.ts';
import { neverHappenedText } from '../reporters/faults-text.ts';
import type { ExchangeFilter } from '../server/exchange-list.ts';
import { sessionPath } from '../server/session-path.ts';
import type { Unserved } from '../upstreams/replay/unserved.ts';
import { SESSION_HEADER } from '../upstreams/session.ts';
import { createMissReports } from './miss-reports.ts';
import { createChecks } from './serving-checks.ts';
import type { FakeGate, FakeRecords, FaultSettings } from './test-gate.ts';
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
  /** Whether all that was recorded must have been served in the end. */
  failUnused: boolean;
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
    try {
      await parts.stopListening();
      if (parts.failUnused) checks.begin();
      misses.sayUnheard();
      const borrowed = borrowedText(
        gate.borrowed(),
        'PATCHGATE_RECORD=all PATCHGATE_TARGET=URL, and that test alone',
      );
      if (borrowed) parts.notice(borrowed);
      if (parts.hasFaults)
        for (const idle of gate.faults.neverHappened()) parts.notice(neverHappenedText(idle));
      await checks.finish();
    } finally {
      await gate.close();
    }
  };
  const close = () => {
    // What was wrong is said once.
    if (closing) return closing.catch(() => undefined);
    closing = end();
    return closing;
  };

  const assertAllServed = (session?: string) => {
    if (!closing) return checks.begin(session);
    throw misuse('the gate is closed', 'ask what was served before it is closed');
  };

  return {
    ...askedOf(gate),
    ...misses.of(),
    ...recordsOf(gate, ''),
    url,
    session(name) {
      if (!isSessionName(name)) {
        throw misuse(
          `${JSON.stringify(name)} cannot name a session`,
          `a name is ${SESSION_NAMES}; recordingName(test) makes one of a test`,
        );
      }
      return {
        ...askedOf(gate, name),
        ...misses.of(name),
        ...recordsOf(gate, name),
        name,
        url: url + sessionPath(name),
        headers: { [SESSION_HEADER]: name },
        assertAllServed: () => assertAllServed(name),
        reset: () => gate.reset(name),
      };
    },
    assertAllServed: () => assertAllServed(),
    reset: (session) => gate.reset(session),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** @param session of this one alone */
function askedOf(gate: Patchgate, session?: string) {
  return {
    exchanges: (filter: ExchangeFilter = {}) =>
      [...gate.exchanges(session === undefined ? filter : { ...filter, session })].reverse(),
    setFaults: (faults: FaultSettings) => orHint(() => gate.faults.set(faults, session)),
  };
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
