import { join } from 'node:path';
import { PatchgateError } from '../errors.ts';
import type { Exchange } from '../model/exchange.ts';
import { type KeptBody, readBody } from './files/body-files.ts';
import { FileCache } from './files/file-cache.ts';
import { Gaps } from './files/gaps.ts';
import { KeptFile } from './files/kept-file.ts';
import type { KeptFileContext } from './files/kept-file-context.ts';
import { listFiles } from './files/list-files.ts';
import { type NamesBelow, namesBelow } from './files/names-below.ts';
import { sizeOnDisk } from './files/recording-file.ts';
import { HashSet } from './hash-set.ts';
import { FoldBehind } from './journal/fold-behind.ts';
import type { Journal } from './journal/journal.ts';
import { exchangeLine } from './journal/journal-line.ts';
import { fileKey, type Waiting, type WaitingFiles } from './journal/waiting-files.ts';
import type { KeptExchanges } from './kept-exchanges.ts';
import type { MatchRules } from './matching/match-rules.ts';
import { DEFAULT_RULES } from './matching/match-rules.ts';
import { requestFacts } from './matching/request-facts.ts';
import type { PlainExchange } from './plain-exchange.ts';
import { HIDDEN } from './store/hidden-folder.ts';
import { locationOf } from './store/location.ts';
import { TroubleNotices } from './store/trouble-notices.ts';
import type { RecordingStore } from './store.ts';

export interface StoreOptions {
  /** The recording will be written to: its folder is made now, so that one that cannot be made stops the start, and what
   *  an earlier run left in the journal is moved into the files. */
  writable?: boolean;
  /** What an exchange outlives once `append` has returned: the end of the process, or, with `fsync`, that of the machine
   *  too. Default `process`. */
  durability?: 'process' | 'fsync';
  /** Told in a sentence what was found in the journal at the start, when the disk stops taking exchanges, when some are lost, and when all is well again. */
  onNotice?: (notice: string) => void;
  /** Take the new `meta` where nothing else of an exchange changed. */
  refreshMeta?: boolean;
  /** Which requests are the same, so that one replaces what was kept for the other. */
  rules?: MatchRules;
  /** Bytes from which a file stays on disk while it is asked for. Default 1 MiB. */
  largeBytes?: number;
  /** Bytes of files whose content is kept in memory, about. Default 16 MiB. */
  cacheBytes?: number;
  /** Bytes of exchanges that are kept in memory while the disk does not take them; past it they are not kept. Default
   *  64 MiB. */
  backlogBytes?: number;
  /** Bytes of exchanges that may wait in the journal while requests come, about. Default 256 MiB. */
  journalBytes?: number;
}

/** What a store is opened with. */
export interface Opened {
  journal: Journal;
  waiting: WaitingFiles;
  /** See FollowedJournal; of a store that writes itself, always the same number. */
  catchUp(): number;
  /** Frees what was opened with it: the lock, say. */
  leave(): void;
}

const MIB = 1024 * 1024;

/** By how bad it is: nothing is lost as long as the process lives, or not even then. */
const RISKS = {
  journal:
    'Nothing is lost: it stays in the journal, and gets into its file as soon as that can be written, at the next start at the latest.',
  memory: 'What is recorded now is only in memory, and lost if this process is killed.',
  losing: 'No more fits in memory: exchanges are lost from now on.',
};

/** A recording as a tree of lowdb files, one for each method and path, read when asked for and written behind. */
export class LowdbStore implements RecordingStore {
  readonly name: string;
  readonly #root: string;
  readonly isWritable: boolean;
  readonly #backlogBytes: number;
  readonly #journal: Journal;
  readonly #waiting: WaitingFiles;
  readonly #leave: () => void;
  readonly #folder: FoldBehind;
  readonly #context: KeptFileContext;
  readonly #notices: TroubleNotices<keyof typeof RISKS>;
  readonly #files: FileCache;
  /** Large files that were written: their indexes are made when all is over. */
  readonly #large = new Map<string, Waiting['place']>();
  /** Exchanges that could not be kept, and why. */
  #lost = 0;
  #lostWhy: Error | undefined;

  constructor(root: string, name: string, opened: Opened, options: StoreOptions) {
    const { journal, waiting, catchUp, leave } = opened;
    this.name = name;
    this.#root = root;
    this.isWritable = options.writable ?? false;
    const { cacheBytes = 16 * MIB, largeBytes = MIB, rules = DEFAULT_RULES } = options;
    this.#backlogBytes = options.backlogBytes ?? 64 * MIB;
    this.#journal = journal;
    this.#waiting = waiting;
    this.#leave = leave;
    this.#notices = new TroubleNotices('RECORDING FAILS', RISKS, options.onNotice ?? (() => undefined));
    this.#folder = new FoldBehind(
      journal,
      waiting,
      options.journalBytes ?? 256 * MIB,
      (key) => this.#fold(key),
      ({ method, path }) => sizeOnDisk(join(root, locationOf(method, path))),
      () => this.#tell(),
    );
    this.#context = {
      journal,
      waiting,
      gaps: new Gaps(cacheBytes),
      started: new HashSet(),
      breathe: () => this.#folder.breathe(),
      isDurable: options.durability === 'fsync',
      isWritable: options.writable ?? false,
      contents: options,
      catchUp,
      factsOf: ({ request }) => requestFacts(request, rules),
      matching: rules.name,
      largeBytes,
      indexFolder: join(root, HIDDEN, 'index'),
    };
    this.#files = new FileCache(
      cacheBytes,
      (key, method, path) =>
        new KeptFile(key, join(root, locationOf(method, path)), { method, path }, this.#context),
    );
  }

  get trouble(): Error | undefined {
    if (this.#lost > 0) return notKept(this.#root, this.#lost, this.#lostWhy);
    return this.#unwritten;
  }

  /** Why something is not where it should be, though not lost. */
  get #unwritten(): Error | undefined {
    return this.#journal.trouble ?? this.#folder.trouble;
  }

  async isEmpty(): Promise<boolean> {
    for await (const _ of this.paths()) return false;
    return true;
  }

  async look(method: string, path: string): Promise<KeptExchanges> {
    const file = this.#files.file(method, path);
    if (!file.isUpToDate) await this.#ask(file);
    this.#files.settle(file);
    return file.exchanges;
  }

  async find(method: string, path: string): Promise<readonly Exchange[]> {
    const exchanges = await this.look(method, path);
    return Array.from({ length: exchanges.length }, (_, index) => exchanges.at(index));
  }

  readBody(method: string, path: string, body: KeptBody | undefined): Promise<Buffer> {
    return readBody(join(this.#root, locationOf(method, path)), body);
  }

  async *paths(): AsyncIterable<{ method: string; path: string }> {
    const waiting = new Set<string>();
    for (const { key, place } of this.#waiting.all()) {
      waiting.add(key);
      yield place;
    }
    for await (const { place } of listFiles(this.#root)) {
      if (!waiting.has(fileKey(place.method, place.path))) yield place;
    }
  }

  below(path: string): Promise<NamesBelow> {
    return namesBelow(this.#root, path, this.#waiting.all());
  }

  append(exchange: PlainExchange, replace = false, failures = 0): void {
    const line = exchangeLine(exchange, replace, failures);
    if (!this.#hasRoom(line.length)) {
      this.#lost++;
      this.#lostWhy = this.#unwritten;
      this.#tell(true);
      return;
    }
    const start = this.#journal.append(line);
    const { method, path } = exchange.request;
    const mayReplace = replace || exchange.failure !== undefined;
    this.#waiting.add(method, path, start, start + line.length, mayReplace);
    this.#folder.noticed();
    this.#tell();
  }

  /** Whether a line can be kept: on disk, or in memory as far as that goes. */
  #hasRoom(length: number): boolean {
    const isFull = () => this.#journal.unwritten > 0 && this.#journal.unwritten + length > this.#backlogBytes;
    if (!isFull()) return true;
    this.#journal.retry();
    return !isFull();
  }

  #tell(isLosing = false): void {
    const reason = this.#unwritten;
    const missing =
      this.#lost > 0 ? `, but ${exchanges(this.#lost)} not kept: record again` : ': nothing is missing';
    if (!reason) this.#notices.over(`recording into ${this.#root} works again${missing}`);
    else
      this.#notices.trouble(reason, isLosing ? 'losing' : this.#journal.unwritten > 0 ? 'memory' : 'journal');
  }

  /** Moves what an earlier run has left in the journal into the files. */
  async foldRemains(): Promise<void> {
    await this.flush();
    // These are that run's: this one may replace what is in them.
    this.#context.started.clear();
  }

  async flush(): Promise<void> {
    if (!this.isWritable) return;
    await this.#folder.flush();
    if (this.trouble) throw this.trouble;
  }

  async close(): Promise<void> {
    try {
      await this.flush();
    } catch (error) {
      const inMemory = this.#journal.unwrittenLines;
      // Nobody tries again to write these.
      throw inMemory > 0 ? notKept(this.#root, this.#lost + inMemory, this.#unwritten) : error;
    } finally {
      for (const { method, path } of this.#large.values()) await this.#files.file(method, path).index();
      this.#journal.close();
      this.#leave();
    }
  }

  async #ask(file: KeptFile): Promise<void> {
    try {
      await file.ask();
    } catch (error) {
      // Once it is repaired it is read again. What waits for it is in the journal.
      this.#files.drop(file);
      throw error;
    }
  }

  /** @returns the file's size */
  async #fold(key: string): Promise<number> {
    const { method, path } = (this.#waiting.get(key) as Waiting).place;
    const file = this.#files.file(method, path);
    file.isFolding = true;
    try {
      await file.save();
    } finally {
      file.isFolding = false;
      file.rest();
      if (file.isAsked) this.#files.settle(file);
      else this.#files.drop(file);
    }
    if (file.written >= this.#context.largeBytes) this.#large.set(key, { method, path });
    return file.written;
  }
}

/** @param why the trouble that began it */
function notKept(root: string, count: number, why: Error | undefined): PatchgateError {
  const reason = why ? `: ${why.message}` : '';
  return new PatchgateError('cannot-write', `${exchanges(count)} not kept in ${root}${reason}`, {
    hint: 'make room on the disk or correct the permissions, then record again',
    cause: why,
  });
}

function exchanges(count: number): string {
  return count === 1 ? '1 exchange was' : `${count} exchanges were`;
}
