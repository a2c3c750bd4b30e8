import type { Exchange } from '../model/exchange.ts';
import type { PlainExchange } from './plain-exchange.ts';

/**
 * The port to a recording: a named place that holds exchanges. The lowdb store is one; a test can bring another.
 */
export interface RecordingStore {
  /** The recording's name. */
  readonly name: string;
  /** Whether nothing has been recorded here yet. */
  isEmpty(): Promise<boolean>;
  /** The exchanges kept for a method and path (as sent, without query), oldest first. The list is not to be changed,
   *  and is the same object as long as nothing was appended, so that what is derived from it can be cached by it.
   *  @throws PatchgateError `bad-recording` where the file is broken */
  find(method: string, path: string): Promise<readonly Exchange[]>;
  /** All methods and paths of the recording, in no promised order; for explaining a miss and for housekeeping. */
  paths(): AsyncIterable<{ method: string; path: string }>;
  /** Keeps an exchange: found at once, and with the system when this returns, so that it outlives the process; in its
   *  file soon after. Never throws; trouble with the disk is kept for `trouble`.
   *  @param replace the first sight of this request since the store was opened: what was kept for it before is dropped
   *  (design section 6, mode `all`) */
  append(exchange: PlainExchange, replace?: boolean): void;
  /** The last failure to write, for the log and `health`; undefined while all is well. */
  readonly trouble: Error | undefined;
  /** Resolves once everything appended so far is in its file, or rejects with why it is not. */
  flush(): Promise<void>;
  close(): Promise<void>;
}
