import type { PlainExchange } from '../plain-exchange.ts';
import type { Place } from './exchange-file.ts';
import type { PathExchanges } from './path-exchanges.ts';

export interface NamesBelow {
  methods: ReadonlySet<string>;
  segments: ReadonlySet<string>;
}

/** The exchanges of one method and path. */
export type ExchangesOfPath = Pick<PathExchanges, 'all' | 'length' | 'withKey' | 'withBytes' | 'open'>;

/** The port to a recording: a named place that holds exchanges. Files are one, a database that many gates share is another. */
export interface RecordingStore {
  readonly name: string;
  /** Whether something may be appended. */
  readonly isWritable: boolean;
  /** Whether nothing has been recorded here yet. */
  isEmpty(): boolean;
  /** The exchanges of a method and path (as sent, without query), read now if they are not in memory. They stay there.
   *  @throws PatchgateError `bad-recording` where their file is broken, `cannot-read`; of a store that has `ready`, their length is
   *  always there, and they themselves when it has resolved */
  exchanges(method: string, path: string): ExchangesOfPath;
  /** Of a store that cannot read at once: resolves when `exchanges` has what it knows of a method and path by now; undefined where it
   *  has. Rejects where that cannot be read. */
  ready?(method: string, path: string): Promise<void> | undefined;
  /** All methods and paths of the recording, in no promised order; for explaining a miss and for housekeeping. */
  places(): Iterable<Place>;
  /** The methods recorded for a path, and the segments with which paths go on from there; `""` is where all begin. At most
   *  a thousand names are looked at: for explaining a miss. */
  below(path: string): NamesBelow;
  /** Reads ahead, in slices of a few milliseconds: all files, or of a database the paths that are not too long. Never rejects. */
  load(): Promise<void>;
  /** Keeps an exchange: it is found at once, is with the system before the answers of this turn of the event loop go out (see
   *  `beforeAnswers`), and in its file soon after. Never throws; trouble with the disk is kept for `trouble`. */
  append(exchange: PlainExchange): void;
  /** Exchanges that no file has yet, or not the database; those that were lost; and bytes of the journal. */
  readonly counts: { waiting: number; lost: number; journalBytes: number };
  /** Whether the journal takes exchanges, as far as that shows without one. */
  takesExchanges(): boolean;
  /** The last failure to write, for the log and `health`; undefined while all is well. */
  readonly trouble: Error | undefined;
  /** Resolves once everything appended so far is in its file, or rejects with why it is not. */
  flush(): Promise<void>;
  close(): Promise<void>;
}
