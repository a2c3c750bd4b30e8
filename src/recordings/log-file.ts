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
    this.append(Buffer.alloc(0));
  }

  /** All lines or none. The system has them when it returns. @throws PatchgateError `cannot-write` */
  append(lines: Buffer): void {
    try {
      const fd = this.#current();
      const { size } = fstatSync(fd);
      try {
        writeAll(fd, lines);
      } catch (error) {
        // A full disk takes a part.
        ftruncateSync(fd, size);
        throw error;
      }
    } catch (error) {
      throw cannotWrite(this.#file, error);
    }
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  /** Opens the file that has the name now, without a line that was cut off. */
  #current(): number {
    const now = statSync(this.#file, { throwIfNoEntry: false });
    if (this.#fd !== undefined && now?.ino === fstatSync(this.#fd).ino) return this.#fd;
    this.close();
    if (now && !now.isFile()) throw new Error('what stands there is no file');
    makeFolders(dirname(this.#file));
    this.#fd = openSync(this.#file, 'a+');
    const start = Math.max(0, fstatSync(this.#fd).size - TAIL);
    const tail = Buffer.alloc(TAIL);
    const length = readSync(this.#fd, tail, 0, TAIL, start);
    ftruncateSync(this.#fd, start + tail.subarray(0, length).lastIndexOf('\n') + 1);
    return this.#fd;
  }
}
