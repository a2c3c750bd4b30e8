import { randomBytes } from 'node:crypto';
import { accessSync, constants, existsSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, PatchgateError, systemCode } from '../errors.ts';
import { beforeAnswers } from '../http/end-of-turn.ts';
import { HIDDEN, hideFromGit, ifThere, LOCK, leaveHidden, makeFolders } from './disk.ts';
import { placesIn, readExchanges } from './files.ts';
import {
  encodeFrame,
  JOURNAL,
  Journal,
  type JournalHead,
  readSegments,
  segmentFile,
  segmentNumbers,
} from './journal.ts';
import { takeLock } from './lock.ts';
import { ExchangeIndex } from './match.ts';
import { DEFAULT_RULES, type MatchRules } from './match-rules.ts';
import { type Counts, merge } from './merge.ts';
import {
  forgetState,
  keysBy,
  type MergeResult,
  mergeBeside,
  NOTHING_MERGED,
  parseState,
  readState,
} from './merge-segments.ts';
import { checkRecordingName, locationOf, type Place } from './names.ts';
import { type PlainExchange, toStoredExchange } from './plain-exchange.ts';
import { StoredExchange } from './stored-exchange.ts';
import { TroubleNotices } from './trouble-notices.ts';

/** The exchanges of one method and path. */
export type ExchangesOfPath = Pick<ExchangeIndex, 'length' | 'find' | 'withBytes'> & {
  /** Oldest first; the same list as long as exchanges are only added. */
  readonly all: readonly StoredExchange[];
};

/** The port to a recording: a named place that holds exchanges. Files are one, a database that many gates share is another. */
export interface RecordingStore {
  readonly name: string;
  /** Whether something may be appended. */
  readonly isWritable: boolean;
  /** Whether nothing has been recorded here yet. */
  isEmpty(): boolean;
  /** The exchanges of a method and path (as sent, without query), read now if they are not in memory. They stay there.
   *  @throws PatchgateError `bad-recording` where their file is broken, `cannot-read`. Of a store that has `ready`, they are there when it
   *  has resolved */
  exchanges(method: string, path: string): ExchangesOfPath;
  /** Of a store that cannot read at once: resolves when `exchanges` has what it knows of a method and path by now; undefined where it
   *  has. Rejects where that cannot be read. */
  ready?(method: string, path: string): Promise<void> | undefined;
  /** All methods and paths of the recording, in no promised order. */
  places(): Iterable<Place>;
  /** Reads all ahead, in slices of a few milliseconds. @throws PatchgateError of the first file that is broken, once all others are read */
  load(): Promise<void>;
  /** Keeps an exchange: it is with the system before the answers of this turn of the event loop go out (see `beforeAnswers`), and in its
   *  file soon after. Never throws; trouble with the disk is kept for `trouble`. */
  append(exchange: PlainExchange): void;
  /** Exchanges that are in memory alone, or not in the database; those that were lost; and bytes of the journal. */
  readonly counts: { waiting: number; lost: number; journalBytes: number };
  /** Whether the journal takes exchanges, as far as that shows without one. */
  takesExchanges(): boolean;
  /** The last failure to write, for the log and `health`; undefined while all is well. */
  readonly trouble: Error | undefined;
  /** Resolves once everything appended so far is in its file, or rejects with why it is not. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

export interface StoreOptions {
  /** The recording will be written to: its folder is made now, so that one that cannot be made stops the start. */
  writable?: boolean;
  /** Mode `all`: answers take the places of those that earlier runs recorded. What this run records is then not read. */
  replaces?: boolean;
  /** Told in a sentence what was found in the journal at the start, when the disk stops taking exchanges, when some are lost, and when
   *  all is well again. */
  onNotice?: (notice: string) => void;
  /** Told how many exchanges are with the system now. */
  onKept?: (count: number) => void;
  /** Which requests are the same, so that one replaces what was kept for the other. */
  rules?: MatchRules;
  /** Bytes of exchanges that are kept in memory while the disk does not take them; past it they are not kept. Default 64 MiB. */
  backlogBytes?: number;
  /** Bytes of the journal from which it is merged while requests come. Default 64 MiB. */
  journalBytes?: number;
  /** Milliseconds that `close` may take; what is left is merged by the next start. Default: as long as it takes. */
  closeWithin?: number;
}

const MIB = 1024 * 1024;
/** Nothing has come for so long: then it is merged. */
const QUIET_MS = 1000;
/** Past this, people are told what `close` is doing. */
const PATIENCE_MS = 1000;

/**
 * Opens the recording `name` in a folder of recordings. Nothing of it is read before it is asked for, but the journal. One process at a
 * time may write to it; a reader beside that sees what is there now.
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
  const isFolder = ifThere(root, () => statSync(root).isDirectory()) ?? true;
  if (isFolder) return new FileStore(root, name, options);
  throw new PatchgateError('cannot-read', `${root} is no folder`, {
    hint: 'a recording is a folder: give another name with --recording',
  });
}

async function openToWrite(root: string, name: string, options: StoreOptions): Promise<RecordingStore> {
  const { rules = DEFAULT_RULES, onNotice } = options;
  makeFolder(root);
  const hidden = join(root, HIDDEN);
  const lock = takeLock(
    join(hidden, LOCK),
    `the recording ${root}`,
    'record under another name with --recording, or in another folder with --recordings',
  );
  const leave = () => leaveHidden(hidden, () => lock.release());
  try {
    hideFromGit(hidden);
    if (hasJournal(root)) {
      // One that is broken keeps its name.
      const isLeft = readSegments(hidden).some(({ frames }) => frames.length > 0);
      const state = readState(hidden);
      // A number up to that of the last merged segment would say that the files have it.
      const last = Math.max(
        parseState(state, hidden).merged,
        ...segmentNumbers(hidden).filter(Number.isFinite),
      );
      const journal = join(hidden, JOURNAL);
      if (existsSync(journal)) renameSync(journal, segmentFile(hidden, last + 1));
      const merging = { rules, ends: false };
      const { trouble } = await mergeBeside(root, state, merging);
      if (trouble) throw trouble;
      if (isLeft) onNotice?.(`what an earlier run had left in the journal of ${root} is in its files now`);
    }
    forgetState(hidden);
    return new FileStore(root, name, options, leave);
  } catch (error) {
    leave();
    throw error;
  }
}

/** Something may stand in the journal. @param root the recording's folder */
export function hasJournal(root: string): boolean {
  return segmentNumbers(join(root, HIDDEN)).length > 0;
}

/** What is in no file yet, as far as a reader can see. @throws PatchgateError `cannot-read`, `bad-recording` */
export function waitingIn(root: string): PlainExchange[] {
  return readSegments(join(root, HIDDEN)).flatMap(({ frames }) => frames);
}

function makeFolder(folder: string): void {
  try {
    makeFolders(folder);
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new PatchgateError('cannot-write', `cannot record into ${folder}: ${messageOf(error)}`, {
      hint: 'choose another folder with --recordings, or correct its permissions',
      cause: error,
    });
  }
}

/** What a run has left in the journal for a method and path. */
interface Batch extends JournalHead {
  counts: Counts;
  frames: PlainExchange[];
}

interface Waiting {
  place: Place;
  /** Oldest run first. */
  batches: Batch[];
}

/** A recording as a tree of files, one for each method and path. */
class FileStore implements RecordingStore {
  readonly name: string;
  readonly isWritable: boolean;
  readonly #root: string;
  readonly #options: StoreOptions;
  readonly #rules: MatchRules;
  readonly #leave: () => void;
  /** Those that were asked for, by `placeKey`. */
  readonly #paths = new Map<string, { place: Place; index: ExchangeIndex }>();
  /** What no file has, and nobody has asked for, by `placeKey`. */
  readonly #waiting = new Map<string, Waiting>();
  /** All files were looked at. */
  #isLoaded = false;
  readonly #head: JournalHead;
  readonly #journal: Journal;
  /** How far merging is. */
  #state = NOTHING_MERGED;
  #segments = 0;
  /** Frames that the journal does not have: of this turn, or since the disk stopped taking them. */
  #unwritten: Buffer[] = [];
  #unwrittenBytes = 0;
  /** Frames that no file has. */
  #unmerged = 0;
  #lost = 0;
  #lostWhy: Error | undefined;
  #journalTrouble: Error | undefined;
  #fileTrouble: Error | undefined;
  readonly #notices: TroubleNotices<keyof typeof RISKS>;
  readonly #quiet: NodeJS.Timeout;
  #merging: Promise<void> = Promise.resolve();
  #isMerging = false;
  #isClosing = false;
  readonly #stop = new AbortController();
  readonly #writeBeforeAnswers = beforeAnswers(() => {
    // A disk that takes nothing is not tried again by each answer.
    if (this.#journalTrouble === undefined) this.#writeGroup();
  });

  /** @param leave of a writer: frees the lock @throws PatchgateError `cannot-read`, `bad-recording` */
  constructor(root: string, name: string, options: StoreOptions, leave: () => void = () => undefined) {
    this.name = name;
    this.isWritable = options.writable ?? false;
    this.#root = root;
    this.#options = options;
    this.#rules = options.rules ?? DEFAULT_RULES;
    this.#leave = leave;
    this.#head = { run: randomBytes(9).toString('base64url'), mode: options.replaces ? 'all' : 'append' };
    this.#journal = new Journal(join(root, HIDDEN), this.#head);
    this.#notices = new TroubleNotices('RECORDING FAILS', RISKS, options.onNotice ?? (() => undefined));
    this.#quiet = setTimeout(() => void this.#merge(), QUIET_MS).unref();
    if (!this.isWritable) this.#readJournal();
  }

  isEmpty(): boolean {
    for (const _ of this.places()) return false;
    return true;
  }

  exchanges(method: string, path: string): ExchangesOfPath {
    const key = placeKey(method, path);
    const found = this.#paths.get(key);
    if (found) return found.index;
    const waiting = this.#waiting.get(key);
    if (this.#isLoaded && !waiting) return NOTHING_RECORDED;
    const place = { method, path };
    let exchanges = readExchanges(join(this.#root, locationOf(method, path)), place) ?? [];
    for (const { mode, counts, frames } of waiting?.batches ?? [])
      exchanges = merge(exchanges, frames.map(toStoredExchange), mode, counts, keysBy(this.#rules)).exchanges;
    const index = new ExchangeIndex(exchanges.map(StoredExchange.of), this.#rules);
    // What nothing is recorded for may be asked for without end.
    if (exchanges.length > 0 || this.isWritable) this.#paths.set(key, { place, index });
    this.#waiting.delete(key);
    return index;
  }

  *places(): Iterable<Place> {
    const known = new Set<string>();
    for (const [key, { place, index }] of this.#paths) {
      if (index.all.length === 0) continue;
      known.add(key);
      yield place;
    }
    for (const [key, { place }] of this.#waiting) {
      known.add(key);
      yield place;
    }
    if (this.#isLoaded) return;
    for (const place of placesIn(this.#root)) if (!known.has(placeKey(place.method, place.path))) yield place;
  }

  async load(): Promise<void> {
    let broken: unknown;
    for (const { method, path } of this.places()) {
      try {
        this.exchanges(method, path);
        await this.#paths.get(placeKey(method, path))?.index.prepare();
      } catch (error) {
        broken ??= error;
      }
      if (this.#stop.signal.aborted) return;
    }
    if (broken !== undefined) throw broken;
    this.#isLoaded = !this.isWritable;
  }

  append(exchange: PlainExchange): void {
    if (this.#unwrittenBytes > (this.#options.backlogBytes ?? 64 * MIB)) {
      this.#writeGroup();
      if (this.#unwritten.length > 0) {
        this.#lost++;
        this.#lostWhy = this.#journalTrouble;
        this.#tell(true);
        return;
      }
    }
    const frame = encodeFrame(exchange);
    this.#unwritten.push(frame);
    this.#unwrittenBytes += frame.length;
    if (this.#head.mode === 'append') this.#remember(exchange);
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

  async flush(): Promise<void> {
    if (!this.isWritable) return;
    await this.#merge();
    this.#throwWhatIsMissing();
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#quiet);
    if (!this.isWritable) {
      this.#stop.abort();
      return;
    }
    const { closeWithin, onNotice } = this.#options;
    const patience = setTimeout(() => {
      onNotice?.(`writing what was recorded last (${this.#unmerged}) into the files of ${this.#root} …`);
    }, PATIENCE_MS);
    const limit = closeWithin === undefined ? undefined : setTimeout(() => this.#stop.abort(), closeWithin);
    try {
      await this.#merge(true);
      // These are not tried again.
      const inMemory = this.#unwritten.length;
      if (inMemory > 0) throw notKept(this.#root, this.#lost + inMemory, this.#journalTrouble);
      const isLeft = this.#unmerged > 0 || this.#fileTrouble !== undefined;
      if (this.#stop.signal.aborted && isLeft) throw unmerged(this.#root, this.#unmerged);
      this.#throwWhatIsMissing();
    } finally {
      clearTimeout(patience);
      clearTimeout(limit);
      this.#journal.close();
      this.#leave();
    }
  }

  #throwWhatIsMissing(): void {
    if (this.trouble && (this.#lost > 0 || this.#unwritten.length + this.#unmerged > 0)) throw this.trouble;
  }

  /** Of a reader: what the files do not have. */
  #readJournal(): void {
    const hidden = join(this.#root, HIDDEN);
    const segments = readSegments(hidden);
    if (segments.length === 0) return;
    const state = parseState(readState(hidden), hidden);
    for (const { head, number, frames } of segments) {
      const isOfState = head.run === state.run;
      if (isOfState && number <= state.merged) continue;
      for (const frame of frames) {
        const { method, path } = frame.request;
        const counts = isOfState ? state.counts[locationOf(method, path)] : undefined;
        this.#wait(frame, head, counts);
      }
    }
  }

  #wait(frame: PlainExchange, head: JournalHead, counts: Counts = {}): void {
    const { method, path } = frame.request;
    const key = placeKey(method, path);
    const waiting = this.#waiting.get(key) ?? { place: { method, path }, batches: [] };
    this.#waiting.set(key, waiting);
    const last = waiting.batches.at(-1);
    if (last?.run === head.run) last.frames.push(frame);
    else waiting.batches.push({ ...head, counts, frames: [frame] });
  }

  /** What is recorded on the way is found at once. */
  #remember(exchange: PlainExchange): void {
    const found = this.#paths.get(placeKey(exchange.request.method, exchange.request.path));
    if (found) found.index.all.push(StoredExchange.of(toStoredExchange(exchange)));
    else this.#wait(exchange, this.#head);
  }

  /** All frames of this turn, and what could not be written before, in one write. */
  #writeGroup(): void {
    const count = this.#unwritten.length;
    if (count === 0) return;
    try {
      this.#journal.append(this.#unwritten);
      this.#unwritten = [];
      this.#unwrittenBytes = 0;
      this.#unmerged += count;
      this.#journalTrouble = undefined;
      this.#options.onKept?.(count);
    } catch (error) {
      this.#journalTrouble = error as Error;
    }
    if (!this.#isClosing) this.#quiet.refresh();
    const isFull = this.#journal.size > (this.#options.journalBytes ?? 64 * MIB);
    if (isFull && !this.#isMerging) void this.#merge();
    this.#tell();
  }

  /** One after the other. Never rejects. */
  #merge(ends = false): Promise<void> {
    this.#merging = this.#merging.then(() => this.#mergeNow(ends));
    return this.#merging;
  }

  async #mergeNow(ends: boolean): Promise<void> {
    this.#writeGroup();
    const { signal } = this.#stop;
    if (signal.aborted) return;
    this.#isMerging = true;
    const count = this.#unmerged;
    const waiting = [...this.#waiting].map(
      ([key, { batches }]) => [key, batches[0]?.frames.length ?? 0] as const,
    );
    let result: MergeResult;
    try {
      this.#journal.rotate(++this.#segments);
      const options = { rules: this.#rules, ends, signal };
      result = await mergeBeside(this.#root, this.#state, options);
    } catch (error) {
      result = { state: this.#state, trouble: error as Error };
    }
    this.#isMerging = false;
    this.#state = result.state;
    this.#fileTrouble = result.trouble;
    if (!result.trouble) {
      this.#unmerged -= count;
      for (const [key, length] of waiting) this.#forget(key, length);
    } else if (!this.#isClosing) this.#quiet.refresh();
    this.#tell();
  }

  /** The file of these has so many of what waited. */
  #forget(key: string, length: number): void {
    const frames = this.#waiting.get(key)?.batches[0]?.frames;
    if (!frames) return;
    frames.splice(0, length);
    if (frames.length === 0) this.#waiting.delete(key);
  }

  #tell(isLosing = false): void {
    const reason = this.#journalTrouble ?? this.#fileTrouble ?? (isLosing ? this.#lostWhy : undefined);
    const missing =
      this.#lost > 0 ? `, but ${amountOf(this.#lost)} not kept: record again` : ': nothing is missing';
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
  return new PatchgateError('cannot-write', `${amountOf(count)} not kept in ${root}${reason}`, {
    hint: 'make room on the disk or correct the permissions, then record again',
    cause: why,
  });
}

function unmerged(root: string, count: number): PatchgateError {
  return new PatchgateError('interrupted', `${amountOf(count)} not in the files of ${root} yet`, {
    hint: 'nothing is lost: start patchgate with this recording again before you commit it',
  });
}

function amountOf(count: number): string {
  return count === 1 ? '1 exchange was' : `${count} exchanges were`;
}

const NOTHING_RECORDED: ExchangesOfPath = new ExchangeIndex([], DEFAULT_RULES);

function placeKey(method: string, path: string): string {
  return `${method} ${path}`;
}
