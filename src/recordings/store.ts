import type { Exchange } from '../model/exchange.ts';
import type { KeptBody } from './files/body-files.ts';
import type { NamesBelow } from './files/names-below.ts';
import type { KeptExchanges } from './kept-exchanges.ts';
import type { PlainExchange } from './plain-exchange.ts';

/**
 * The port to a recording: a named place that holds exchanges. The lowdb store is one; a test can bring another.
 */
export interface RecordingStore {
  /** The recording's name. */
  readonly name: string;
  /** Whether something may be appended. */
  readonly isWritable: boolean;
  /** Whether nothing has been recorded here yet. */
  isEmpty(): Promise<boolean>;
  /** The exchanges kept for a method and path (as sent, without query); the same object as long as exchanges are only
   *  added. To be used at once: a large file is closed again some time.
   *  @throws PatchgateError `bad-recording` where the file is broken */
  look(method: string, path: string): Promise<KeptExchanges>;
  /** All of them, in memory, oldest first. */
  find(method: string, path: string): Promise<readonly Exchange[]>;
  /** The bytes of a body of an exchange that was found: it may be in a file of its own.
   *  @throws PatchgateError `bad-recording` where that is missing or was changed */
  readBody(method: string, path: string, body: KeptBody | undefined): Promise<Buffer>;
  /** All methods and paths of the recording, in no promised order; for explaining a miss and for housekeeping. */
  paths(): AsyncIterable<{ method: string; path: string }>;
  /** The methods recorded for a path, and the segments with which paths go on from there; `""` is where all begin. At
   *  most some thousand names are looked at: for explaining a miss. */
  below(path: string): Promise<NamesBelow>;
  /** Keeps an exchange: found at once, and with the system when this returns, so that it outlives the process; in its
   *  file soon after. Never throws; trouble with the disk is kept for `trouble`.
   *  @param replace the first answer to this request in its session since the store was opened: what was kept for these
   *  before is dropped (design section 6, mode `all`)
   *  @param failures how often this request has failed in its session since the store was opened. These failures stay. A failure drops
   *  nothing: it takes the place of the one that was kept last, as many places on as there were failures before it, or is
   *  added. */
  append(exchange: PlainExchange, replace?: boolean, failures?: number): void;
  /** The last failure to write, for the log and `health`; undefined while all is well. */
  readonly trouble: Error | undefined;
  /** Resolves once everything appended so far is in its file, or rejects with why it is not. */
  flush(): Promise<void>;
  close(): Promise<void>;
}
