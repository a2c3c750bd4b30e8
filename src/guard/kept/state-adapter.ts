import { closeSync, fsync, openSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Adapter } from 'lowdb';
import { messageOf, PatchgateError, systemCode } from '../../errors.ts';
import { writeAll } from '../../recordings/files/write-all.ts';
import { readState, type State } from '../../state/state-file.ts';
import { stateText } from './state-text.ts';

/** Characters that are written at once, and milliseconds of work at a stretch. */
const PART = 64 * 1024;
const WORK_MS = 3;

/** In the thread pool: it may take long. */
const sync = promisify(fsync);

/**
 * lowdb's adapter to a state file: what is read is checked, and what is written takes the file's place whole or not at all,
 * also when the power fails. For one process at a time.
 */
export class StateAdapter implements Adapter<State> {
  readonly #file: string;
  /** Bytes of the file as last read or written. */
  size = 0;

  constructor(file: string) {
    this.#file = file;
  }

  async read(): Promise<State | null> {
    return this.readNow();
  }

  /** Null where there is no such file.
   *  @throws PatchgateError `cannot-read`, `bad-input` with line and column */
  readNow(): State | null {
    const bytes = readBytes(this.#file);
    if (bytes === undefined) return null;
    this.size = bytes.length;
    return readState(decode(bytes, this.#file), this.#file);
  }

  /** @throws PatchgateError `cannot-write` */
  async write(state: State): Promise<void> {
    const folder = dirname(this.#file);
    const temporary = join(folder, `.${basename(this.#file)}.tmp`);
    try {
      const fd = openSync(temporary, 'w');
      let size: number;
      try {
        size = await writeText(fd, stateText(state));
        await sync(fd);
      } finally {
        closeSync(fd);
      }
      renameSync(temporary, this.#file);
      await syncFolder(folder);
      this.size = size;
    } catch (error) {
      removeQuietly(temporary);
      throw new PatchgateError('cannot-write', `cannot write ${this.#file}: ${messageOf(error)}`, {
        hint: 'make room or correct the permissions',
        cause: error,
      });
    }
  }
}

/** In small steps, which leave room for requests. @returns bytes written */
async function writeText(fd: number, text: Iterable<string>): Promise<number> {
  let size = 0;
  let part = '';
  let since = performance.now();
  for (const piece of text) {
    part += piece;
    if (part.length >= PART) {
      size += writeAll(fd, Buffer.from(part));
      part = '';
    }
    if (performance.now() - since < WORK_MS) continue;
    await nextTurn();
    since = performance.now();
  }
  return size + writeAll(fd, Buffer.from(part));
}

/** The new name outlives a power failure. Windows has no such thing: there, the file system's journal does it. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const fd = openSync(folder, 'r');
  try {
    await sync(fd);
  } finally {
    closeSync(fd);
  }
}

/** The bytes of a file; undefined where there is none. @throws PatchgateError `cannot-read` */
export function readBytes(file: string): Buffer | undefined {
  try {
    // Reading a pipe would wait for ever.
    if (!statSync(file).isFile()) throw new Error('it is no file');
    return readFileSync(file);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) as string)) return undefined;
    throw new PatchgateError('cannot-read', `cannot read ${file}: ${messageOf(error)}`, {
      hint: 'correct its permissions, or name another file with --state',
      cause: error,
    });
  }
}

function decode(bytes: Buffer, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new PatchgateError('bad-input', `${file}: this is not UTF-8`, {
      hint: 'save it as UTF-8, or delete it to begin with nothing known',
      cause: error,
    });
  }
}

/** The next write takes its place. */
function removeQuietly(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // What matters is why the file was not written.
  }
}
