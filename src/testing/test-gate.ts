import type { JsonObject } from '../json/json.ts';
import type { RecordKind } from '../model/record.ts';
import type { ExchangeFilter } from '../server/exchange-list.ts';
import type { Faults } from '../server/faults/faults.ts';
import type { ShownExchange } from '../server/show-exchange.ts';
import type { MissedRequest } from '../upstreams/replay/misses.ts';
import type { NamedTest } from './test-names.ts';

export type { ExchangeFilter } from '../server/exchange-list.ts';
export type { ShownExchange } from '../server/show-exchange.ts';
export type { MissedRequest } from '../upstreams/replay/misses.ts';

/** What `setFaults` takes: a fault in words, a list of faults, or `{ faults }`. */
export type FaultSettings = Parameters<Faults['set']>[0];

/** What a test asks of a gate, or of one session of it. */
export interface Asked {
  /** What went by, oldest first: the last 1,000, redacted. */
  exchanges(filter?: ExchangeFilter): ShownExchange[];
  /** The requests that the recording could not answer, with what their answers said; those that miss alike are one. */
  misses(): MissedRequest[];
  /** That the recording had an answer to each request. @throws Error that lists those to which it had none */
  assertNoMisses(): void;
  /** That each exchange of the recording was served, in whatever session; for a session, each that was recorded in it. Without
   *  `await`, `close` throws what it found; while it is recorded anew, there is nothing to find.
   *  @throws Error that lists those that were not; for a session, where there is none, too */
  assertAllServed(): PromiseLike<void>;
  /** Makes answers fail or wait, in the place of the faults that held before. `[]`: none does any more.
   *  @throws PatchgateError naming the fault that is not as it must be */
  setFaults(faults: FaultSettings): Promise<void>;
}

/**
 * One of the tests that share a gate: its own place in every sequence, its own state of the fake, its own list of what went
 * by. It begins with its first request.
 */
export interface TestSession extends Asked {
  readonly name: string;
  /** For a client that can set nothing but a base URL: `http://127.0.0.1:40123/__patchgate/session/NAME` */
  readonly url: string;
  /** The same for a client of the gate's own URL that can send a header. */
  readonly headers: Readonly<Record<string, string>>;
  /** Makes it as new. */
  reset(): void;
}

/** A gate within a test: it listens on a free port, and ends with the test (`await using gate = await replay()`). */
export interface TestGate<Session extends TestSession = TestSession> extends Asked, AsyncDisposable {
  /** Its origin, without a base path: `http://127.0.0.1:40123` */
  readonly url: string;
  /** Begins anew where the runner tries a test again, and says so: vitest and Playwright do.
   *  @param test what `recordingName` takes, which names it; or a name of one's own, 1 to 100 printable ASCII characters
   *  @throws PatchgateError where it is none */
  session(test: NamedTest): Session;
  /** Makes all as new, or one session; `""` is that of the requests that name none. */
  reset(session?: string): void;
  /** Waits for what is in flight, writes out what was recorded, and frees everything. Called again, it waits for the same.
   *  @throws Error where `assertAllServed` had something to say, or `failOnMiss`, PatchgateError where something could not be written */
  close(): Promise<void>;
}

/** What the fake holds. Records go in and come out as copies. */
export interface FakeRecords {
  /** A record as it now stands; undefined where there is none.
   *  @param account as in the path: `current`, or the id of a workspace */
  record(kind: RecordKind, id: number | string, account?: string | number): JsonObject | undefined;
  /** Puts a record in its place, or adds it. @throws PatchgateError where it is no record, or too large */
  setRecord(kind: RecordKind, id: number | string, record: object, account?: string | number): void;
}

export interface FakeSession extends TestSession, FakeRecords {}

/** The requests that name no session have records of their own, too: `record` and `setRecord` of the gate are theirs. */
export interface FakeGate extends TestGate<FakeSession>, FakeRecords {}
