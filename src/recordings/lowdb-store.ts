import { constants } from 'node:fs';
import { access, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, PatchgateError, systemCode } from '../errors.ts';
import type { Exchange } from '../model/exchange.ts';
import { Gaps } from './files/gaps.ts';
import { HIDDEN } from './files/hidden-folder.ts';
import { KeptFile, type KeptFileContext } from './files/kept-file.ts';
import { listFiles } from './files/list-files.ts';
import { checkRecordingName, locationOf } from './files/location.ts';
import { HashSet } from './hash-set.ts';
import { FoldBehind } from './journal/fold-behind.ts';
import { Journal } from './journal/journal.ts';
import { exchangeLine } from './journal/journal-line.ts';
import { loadJournal } from './journal/load-journal.ts';
import { fileKey, type Waiting, type WaitingFiles } from './journal/waiting-files.ts';
import type { PlainExchange } from './plain-exchange.ts';
import type { RecordingStore } from './store.ts';

export interface StoreOptions {
  /** The recording will be written to: its folder is made now, so that one that cannot be made stops the start, and what
   *  an earlier run left in the journal is moved into the files. */
  writable?: boolean;
  /** Bytes of files whose content is kept in memory, about. Default 16 MiB. */
  cacheBytes?: number;
  /** Bytes of exchanges that are kept in memory while the disk does not take them; past it they are not kept. Default
   *  64 MiB. */
  backlogBytes?: number;
  /** Bytes of exchanges that may wait in the journal while requests come, about. Default 256 MiB. */
  journalBytes?: number;
}

const MIB = 1024 * 1024;

/**
 * Opens the recording `name` in a folder of recordings. Nothing of it is read before it is asked for, but the journal.
 *
 * @throws PatchgateError `bad-usage` (the name), `cannot-read`, `cannot-write` (the folder), `bad-recording` (the journal, or
 *  a file that it is for)
 */
export async function openStore(
  folder: string,
  name: string,
  options: StoreOptions = {},
): Promise<RecordingStore> {
  checkRecordingName(name);
  const root = join(folder, name);
  const { writable = false } = options;
  if (writable) await makeFolder(root);
  else await checkFolder(root);

  const journalFolder = join(root, HIDDEN, 'journal');
  const { segments, waiting } = await loadJournal(root, journalFolder, writable);
  const journal = new Journal(journalFolder, segments);
  const store = new LowdbStore(root, name, journal, waiting, options);
  if (writable && segments.length > 0) await store.flush();
  return store;
}

/** A recording as a tree of lowdb files, one for each method and path, read when asked for and written behind. */
class LowdbStore implements RecordingStore {
  readonly name: string;
  readonly #root: string;
  readonly #isWritable: boolean;
  readonly #cacheBytes: number;
  readonly #backlogBytes: number;
  readonly #journal: Journal;
  readonly #waiting: WaitingFiles;
  readonly #folder: FoldBehind;
  readonly #context: KeptFileContext;
  readonly #files = new Map<string, KeptFile>();
  /** Files that may be forgotten, the longest unused first, and their sizes together. */
  readonly #idle = new Set<KeptFile>();
  #idleBytes = 0;
  #lost: PatchgateError | undefined;

  constructor(root: string, name: string, journal: Journal, waiting: WaitingFiles, options: StoreOptions) {
    this.name = name;
    this.#root = root;
    this.#isWritable = options.writable ?? false;
    this.#cacheBytes = options.cacheBytes ?? 16 * MIB;
    this.#backlogBytes = options.backlogBytes ?? 64 * MIB;
    this.#journal = journal;
    this.#waiting = waiting;
    this.#folder = new FoldBehind(journal, waiting, options.journalBytes ?? 256 * MIB, (key) =>
      this.#fold(key),
    );
    const gaps = new Gaps(this.#cacheBytes);
    const started = new HashSet();
    this.#context = { journal, waiting, gaps, started, breathe: () => this.#folder.breathe() };
  }

  get trouble(): Error | undefined {
    return this.#lost ?? this.#journal.trouble ?? this.#folder.trouble;
  }

  async isEmpty(): Promise<boolean> {
    for await (const _ of this.paths()) return false;
    return true;
  }

  async find(method: string, path: string): Promise<readonly Exchange[]> {
    const file = this.#file(method, path);
    if (!file.isUpToDate) await this.#ask(file);
    this.#settle(file);
    return file.list();
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

  append(exchange: PlainExchange, replace = false): void {
    const line = exchangeLine(exchange, replace);
    if (!this.#hasRoom(line.length)) {
      this.#lost = tooMuch(this.#root, this.#journal.trouble);
      return;
    }
    const start = this.#journal.append(line);
    const { method, path } = exchange.request;
    this.#waiting.add(method, path, start, start + line.length, replace);
    this.#folder.noticed();
  }

  /** Whether a line can be kept: on disk, or in memory as far as that goes. */
  #hasRoom(length: number): boolean {
    const isFull = () => this.#journal.unwritten > 0 && this.#journal.unwritten + length > this.#backlogBytes;
    if (!isFull()) return true;
    this.#journal.retry();
    return !isFull();
  }

  async flush(): Promise<void> {
    if (!this.#isWritable) return;
    await this.#folder.flush();
    if (this.trouble) throw this.trouble;
  }

  close(): Promise<void> {
    return this.flush();
  }

  #file(method: string, path: string): KeptFile {
    const key = fileKey(method, path);
    let file = this.#files.get(key);
    if (file === undefined) {
      file = new KeptFile(key, join(this.#root, locationOf(method, path)), { method, path }, this.#context);
      this.#files.set(key, file);
    }
    return file;
  }

  async #ask(file: KeptFile): Promise<void> {
    try {
      await file.ask();
    } catch (error) {
      // Once it is repaired it is read again. What waits for it is in the journal.
      this.#drop(file);
      throw error;
    }
  }

  /** @returns the file's size */
  async #fold(key: string): Promise<number> {
    const { method, path } = (this.#waiting.get(key) as Waiting).place;
    const file = this.#file(method, path);
    file.isFolding = true;
    try {
      await file.save();
    } finally {
      file.isFolding = false;
      file.rest();
      if (file.isAsked) this.#settle(file);
      else this.#drop(file);
    }
    return file.size;
  }

  /** The file was used: it becomes the last to be forgotten. */
  #settle(file: KeptFile): void {
    if (this.#files.get(file.key) !== file) return;
    if (this.#idle.delete(file)) this.#idleBytes -= file.idleBytes;
    this.#idle.add(file);
    this.#idleBytes += file.idleBytes = file.size;
    for (const oldest of this.#idle) {
      if (this.#idleBytes <= this.#cacheBytes || oldest === file) break;
      this.#drop(oldest);
    }
  }

  #drop(file: KeptFile): void {
    if (file.isFolding) return;
    if (this.#idle.delete(file)) this.#idleBytes -= file.idleBytes;
    this.#files.delete(file.key);
    file.forget();
  }
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    await access(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new PatchgateError('cannot-write', `cannot record into ${folder}: ${messageOf(error)}`, {
      hint: 'choose another folder with --recordings, or correct its permissions',
      cause: error,
    });
  }
}

/** A recording that is not there is an empty one; something else in its place is a mistake. */
async function checkFolder(folder: string): Promise<void> {
  let isFolder: boolean;
  try {
    isFolder = (await stat(folder)).isDirectory();
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return;
    throw new PatchgateError('cannot-read', `cannot read the recording ${folder}: ${messageOf(error)}`, {
      cause: error,
    });
  }
  if (isFolder) return;
  throw new PatchgateError('cannot-read', `${folder} is no folder`, {
    hint: 'a recording is a folder: give another name with --recording',
  });
}

function tooMuch(root: string, reason: Error | undefined): PatchgateError {
  const why = reason ? `: ${reason.message}` : '';
  return new PatchgateError('cannot-write', `exchanges for ${root} are no longer kept${why}`, {
    hint: 'too many wait in memory already; make room on the disk or correct the permissions, then record again',
    cause: reason,
  });
}
