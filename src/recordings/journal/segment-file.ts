import { closeSync, fdatasyncSync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemCode } from '../../errors.ts';
import { makeFolders, syncFolder } from '../store/folders.ts';

/** The file of a journal that takes lines. */
export class SegmentFile {
  readonly fd: number;
  readonly #isDurable: boolean;
  /** Something half written stands behind the last line. */
  #isTorn = false;

  /** Makes the file, which must not be there yet. @param isDurable each write outlives a power failure */
  constructor(file: string, isDurable: boolean) {
    this.#isDurable = isDurable;
    this.fd = create(file, isDurable);
    if (!isDurable) return;
    try {
      syncFolder(dirname(file));
    } catch (error) {
      // It would be in the way of the next attempt.
      this.close();
      rmSync(file, { force: true });
      throw error;
    }
  }

  get isTorn(): boolean {
    return this.#isTorn;
  }

  /** Writes a line behind the others, all of it or, as far as whoever reads can see, nothing. Throws the system's error. */
  write(line: Buffer, position: number): void {
    // A shorter line would not cover it.
    if (this.#isTorn) this.#cut(position);
    try {
      for (let done = 0; done < line.length; )
        done += writeSync(this.fd, line, done, line.length - done, position + done);
      if (this.#isDurable) fdatasyncSync(this.fd);
    } catch (error) {
      this.#isTorn = true;
      try {
        this.#cut(position);
      } catch {
        // It is tried again before the next line. Why nothing can be written is what matters.
      }
      throw error;
    }
  }

  close(): void {
    closeSync(this.fd);
  }

  #cut(position: number): void {
    ftruncateSync(this.fd, position);
    this.#isTorn = false;
  }
}

function create(file: string, isDurable: boolean): number {
  try {
    return openSync(file, 'wx+');
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    makeFolders(dirname(file), isDurable);
    return openSync(file, 'wx+');
  }
}
