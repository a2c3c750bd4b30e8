import {
  closeSync,
  existsSync,
  fsync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { messageOf, PatchgateError, systemCode } from '../../errors.ts';
import { makeFolders, syncFolder } from './folders.ts';

/** In the thread pool: it may take long. */
const syncFile = (fd: number) => promisify(fsync)(fd);

let written = 0;

/** A name beside a file that no other write has, of this process or another: `.NAME.PID-N.tmp`. */
export function temporaryOf(file: string): string {
  return join(dirname(file), `.${basename(file)}.${process.pid}-${++written}.tmp`);
}

/**
 * Replaces a file whole or not at all. Its folder is made where it is missing.
 *
 * @param sync so that it outlives a power failure
 * @param folderToo so that it does even where it is new. Default: as `sync`
 * @param mode its permissions. Default: those of a new file
 * @throws PatchgateError `cannot-write`
 */
export async function writeFileAtomically(
  file: string,
  content: string | Buffer,
  { sync, folderToo = sync, mode }: { sync: boolean; folderToo?: boolean; mode?: number | undefined },
): Promise<void> {
  const folder = dirname(file);
  const temporary = temporaryOf(file);
  try {
    if (!existsSync(folder)) makeFolders(folder, folderToo);
    const fd = openSync(temporary, 'wx', mode);
    try {
      writeAll(fd, typeof content === 'string' ? Buffer.from(content) : content);
      if (sync) await syncFile(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, file);
    if (folderToo) syncFolder(folder);
  } catch (error) {
    removeQuietly(temporary);
    throw cannotWrite(file, error);
  }
}

/** Writes all bytes, where the file stands or at a position. @returns how many they are */
export function writeAll(fd: number, bytes: Buffer, position?: number): number {
  for (let done = 0; done < bytes.length; )
    done += writeSync(fd, bytes, done, bytes.length - done, position === undefined ? null : position + done);
  return bytes.length;
}

export function cannotWrite(file: string, error: unknown): PatchgateError {
  return new PatchgateError('cannot-write', `cannot write ${file}: ${messageOf(error)}`, {
    hint: 'make room or correct the permissions',
    cause: error,
  });
}

/** The bytes of a file; undefined where there is none. @param most bytes @throws PatchgateError `cannot-read` */
export function readFileIfThere(
  file: string,
  hint = 'correct its permissions',
  most = Number.POSITIVE_INFINITY,
): Buffer | undefined {
  return readIfThere(file, hint, () => {
    const stats = statSync(file);
    // Reading a pipe would wait for ever.
    if (!stats.isFile()) throw new Error('it is no file');
    if (stats.size > most) throw new Error(`with ${stats.size} bytes it is longer than a text can be here`);
    return readFileSync(file);
  });
}

/** What `read` gives of a file or folder; undefined where that is not there. @throws PatchgateError `cannot-read` */
export function readIfThere<T>(place: string, hint: string | undefined, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) as string)) return undefined;
    throw new PatchgateError('cannot-read', `cannot read ${place}: ${messageOf(error)}`, {
      ...(hint !== undefined && { hint }),
      cause: error,
    });
  }
}

/** Changes whenever somebody writes the file; undefined where it is not there, or not to be reached. */
export function stampOf(file: string): string | undefined {
  try {
    const { ino, size, ctimeMs } = statSync(file);
    return `${ino} ${size} ${ctimeMs}`;
  } catch {
    return undefined;
  }
}

export function removeQuietly(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // Why the file was not written is what matters.
  }
}

/** What interrupted writes have left in a folder, of the files of which the names begin so. For who alone writes these. */
export function removeTemporaries(folder: string, start: string): void {
  for (const name of readdirSync(folder)) {
    if (name.startsWith(`.${start}`) && name.endsWith('.tmp')) removeQuietly(join(folder, name));
  }
}
