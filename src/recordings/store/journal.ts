import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { makeFolders, syncFolder } from './folders.ts';
import { cannotWrite, removeQuietly, temporaryOf, writeAll } from './write-file.ts';

const LINE_FEED = 0x0a;

export interface JournalOptions {
  /** Bytes of the whole lines that are there: what stands behind them was cut off. Absent: a file that is there is another's. */
  size?: number | undefined;
  /** Each append outlives a power failure. */
  isDurable?: boolean;
  /** It is a log: opened at once, and kept where it is empty. Others may append to it, cut it or move it away, so that each append
   *  goes to the end of the file that has its name then. */
  isShared?: boolean;
}

/**
 * The file that takes each change before it is in its own file. All is synchronous: when `append` returns, the lines are with
 * the system, and outlive this process. A file that is not there is made by the first append, with its folder.
 */
export class Journal {
  readonly #file: string;
  readonly #isDurable: boolean;
  readonly #isShared: boolean;
  #size: number;
  #fd: number | undefined;
  /** Tells the file from another that takes its place. */
  #ino: number | undefined;
  /** Something half written may stand behind the last line. */
  #isTorn = true;

  /** @throws PatchgateError `cannot-write` */
  constructor(file: string, { size, isDurable = false, isShared = false }: JournalOptions = {}) {
    this.#file = file;
    this.#size = size ?? 0;
    this.#isDurable = isDurable;
    this.#isShared = isShared;
    if (isShared) this.reopen();
    else
      this.#try(() => {
        if (size !== undefined && existsSync(file)) this.#use(openSync(file, 'r+'));
      });
  }

  /** Bytes of all lines. */
  get size(): number {
    return this.#size;
  }

  /** Somebody has removed or moved the file or its folder: what is appended is lost, or another process's. */
  get isGone(): boolean {
    if (this.#fd === undefined)
      return this.#size > 0 || existsSync(this.#file) || !existsSync(dirname(this.#file));
    try {
      return statSync(this.#file).ino !== this.#ino;
    } catch {
      return true;
    }
  }

  /** All lines, or none as far as a reader can see. @throws PatchgateError `cannot-write` */
  append(lines: Buffer): void {
    if (this.#isShared) this.#findEnd();
    this.#try(() => {
      this.#fd ??= this.#make();
      if (this.#isTorn) ftruncateSync(this.#fd, this.#size);
      this.#isTorn = true;
      try {
        writeAll(this.#fd, lines, this.#size);
        if (this.#isDurable) fdatasyncSync(this.#fd);
      } catch (error) {
        this.#cut(this.#fd);
        throw error;
      }
      this.#isTorn = false;
      this.#size += lines.length;
    });
  }

  /** Shorter lines would not cover what a write that failed has left. */
  #cut(fd: number): void {
    try {
      ftruncateSync(fd, this.#size);
      this.#isTorn = false;
    } catch {
      // The next append tries again. Why nothing can be written is what matters.
    }
  }

  /** Removes the lines up to a position: their files have them. @throws PatchgateError `cannot-write` */
  drop(upTo: number): void {
    if (upTo === 0) return;
    this.#try(() => {
      this.#fd ??= this.#make();
      if (upTo === this.#size) ftruncateSync(this.#fd, 0);
      else this.#replace(this.#fd, upTo);
      this.#size -= upTo;
    });
  }

  /**
   * Of a log: goes on in the file that has its name now, which is made where it is missing. A line that was cut off at its end goes.
   *
   * @throws PatchgateError `cannot-write`; the next append tries again where the former file is gone
   */
  reopen(): void {
    this.#try(() => {
      makeFolders(dirname(this.#file), this.#isDurable);
      const fd = openSync(this.#file, 'a+');
      try {
        if (!fstatSync(fd).isFile()) throw new Error('what stands there is no file');
        this.#size = endOfLines(fd);
        ftruncateSync(fd, this.#size);
      } catch (error) {
        closeSync(fd);
        throw error;
      }
      if (this.#fd !== undefined) closeSync(this.#fd);
      this.#use(fd);
      this.#isTorn = false;
    });
  }

  #findEnd(): void {
    if (this.#fd === undefined || this.isGone) this.reopen();
    // Behind what a write of our own has left half written, nothing has a place.
    else if (!this.#isTorn) this.#size = fstatSync(this.#fd).size;
  }

  /** Nothing is appended after it. An empty journal is removed. @throws PatchgateError `cannot-write` */
  close(): void {
    if (this.#fd === undefined) return;
    const isLeft = this.#isShared || this.#size > 0 || this.isGone;
    closeSync(this.#fd);
    this.#fd = undefined;
    if (!isLeft) this.#try(() => rmSync(this.#file, { force: true }));
  }

  #make(): number {
    const folder = dirname(this.#file);
    makeFolders(folder, this.#isDurable);
    const fd = openSync(this.#file, 'wx+');
    try {
      if (this.#isDurable) syncFolder(folder);
    } catch (error) {
      // It would be in the way of the next attempt.
      closeSync(fd);
      removeQuietly(this.#file);
      throw error;
    }
    return this.#use(fd);
  }

  #use(fd: number): number {
    this.#ino = fstatSync(fd).ino;
    this.#fd = fd;
    return fd;
  }

  /** The lines behind a position take the file's place: whenever this is interrupted, the old lines are there or the new ones. */
  #replace(old: number, position: number): void {
    const lines = Buffer.allocUnsafe(this.#size - position);
    if (readSync(old, lines, 0, lines.length, position) < lines.length) throw new Error('it was cut');
    const temporary = temporaryOf(this.#file);
    const fd = openSync(temporary, 'wx+');
    try {
      writeAll(fd, lines);
      if (this.#isDurable) fdatasyncSync(fd);
      renameSync(temporary, this.#file);
    } catch (error) {
      closeSync(fd);
      removeQuietly(temporary);
      throw error;
    }
    closeSync(old);
    this.#use(fd);
    this.#isTorn = false;
    if (this.#isDurable) syncFolder(dirname(this.#file));
  }

  #try(action: () => void): void {
    try {
      action();
    } catch (error) {
      throw cannotWrite(this.#file, error);
    }
  }
}

/** Bytes that are read at a time, from the end. */
const TAIL = 65_536;

/** Where the last whole line of a file ends. */
function endOfLines(fd: number): number {
  const bytes = Buffer.allocUnsafe(TAIL);
  for (let end = fstatSync(fd).size; end > 0; end -= TAIL) {
    const start = Math.max(0, end - TAIL);
    const read = readSync(fd, bytes, 0, end - start, start);
    const last = bytes.subarray(0, read).lastIndexOf(LINE_FEED);
    if (last >= 0) return start + last + 1;
  }
  return 0;
}
