import { closeSync, existsSync, fsync, openSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { messageOf, PatchgateError, systemCode } from '../../errors.ts';
import { makeFolders, syncFolder } from '../durable.ts';
import { writeAll } from '../files/write-all.ts';

/** In the thread pool: it may take long. */
const syncFile = promisify(fsync);

let written = 0;

/** A name beside a file that no other write has, of this process or another. `isTemporaryOf` knows it again. */
export function temporaryOf(file: string): string {
  return join(dirname(file), `.${basename(file)}.${process.pid}-${++written}.tmp`);
}

/** Whether a name in the folder of a file is that of a write which was interrupted. */
export function isTemporaryOf(file: string, name: string): boolean {
  return name.startsWith(`.${basename(file)}.`) && /\.\d+-\d+\.tmp$/.test(name);
}

/**
 * Replaces a file whole or not at all. Its folder is made where it is missing.
 *
 * @param sync so that it outlives a power failure
 * @throws PatchgateError `cannot-write`
 */
export async function writeFileAtomically(
  file: string,
  content: string | Buffer,
  { sync }: { sync: boolean },
): Promise<void> {
  const folder = dirname(file);
  const temporary = temporaryOf(file);
  try {
    if (!existsSync(folder)) makeFolders(folder, sync);
    const fd = openSync(temporary, 'wx');
    try {
      writeAll(fd, typeof content === 'string' ? Buffer.from(content) : content);
      if (sync) await syncFile(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, file);
    if (sync) syncFolder(folder);
  } catch (error) {
    removeQuietly(temporary);
    throw cannotWrite(file, error);
  }
}

export function cannotWrite(file: string, error: unknown): PatchgateError {
  return new PatchgateError('cannot-write', `cannot write ${file}: ${messageOf(error)}`, {
    hint: 'make room or correct the permissions',
    cause: error,
  });
}

/** The bytes of a file; undefined where there is none. @throws PatchgateError `cannot-read` */
export function readFileIfThere(file: string, hint = 'correct its permissions'): Buffer | undefined {
  try {
    // Reading a pipe would wait for ever.
    if (!statSync(file).isFile()) throw new Error('it is no file');
    return readFileSync(file);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) as string)) return undefined;
    throw new PatchgateError('cannot-read', `cannot read ${file}: ${messageOf(error)}`, {
      hint,
      cause: error,
    });
  }
}

export function removeQuietly(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // Why the file was not written is what matters.
  }
}
