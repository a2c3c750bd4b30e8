import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { PatchgateError, systemCode } from '../../errors.ts';
import { beforeAnswers } from '../../http/end-of-turn.ts';
import { DEFAULT_RULES, type MatchRules } from '../matching/match-rules.ts';
import type { PlainExchange } from '../plain-exchange.ts';
import { Compactor } from './compactor.ts';
import { ExchangeFile, type Place } from './exchange-file.ts';
import { addName, namesBelow, placesIn } from './folder-tree.ts';
import { Journal } from './journal.ts';
import { exchangeLine, type JournalExchange } from './journal-line.ts';
import { locationOf } from './location.ts';
import { PathExchanges } from './path-exchanges.ts';
import { PathNames } from './path-names.ts';
import type { ExchangesOfPath, NamesBelow, RecordingStore } from './recording-store.ts';
import { TroubleNotices } from './trouble-notices.ts';
import { yieldToEventLoop } from './yield-to-event-loop.ts';

export interface StoreOptions {
  /** The recording will be written to: its folder is made now, so that one that cannot be made stops the start. */
  writable?: boolean;
  /** Mode `all`: the first answer to a request drops the exchanges that earlier runs recorded for it in its session. */
  replaces?: boolean;
  /** What an exchange outlives once the answers of its turn go out: the end of the process, or, with `fsync`, that of the
   *  machine too. Default `process`. */
  durability?: 'process' | 'fsync';
  /** Told in a sentence what was found in the journal at the start, when the disk stops taking exchanges, when some are lost,
   *  when all is well again, and that the recording is larger than is comfortable. */
  onNotice?: (notice: string) => void;
  /** Told how many exchanges are with the system now. */
  onKept?: (count: number) => void;
  /** Which requests are the same, so that one replaces what was kept for the other. */
  rules?: MatchRules;
  /** Bytes of exchanges that are kept in memory while the disk does not take them; past it they are not kept. Default
   *  64 MiB. */
  backlogBytes?: number;
  /** Bytes of the journal from which it is compacted while requests come. Default 32 MiB. */
  journalBytes?: number;
}

/** In the recording's folder. */
export const JOURNAL = '.patchgate/journal.ndjson';

const MIB = 1024 * 1024;
/** A file of more is not written again for each small addition: one part of so many must be new, or the run be over. */
const LARGE = MIB;
const SHARE = 4;
/** Up to here a recording is comfortable. */
const COMFORTABLE = { exchanges: 50_000, inOneFile: 5_000, bytesOfFile: 16 * MIB };

/** A recording as a tree of files, one for each method and path: in memory as they are asked for, and written behind a journal. */
export class FileStore implements RecordingStore {
  readonly name: string;
  readonly isWritable: boolean;
  readonly #root: string;
  readonly #options: StoreOptions;
  readonly #mostInMemory: number;
  /** By `placeKey`. */
  readonly #paths = new Map<string, PathExchanges>();
  /** Those with something that their files do not have. */
  readonly #changed = new Set<PathExchanges>();
  #journal: Journal;
  readonly #leave: () => void;
  readonly #compactor = new Compactor(
    () => this.#compact(),
    () => this.#isDue(),
  );
  readonly #writeBeforeAnswers = beforeAnswers(() => {
    // A disk that takes nothing is not tried again by each answer.
    if (this.#journalTrouble === undefined) this.#writeGroup();
  });
  readonly #notices: TroubleNotices<keyof typeof RISKS>;
  /** Lines that the journal does not have: of this turn, or since the disk stopped taking them. */
  #unwritten: Buffer[] = [];
  #unwrittenBytes = 0;
  /** Lines that are on disk, there or in their files. */
  #kept = 0;
  #journalTrouble: Error | undefined;
  #fileTrouble: Error | undefined;
  /** Bytes that the last compaction wrote. */
  #rewritten = 0;
  #lost = 0;
  #lostWhy: Error | undefined;
  /** All files were looked at; those that could not be read are tried again when they are asked for. */
  #unread: Set<string> | undefined;
  #isLarge = false;
  /** Of what is in memory. */
  readonly #names = new PathNames();
  #isClosed = false;

  /** @param journalSize of a writer: bytes of whole lines that an earlier run has left in the journal
   *  @param leave frees the lock */
  constructor(
    root: string,
    name: string,
    options: StoreOptions,
    journalSize?: number,
    leave: () => void = () => undefined,
  ) {
    this.name = name;
    this.isWritable = options.writable ?? false;
    this.#root = root;
    this.#options = options;
    this.#mostInMemory = options.backlogBytes ?? 64 * MIB;
    this.#journal = this.#newJournal(journalSize);
    this.#leave = leave;
    this.#notices = new TroubleNotices('RECORDING FAILS', RISKS, options.onNotice ?? (() => undefined));
  }

  isEmpty(): boolean {
    for (const _ of this.places()) return false;
    return true;
  }

  exchanges(method: string, path: string): ExchangesOfPath {
    const key = placeKey(method, path);
    const isMissing = this.#unread !== undefined && !this.#paths.has(key) && !this.#unread.has(key);
    return isMissing ? NOTHING_RECORDED : this.#asked(method, path);
  }

  #asked(method: string, path: string): PathExchanges {
    const key = placeKey(method, path);
    const found = this.#paths.get(key) ?? this.#newPath(method, path);
    found.load();
    if (!found.isAsked && found.length > 0) {
      this.#paths.set(key, found);
      this.#names.add(found.file.place);
    }
    found.isAsked = true;
    return found;
  }

  *places(): Iterable<Place> {
    const known = new Set<string>();
    for (const [key, found] of this.#paths) {
      if (found.length === 0) continue;
      known.add(key);
      yield found.file.place;
    }
    if (this.#unread) return;
    for (const place of placesIn(this.#root)) if (!known.has(placeKey(place.method, place.path))) yield place;
  }

  below(path: string): NamesBelow {
    if (this.#unread?.size === 0)
      return this.#names.below(path, (method) => this.#paths.has(placeKey(method, path)));
    const names = namesBelow(this.#root, path);
    // What may have no file yet.
    for (const { file } of this.#changed) addName(names, path, file.place);
    return names;
  }

  async load(): Promise<void> {
    const unread = new Set<string>();
    try {
      for (const { method, path } of this.places()) {
        try {
          await this.#asked(method, path).prepare();
        } catch {
          // A request for it is told what is wrong with it.
          unread.add(placeKey(method, path));
        }
        if (this.#isClosed) return;
      }
    } catch {
      // A folder that cannot be read: what is below it is looked for when it is asked for.
      return;
    }
    if (!this.isWritable) this.#unread = unread;
    this.#tellIfLarge();
  }

  append(exchange: PlainExchange): void {
    const { method, path } = exchange.request;
    if (this.#unwrittenBytes > this.#mostInMemory) this.#writeGroup();
    if (this.#unwrittenBytes > this.#mostInMemory) {
      this.#lose(this.#journalTrouble);
      return;
    }
    try {
      const found = this.#pathToAdd(method, path);
      const line = exchangeLine(exchange, found.add(exchange, this.#options.replaces ?? false));
      this.#changed.add(found);
      this.#unwritten.push(line);
      this.#unwrittenBytes += line.length;
    } catch (error) {
      // The config's own function failed.
      this.#lose(error as Error);
      return;
    }
    this.#writeBeforeAnswers();
  }

  get trouble(): Error | undefined {
    if (this.#lost > 0) return notKept(this.#root, this.#lost, this.#lostWhy);
    return this.#journalTrouble ?? this.#fileTrouble;
  }

  get counts() {
    return { waiting: this.#unwritten.length, lost: this.#lost, journalBytes: this.#journal.size };
  }

  takesExchanges(): boolean {
    if (!this.isWritable || this.#journalTrouble) return false;
    try {
      accessSync(this.#root, constants.W_OK | constants.X_OK);
      return true;
    } catch (error) {
      // The next exchange makes it anew.
      return systemCode(error) === 'ENOENT';
    }
  }

  /** Takes in what an earlier run has left in the journal, and writes it into the files. @throws PatchgateError */
  async takeIn(left: readonly JournalExchange[]): Promise<void> {
    try {
      for (const one of left) this.#apply(one);
      await this.flush();
    } catch (error) {
      // All stays in the journal.
      this.#changed.clear();
      await this.#compactor.end(() => false);
      this.#journal.close();
      throw error;
    }
    // These are that run's: this one may replace them.
    this.#paths.clear();
  }

  async flush(): Promise<void> {
    if (!this.isWritable) return;
    await this.#compactor.now();
    this.#throwWhatIsMissing();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    try {
      await this.#compactor.end(
        () => this.isWritable && (this.#changed.size > 0 || this.#unwritten.length > 0),
      );
      // These are not tried again.
      const inMemory = this.#unwritten.length;
      if (inMemory > 0) throw notKept(this.#root, this.#lost + inMemory, this.#journalTrouble);
      this.#throwWhatIsMissing();
    } finally {
      this.#journal.close();
      this.#leave();
    }
  }

  #throwWhatIsMissing(): void {
    if (this.trouble && (this.#lost > 0 || this.#changed.size > 0)) throw this.trouble;
  }

  #apply(line: JournalExchange): void {
    const found = this.#pathOf(line);
    found.load();
    found.apply(line);
  }

  /** Of a reader: what the journal says, for when it is asked for. */
  readJournal(lines: readonly JournalExchange[]): void {
    for (const line of lines) this.#pathOf(line).applyLater(line);
  }

  #pathOf({ exchange: { request } }: JournalExchange): PathExchanges {
    const { method, path } = request;
    const key = placeKey(method, path);
    const found = this.#paths.get(key) ?? this.#newPath(method, path);
    this.#paths.set(key, found);
    this.#changed.add(found);
    return found;
  }

  /** A file that cannot be read as it is keeps nothing from being recorded: it waits in the journal. */
  #pathToAdd(method: string, path: string): PathExchanges {
    const key = placeKey(method, path);
    const known = this.#paths.get(key);
    if (known) return known;
    const found = this.#newPath(method, path);
    this.#paths.set(key, found);
    try {
      found.load();
    } catch {
      // Told when it is to be written.
    }
    return found;
  }

  #newPath(method: string, path: string): PathExchanges {
    const name = join(this.#root, locationOf(method, path));
    const { durability, rules = DEFAULT_RULES } = this.#options;
    const file = new ExchangeFile(name, { method, path }, durability === 'fsync');
    return new PathExchanges(file, rules);
  }

  /** All lines of this turn, and what could not be written before, in one write. */
  #writeGroup(): void {
    const count = this.#unwritten.length;
    // After trouble it is tried without lines, too.
    if (count === 0 && !this.#journalTrouble) return;
    try {
      if (this.#journal.isGone) this.#beginAnew();
      this.#journal.append(count === 1 ? (this.#unwritten[0] as Buffer) : Buffer.concat(this.#unwritten));
      this.#written(count);
      this.#journalTrouble = undefined;
      this.#compactor.changed();
    } catch (error) {
      this.#journalTrouble = error as Error;
      this.#compactor.failed();
    }
    // Files that grow are written again when half as much is new: each byte is then written three times at most.
    if (this.#journal.size > Math.max(this.#options.journalBytes ?? 32 * MIB, this.#rewritten / 2))
      this.#compactor.hurry();
    this.#tell();
  }

  /** The first lines that were in memory alone are on disk. */
  #written(count: number): void {
    for (const { length } of this.#unwritten.splice(0, count)) this.#unwrittenBytes -= length;
    this.#kept += count;
    if (count > 0) this.#options.onKept?.(count);
  }

  /** Somebody has removed the folder: what was in the journal alone is still in memory. */
  #beginAnew(): void {
    this.#journal.close();
    this.#journal = this.#newJournal();
    this.#compactor.hurry();
  }

  #newJournal(size?: number): Journal {
    const isDurable = this.#options.durability === 'fsync';
    return new Journal(join(this.#root, JOURNAL), { size, isDurable });
  }

  /** Where little is new in large files, it waits for more, or for the end. */
  #isDue(): boolean {
    let size = 0;
    for (const { file } of this.#changed) if (file.size > LARGE) size += file.size;
    return this.trouble !== undefined || this.#journal.size * SHARE > size;
  }

  /** Writes the files; only then what they have is taken out of the journal. Never rejects. */
  async #compact(): Promise<void> {
    this.#writeGroup();
    const journal = this.#journal;
    const upTo = journal.size;
    const inFiles = this.#kept + this.#unwritten.length;
    let trouble: Error | undefined;
    let rewritten = 0;
    for (const found of [...this.#changed]) {
      this.#changed.delete(found);
      try {
        rewritten += await found.save();
      } catch (error) {
        this.#changed.add(found);
        trouble ??= error as Error;
      }
      await yieldToEventLoop();
    }
    this.#rewritten = rewritten;
    try {
      if (!trouble) {
        if (inFiles > this.#kept) this.#written(inFiles - this.#kept);
        if (journal === this.#journal) journal.drop(upTo);
      }
    } catch (error) {
      trouble = error as Error;
    }
    this.#fileTrouble = trouble;
    if (trouble) this.#compactor.failed();
    this.#tell();
    this.#tellIfLarge();
  }

  /** Once. */
  #tellIfLarge(): void {
    if (this.#isLarge) return;
    let count = 0;
    for (const { length, file } of this.#paths.values()) {
      count += length;
      if (length > COMFORTABLE.inOneFile || file.size > COMFORTABLE.bytesOfFile) this.#isLarge = true;
    }
    if (!this.#isLarge && count <= COMFORTABLE.exchanges) return;
    this.#isLarge = true;
    this.#options.onNotice?.(
      `the recording ${this.#root} is large: past 50,000 exchanges, or 5,000 or 16 MiB for one method and path, it works, but slower`,
    );
  }

  #lose(why: Error | undefined): void {
    this.#lost++;
    this.#lostWhy = why;
    this.#tell(true);
  }

  #tell(isLosing = false): void {
    const reason = this.#journalTrouble ?? this.#fileTrouble ?? (isLosing ? this.#lostWhy : undefined);
    const missing =
      this.#lost > 0 ? `, but ${exchanges(this.#lost)} not kept: record again` : ': nothing is missing';
    if (!reason) this.#notices.over(`recording into ${this.#root} works again${missing}`);
    else this.#notices.trouble(reason, isLosing ? 'losing' : this.#journalTrouble ? 'memory' : 'journal');
  }
}

const RISKS = {
  journal:
    'Nothing is lost: it stays in the journal, and gets into its file as soon as that can be written, at the next start at the latest.',
  memory: 'What is recorded now is only in memory, and lost if this process is killed.',
  losing: 'No more fits in memory: exchanges are lost from now on.',
};

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

const NO_EXCHANGES: readonly never[] = [];
const NOTHING_RECORDED: ExchangesOfPath = {
  all: NO_EXCHANGES,
  length: 0,
  open: NO_EXCHANGES,
  withKey: () => NO_EXCHANGES,
  withBytes: () => undefined,
};

function placeKey(method: string, path: string): string {
  return `${method} ${path}`;
}
