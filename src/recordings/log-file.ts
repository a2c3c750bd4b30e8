import { closeSync, fstatSync, ftruncateSync, openSync, readSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { cannotWrite, makeFolders, writeAll } from './disk.ts';

/** Bytes at the end of a file in which its last whole line ends. */
const TAIL = 65_536;

/** A log that others may append to, cut or move away: each append goes to the end of the file that has its name then. */
export class LogFile {
  readonly #file: string;
  #fd: number | undefined;

  /** @throws PatchgateError `cannot-write` */
  constructor(file: string) {
    this.#file = file;
    this.#try(() => this.#open());
  }

  /** All lines or none. The system has them when it returns. @throws PatchgateError `cannot-write` */
  append(lines: Buffer): void {
    this.#try(() => {
      const fd = this.#isGone() ? this.#open() : (this.#fd as number);
      const { size } = fstatSync(fd);
      try {
        writeAll(fd, lines);
      } catch (error) {
        // A full disk takes a part.
        ftruncateSync(fd, size);
        throw error;
      }
    });
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  #isGone(): boolean {
    const now = statSync(this.#file, { throwIfNoEntry: false });
    return this.#fd === undefined || now?.ino !== fstatSync(this.#fd).ino;
  }

  #open(): number {
    this.close();
    makeFolders(dirname(this.#file));
    const fd = openSync(this.#file, 'a+');
    this.#fd = fd;
    const stats = fstatSync(fd);
    if (!stats.isFile()) throw new Error('what stands there is no file');
    const tail = Buffer.alloc(Math.min(stats.size, TAIL));
    const start = stats.size - tail.length;
    readSync(fd, tail, 0, tail.length, start);
    // A line that was cut off goes.
    ftruncateSync(fd, start + tail.lastIndexOf('\n') + 1);
    return fd;
  }

  #try(action: () => void): void {
    try {
      action();
    } catch (error) {
      throw cannotWrite(this.#file, error);
    }
  }
}
