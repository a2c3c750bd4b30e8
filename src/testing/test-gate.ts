import type { JsonObject } from '../json/json.ts';
import type { RecordKind } from '../model/record.ts';
import type { ExchangeFilter } from '../server/exchange-list.ts';
import type { Faults } from '../server/faults/faults.ts';
import type { ShownExchange } from '../server/show-exchange.ts';
import type { MissedRequest } from '../upstreams/replay/misses.ts';
import type { NamedTest } from './recording-name.ts';

export type { ExchangeFilter } from '../server/exchange-list.ts';
export type { ShownExchange } from '../server/show-exchange.ts';
export type { MissedRequest } from '../upstreams/replay/misses.ts';

/** What `setFaults` takes: a fault in words, a list of faults, or `{ faults }`. */
export type FaultSettings = Parameters<Faults['set']>[0];

/** Names what gives the exchanges with their secrets to a matcher. */
export const SERVED = Symbol('served');

/** Exchanges oldest first, redacted and as they were sent. `areCut`: earlier ones are forgotten. */
export interface Served {
  exchanges: { shown: ShownExchange; sent: ShownExchange }[];
  areCut: boolean;
}

/** What a test asks of a gate, or of one session of it. */
export interface Asked {
  /** The last 1,000 exchanges, oldest first, redacted. */
  exchanges(filter?: ExchangeFilter): Promise<ShownExchange[]>;
  /** The requests that the recording could not answer; those that miss alike are one. */
  misses(): Promise<MissedRequest[]>;
  /** @throws Error that lists the misses, and the requests that Patchgate itself answered with 500 */
  assertNoMisses(): Promise<void>;
  /** @throws Error that lists the recorded exchanges that were never served; of a session, those recorded in it */
  assertAllServed(): Promise<void>;
  /** Makes answers fail or wait, instead of the faults before. `[]`: none. @throws PatchgateError naming a wrong fault */
  setFaults(faults: FaultSettings): Promise<void>;
  /** Begins anew: exchanges, misses, places in sequences, records of the fake. */
  reset(): Promise<void>;
  [SERVED](): Promise<Served>;
}

/** One of the tests that share a gate. It begins with its first request. */
export interface TestSession extends Asked {
  readonly name: string;
  /** A base URL that names the session: `http://127.0.0.1:40123/__patchgate/session/NAME` */
  readonly url: string;
  /** For a client of the gate's `url` that can send a header. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A gate on a free port, in a thread beside the test. */
export interface TestGate<Session extends TestSession = TestSession> extends Asked, AsyncDisposable {
  /** Its origin, without a base path: `http://127.0.0.1:40123` */
  readonly url: string;
  /** Begins anew where vitest or Playwright tries a test again.
   *  @param test what `recordingName` takes, or a name: 1 to 100 printable ASCII characters
   *  @throws PatchgateError `bad-usage` if it is neither */
  session(test: NamedTest): Session;
  /** Waits for requests in flight, writes what was recorded, and prints misses and refusals that no test asked for.
   *  @throws PatchgateError `cannot-write` */
  close(): Promise<void>;
}

/** The records of the fake, as copies. */
export interface FakeRecords {
  /** Undefined if there is none. @param account as in the path: `current`, or the id of a workspace */
  record(kind: RecordKind, id: number | string, account?: string | number): Promise<JsonObject | undefined>;
  /** Adds or replaces a record. @throws PatchgateError if it is no record, or too large */
  setRecord(kind: RecordKind, id: number | string, record: object, account?: string | number): Promise<void>;
}

export interface FakeSession extends TestSession, FakeRecords {}

/** Its own records are those of the requests that name no session. */
export interface FakeGate extends TestGate<FakeSession>, FakeRecords {}
