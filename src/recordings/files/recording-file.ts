import { constants } from 'node:buffer';
import { closeSync, existsSync, fsync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Adapter } from 'lowdb';
import { messageOf, PatchgateError, systemCode } from '../../errors.ts';
import { BETWEEN, decodeRecording, END, parseRecording, START } from '../store/file-format.ts';
import { makeFolders, syncFolder } from '../store/folders.ts';
import { writeAll } from '../store/write-file.ts';
import { ObjectEntry } from './entry.ts';
import type { SlicedFile } from './sliced-file.ts';

/** Characters that are written at once. */
const PART = 256 * 1024;

/** Bytes of a file. */
const SMALL = 256 * 1024;

/** In the thread pool: it may take long. */
const sync = (fd: number) => promisify(fsync)(fd);

let written = 0;

export interface FileOptions {
  /** Called before the temporary file, complete and beside the file itself, takes its place. */
  onComplete(temporary: string): void;
  /** Called where that failed. @returns whether the temporary file is to be removed */
  onFailed(temporary: string): boolean;
  /** Called between two exchanges. */
  breathe(): Promise<void> | undefined;
  /** What `write` has written outlives a power failure. */
  isDurable: boolean;
}

/** What a file is to hold: the exchanges, behind those of `before` where it is given. */
export interface FileContent {
  entries: Iterable<{ readonly text: string }>;
  /** A file that takes additions. */
  before?: SlicedFile;
}

export const NOTHING: FileContent = { entries: [] };

/**
 * lowdb's adapter to one file of a recording: what is read is checked, what is written replaces the file whole or not at
 * all, and is never in memory as one text. Not lowdb's own JSONFile, which reports broken files without their name and
 * shares one temporary name.
 */
export class RecordingFile implements Adapter<FileContent> {
  readonly file: string;
  readonly #place: { method: string; path: string };
  readonly #options: FileOptions;
  /** Bytes of the file as last read or written, about. */
  size = 0;

  constructor(file: string, place: { method: string; path: string }, options: FileOptions) {
    this.file = file;
    this.#place = place;
    this.#options = options;
  }

  /** Null where there is no such file.
   *  @throws PatchgateError `cannot-read`, `bad-recording` */
  async read(): Promise<{ entries: ObjectEntry[] } | null> {
    const text = await readRecordingText(this.file);
    if (text === undefined) return null;
    this.size = text.length;
    const { exchanges } = parseRecording(text, this.file, this.#place);
    return { entries: exchanges.map((exchange) => new ObjectEntry(exchange)) };
  }

  /**
   * In short synchronous steps: through the thread pool, the few calls that a small file takes cost three times as much.
   *
   * @throws PatchgateError `cannot-write`
   */
  async write(content: FileContent): Promise<void> {
    // No other write has this name, of this process or another.
    const name = `.${basename(this.file)}.${process.pid}-${++written}.tmp`;
    const folder = dirname(this.file);
    const temporary = join(folder, name);
    const { isDurable } = this.#options;
    let isComplete = false;
    try {
      const fd = create(temporary, isDurable);
      try {
        this.size = await this.#writeTo(fd, content);
        // Even where only this process may fail, what was there before must not end as an empty file.
        if (isDurable || existsSync(this.file)) await sync(fd);
      } finally {
        closeSync(fd);
      }
      // What is said of the temporary file must not outlive it.
      if (isDurable) syncFolder(folder);
      this.#options.onComplete(name);
      isComplete = true;
      renameSync(temporary, this.file);
      if (isDurable) syncFolder(folder);
    } catch (error) {
      // What matters is why it was not written: remains that cannot be removed now are removed at the next start.
      if (!isComplete || this.#options.onFailed(name))
        await rm(temporary, { force: true }).catch(() => undefined);
      if (error instanceof PatchgateError) throw error;
      throw new PatchgateError('cannot-write', `cannot write ${this.file}: ${messageOf(error)}`, {
        hint: 'make room or correct the permissions',
        cause: error,
      });
    }
  }

  /** @returns bytes written */
  async #writeTo(fd: number, { entries, before }: FileContent): Promise<number> {
    let size = 0;
    const { breathe } = this.#options;
    for (const bytes of before?.withoutEnd() ?? []) {
      size += writeAll(fd, bytes);
      const pause = breathe();
      if (pause) await pause;
    }
    let part = before ? '' : START;
    let between = before ? BETWEEN : '';
    for (const { text } of entries) {
      part += between + text;
      between = BETWEEN;
      if (part.length >= PART) {
        size += writeAll(fd, Buffer.from(part));
        part = '';
      }
      const pause = breathe();
      if (pause) await pause;
    }
    return size + writeAll(fd, Buffer.from(part + END));
  }
}

/** Bytes of a file; 0 where there is none, or it cannot be reached: opening it says why. */
export function sizeOnDisk(file: string): number {
  try {
    return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  } catch {
    return 0;
  }
}

/** The text of a file; undefined where there is none.
 *  @throws PatchgateError `cannot-read`, `bad-recording` */
export async function readRecordingText(file: string): Promise<string | undefined> {
  let bytes: Buffer;
  try {
    // Small ones would take longer by way of the thread pool than all that is done with them.
    const stats = statSync(file);
    if (!stats.isFile()) throw new Error('it is no file');
    if (stats.size > constants.MAX_STRING_LENGTH)
      throw new Error(
        `with ${stats.size} bytes it is too long for a file that is broken or was laid out anew`,
      );
    bytes = stats.size < SMALL ? readFileSync(file) : await readFile(file);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) as string)) return undefined;
    throw new PatchgateError('cannot-read', `cannot read ${file}: ${messageOf(error)}`, { cause: error });
  }
  return decodeRecording(bytes, file);
}

function create(file: string, isDurable: boolean): number {
  const folder = dirname(file);
  // To look first is cheaper than an exception, and of many new paths most have no folder yet.
  if (!existsSync(folder)) makeFolders(folder, isDurable);
  return openSync(file, 'wx');
}
