import { accessSync, constants, statSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, PatchgateError } from '../errors.ts';
import { HIDDEN, hideFromGit, ifThere, LOCK, leaveHidden, makeFolders } from './disk.ts';
import { placesIn, readExchanges } from './files.ts';
import { takeLock } from './lock.ts';
import { ExchangeIndex } from './match.ts';
import { DEFAULT_RULES, type MatchRules } from './match-rules.ts';
import { merge } from './merge.ts';
import { keysBy, mergeLeft, readWaiting, type WaitingRun } from './merge-files.ts';
import { checkRecordingName, locationOf, type Place } from './names.ts';
import { type PlainExchange, toStoredExchange } from './plain-exchange.ts';
import { StoredExchange } from './stored-exchange.ts';
import { Writer, type WriterOptions } from './writer.ts';

/** The exchanges of one method and path. */
export type ExchangesOfPath = Pick<ExchangeIndex, 'length' | 'find' | 'withBytes'> & {
  /** Oldest first; the same list as long as exchanges are only added. */
  readonly all: readonly StoredExchange[];
};

/** The port to a recording: a named place that holds exchanges, in files or in a database that many gates share. */
export interface RecordingStore {
  readonly name: string;
  /** Whether something may be appended. */
  readonly isWritable: boolean;
  /** Whether nothing has been recorded here yet. */
  isEmpty(): boolean;
  /** The exchanges of a method and path (as sent, without query). They are read when they are first asked for, and stay in memory.
   *  @throws PatchgateError `bad-recording`, `cannot-read`. A store that has `ready` knows them when that has resolved */
  exchanges(method: string, path: string): ExchangesOfPath;
  /** Of a store that cannot read at once: resolves when `exchanges` knows a method and path; undefined if it does. */
  ready?(method: string, path: string): Promise<void> | undefined;
  /** All methods and paths of the recording, in no promised order. */
  places(): Iterable<Place>;
  /** Reads all ahead, in slices of a few milliseconds. @throws PatchgateError of the first broken file, once all others are read */
  load(): Promise<void>;
  /** Keeps an exchange: the system has it before the answers of this turn of the event loop go out (see `beforeAnswers`), and its file
   *  soon after. Never throws: see `trouble`. */
  append(exchange: PlainExchange): void;
  /** Exchanges that are in memory alone, or not in the database; those that were lost; and bytes of the journal. */
  readonly counts: { waiting: number; lost: number; journalBytes: number };
  takesExchanges(): boolean;
  /** The last failure to write, for the log and `health`; undefined while all is well. */
  readonly trouble: Error | undefined;
  /** Resolves once everything appended so far is in its file, or rejects with why it is not. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

export interface StoreOptions
  extends Pick<WriterOptions, 'onNotice' | 'onKept' | 'closeWithin' | 'mostBytes'> {
  /** The recording will be written to: its folder is made now, so that one that cannot be made stops the start. */
  writable?: boolean;
  /** Mode `all`: answers take the places of those that earlier runs recorded. What this run records is then not read. */
  replaces?: boolean;
  /** Which requests are the same, so that one replaces what was kept for the other. */
  rules?: MatchRules;
}

/**
 * Opens the recording `name` in a folder of recordings. Only its journal is read before something is asked for. One process at a time
 * may write to it; a reader beside it sees the exchanges so far.
 *
 * @throws PatchgateError `bad-usage` (the name), `cannot-read`, `cannot-write` (the folder), `bad-recording` (the journal, or
 *  a file that it is for), `recording-in-use`
 */
export async function openStore(
  folder: string,
  name: string,
  options: StoreOptions = {},
): Promise<RecordingStore> {
  checkRecordingName(name);
  const root = join(folder, name);
  if (options.writable) return openToWrite(root, name, options);
  if (ifThere(root, () => statSync(root).isDirectory()) ?? true) return new FileStore(root, name, options);
  throw new PatchgateError('cannot-read', `${root} is no folder`, {
    hint: 'a recording is a folder: give another name with --recording',
  });
}

async function openToWrite(root: string, name: string, options: StoreOptions): Promise<RecordingStore> {
  const { rules = DEFAULT_RULES, replaces, ...others } = options;
  try {
    makeFolders(root);
    accessSync(root, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new PatchgateError('cannot-write', `cannot record into ${root}: ${messageOf(error)}`, {
      hint: 'choose another folder with --recordings, or correct its permissions',
      cause: error,
    });
  }
  const hidden = join(root, HIDDEN);
  const instead = 'record under another name with --recording, or in another folder with --recordings';
  const lock = takeLock(join(hidden, LOCK), `the recording ${root}`, instead);
  const leave = () => leaveHidden(hidden, () => lock.release());
  try {
    hideFromGit(hidden);
    if (await mergeLeft(root, rules))
      options.onNotice?.(`what an earlier run had left in the journal of ${root} is in its files now`);
    const writer = new Writer(root, { ...others, rules, mode: replaces ? 'all' : 'append' });
    return new FileStore(root, name, options, { writer, leave });
  } catch (error) {
    leave();
    throw error;
  }
}

const NOTHING_RECORDED: ExchangesOfPath = new ExchangeIndex([], DEFAULT_RULES);
const NONE_WAITING: WaitingRun = { mode: 'append', counts: {}, frames: new Map() };

/** A recording as a tree of files, one for each method and path. */
class FileStore implements RecordingStore {
  readonly name: string;
  readonly isWritable: boolean;
  readonly #root: string;
  readonly #rules: MatchRules;
  readonly #writer: Writer | undefined;
  /** Of a writer: frees the lock. */
  readonly #leave: (() => void) | undefined;
  /** Of a reader: what the journal held when it was opened. */
  readonly #waiting: WaitingRun;
  /** Those that were asked for, by method and path. */
  readonly #paths = new Map<string, { place: Place; index: ExchangeIndex }>();
  /** All files were looked at. */
  #isLoaded = false;
  #isClosed = false;

  /** @throws PatchgateError `cannot-read`, `bad-recording` */
  constructor(
    root: string,
    name: string,
    { rules = DEFAULT_RULES }: StoreOptions,
    writing?: { writer: Writer; leave: () => void },
  ) {
    this.name = name;
    this.isWritable = writing !== undefined;
    this.#root = root;
    this.#rules = rules;
    this.#writer = writing?.writer;
    this.#leave = writing?.leave;
    this.#waiting = writing ? NONE_WAITING : readWaiting(root);
  }

  isEmpty(): boolean {
    for (const _ of this.places()) return false;
    return true;
  }

  exchanges(method: string, path: string): ExchangesOfPath {
    const key = `${method} ${path}`;
    const found = this.#paths.get(key);
    if (found) return found.index;
    const location = locationOf(method, path);
    const { mode, counts, frames } = this.#waiting;
    const waiting = frames.get(location)?.map(toStoredExchange) ?? [];
    if (this.#isLoaded && waiting.length === 0) return NOTHING_RECORDED;
    const place = { method, path };
    const kept = readExchanges(join(this.#root, location), place) ?? [];
    const { exchanges } = merge(kept, waiting, mode, counts[location] ?? {}, keysBy(this.#rules));
    const index = new ExchangeIndex(exchanges.map(StoredExchange.of), this.#rules);
    // Clients may ask for paths without exchanges without end.
    if (exchanges.length > 0 || this.isWritable) this.#paths.set(key, { place, index });
    return index;
  }

  *places(): Iterable<Place> {
    const given = new Set<string>();
    for (const [key, { place, index }] of this.#paths) {
      if (index.length === 0) continue;
      given.add(key);
      yield place;
    }
    for (const [first] of this.#waiting.frames.values()) {
      const { method, path } = (first as PlainExchange).request;
      if (given.has(`${method} ${path}`)) continue;
      given.add(`${method} ${path}`);
      yield { method, path };
    }
    if (this.#isLoaded) return;
    for (const place of placesIn(this.#root)) if (!given.has(`${place.method} ${place.path}`)) yield place;
  }

  async load(): Promise<void> {
    let broken: unknown;
    for (const { method, path } of this.places()) {
      try {
        this.exchanges(method, path);
        await this.#paths.get(`${method} ${path}`)?.index.prepare();
      } catch (error) {
        broken ??= error;
      }
      if (this.#isClosed) return;
    }
    if (broken !== undefined) throw broken;
    this.#isLoaded = !this.isWritable;
  }

  append(exchange: PlainExchange): void {
    if (!this.#writer?.append(exchange) || this.#writer.mode === 'all') return;
    const { method, path } = exchange.request;
    try {
      // The next request finds it already.
      const index = this.exchanges(method, path) as ExchangeIndex;
      index.all.push(StoredExchange.of(toStoredExchange(exchange)));
    } catch {
      // Its file is broken, which a look at it says: the exchange waits in the journal.
    }
  }

  get counts() {
    return this.#writer?.counts ?? { waiting: 0, lost: 0, journalBytes: 0 };
  }

  takesExchanges(): boolean {
    return this.#writer?.takesExchanges ?? false;
  }

  get trouble(): Error | undefined {
    return this.#writer?.trouble;
  }

  async flush(): Promise<void> {
    await this.#writer?.flush();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    try {
      await this.#writer?.close();
    } finally {
      this.#leave?.();
    }
  }
}
