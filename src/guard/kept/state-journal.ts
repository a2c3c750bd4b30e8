import { closeSync, fstatSync, ftruncateSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { messageOf, PatchgateError } from '../../errors.ts';
import { writeAll } from '../../recordings/files/write-all.ts';
import { readAt } from '../../recordings/journal/read-at.ts';

/**
 * The file that takes each change of what is known before it is in the state file. Everything is synchronous: when `append`
 * returns, the lines are with the system, and outlive this process.
 */
export class StateJournal {
  readonly #file: string;
  #fd: number;
  /** Tells it from another file that takes its place. */
  #ino: number;
  #size: number;
  /** Something half written stands behind the last line. */
  #isTorn = true;

  /**
   * Opens the journal, or makes it.
   *
   * @param size bytes of its whole lines: what stands behind them was cut off
   * @throws PatchgateError `cannot-write`
   */
  constructor(file: string, size: number) {
    this.#file = file;
    this.#size = size;
    this.#fd = this.#try(() => openSync(file, size === 0 ? 'w+' : 'r+'));
    this.#ino = fstatSync(this.#fd).ino;
  }

  /** Bytes of all lines. */
  get size(): number {
    return this.#size;
  }

  /** Somebody has removed or moved the file: what is appended is lost. */
  get isGone(): boolean {
    try {
      return statSync(this.#file).ino !== this.#ino;
    } catch {
      return true;
    }
  }

  /** All of it, or nothing, as far as whoever reads can see. @throws PatchgateError `cannot-write` */
  append(lines: Buffer): void {
    this.#try(() => {
      // Shorter lines would not cover it.
      if (this.#isTorn) ftruncateSync(this.#fd, this.#size);
      this.#isTorn = true;
      writeAll(this.#fd, lines, this.#size);
      this.#isTorn = false;
      this.#size += lines.length;
    });
  }

  /** Removes the lines up to a position: the state file has them. @throws PatchgateError `cannot-write` */
  drop(upTo: number): void {
    this.#try(() => {
      if (upTo === this.#size) ftruncateSync(this.#fd, 0);
      else this.#replace(readAt(this.#fd, upTo, this.#size - upTo));
      this.#size -= upTo;
    });
  }

  /** Nothing is appended after it. An empty journal is removed. */
  close(): void {
    closeSync(this.#fd);
    if (this.#size === 0 && !this.isGone) this.#try(() => rmSync(this.#file, { force: true }));
  }

  /** Beside the file first: whenever this is interrupted, the lines are there. */
  #replace(lines: Buffer): void {
    const temporary = join(dirname(this.#file), `.${basename(this.#file)}.tmp`);
    const fd = openSync(temporary, 'w+');
    try {
      writeAll(fd, lines);
      renameSync(temporary, this.#file);
    } catch (error) {
      closeSync(fd);
      throw error;
    }
    closeSync(this.#fd);
    this.#fd = fd;
    this.#ino = fstatSync(fd).ino;
  }

  #try<T>(action: () => T): T {
    try {
      return action();
    } catch (error) {
      throw new PatchgateError('cannot-write', `cannot write ${this.#file}: ${messageOf(error)}`, {
        hint: 'make room or correct the permissions',
        cause: error,
      });
    }
  }
}
