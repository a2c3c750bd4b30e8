import type { ExchangeFilter } from '../server/exchange-list.ts';
import type { ShownExchange } from '../server/show-exchange.ts';

export type { ShownExchange } from '../server/show-exchange.ts';

/** A gate within a test: it listens on a free port, and ends with the test (`await using gate = await replay()`). */
export interface TestGate extends AsyncDisposable {
  /** Its origin, without a base path: `http://127.0.0.1:40123` */
  readonly url: string;
  /** What went by, oldest first: the last 1,000, redacted. */
  exchanges(filter?: ExchangeFilter): ShownExchange[];
  /** That each exchange of the recording was served. Where nobody waits for it, `close` throws what it found.
   *  @throws Error that lists those that were not */
  assertAllServed(): PromiseLike<void>;
  /** Makes all as new, or one session. */
  reset(session?: string): void;
  /** Ends what listens, writes out what was recorded, and frees everything. */
  close(): Promise<void>;
}
