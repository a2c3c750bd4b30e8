import * as fs from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { messageOf, PatchgateError, systemCode } from '../errors.ts';
import type { Place } from '../json/json-text.ts';

/** A folder for the tool alone, hidden from git. No path gives a folder this name. */
export const HIDDEN = '.patchgate';
export const LOCK = 'lock';
const IGNORE = '.gitignore';

/** Makes a folder and those above it. Node alone would never end if the working folder is gone, or in /proc. */
export function makeFolders(folder: string): void {
  const full = isAbsolute(folder) ? folder : join(fs.realpathSync.native('.'), folder);
  if (full.startsWith('/proc/')) throw new Error(`no folder can be made in /proc: ${full}`);
  fs.mkdirSync(full, { recursive: true });
}

export function hideFromGit(folder: string): void {
  const file = join(folder, IGNORE);
  if (!fs.existsSync(file)) fs.writeFileSync(file, '*\n');
}

/** Releases the lock, and removes the folder if nothing else is in it. */
export function leaveHidden(folder: string, release: () => void): void {
  const names = (ifThere(folder, () => fs.readdirSync(folder)) ?? []).filter((name) => name !== LOCK);
  if (names.every((name) => name === IGNORE || name.endsWith('.tmp')))
    for (const name of names) removeQuietly(join(folder, name));
  release();
  // Something else may be in it.
  quietly(() => fs.rmdirSync(folder));
}

/** Replaces a file whole or not at all, and makes its folder. @throws PatchgateError `cannot-write` */
export async function writeFileAtomically(file: string, text: string): Promise<void> {
  try {
    makeFolders(dirname(file));
    // Most commands write nothing. Three turns of the event loop for each file cost more than writing it.
    const { TextFileSync } = await import('lowdb/node');
    new TextFileSync(file).write(text);
  } catch (error) {
    throw cannotWrite(file, error);
  }
}

export function cannotWrite(file: string, cause: unknown, hint = 'make room or correct the permissions') {
  return new PatchgateError('cannot-write', `cannot write ${file}: ${messageOf(cause)}`, { hint, cause });
}

export function brokenFile(file: string, { line, column }: Place, what: string, hint: string) {
  const details = { file, line, column };
  return new PatchgateError('bad-recording', `${file}:${line}:${column}: ${what}`, { hint, details });
}

/** The bytes of a file, or undefined if there is none. @throws PatchgateError `cannot-read` */
export function readFileIfThere(file: string, hint?: string): Buffer | undefined {
  const read = () => {
    // Reading a pipe would wait for ever.
    if (!fs.statSync(file).isFile()) throw new Error('it is no file');
    return fs.readFileSync(file);
  };
  return ifThere(file, read, hint);
}

/** What `read` gives of a file or folder, or undefined if that is not there. @throws PatchgateError `cannot-read` */
export function ifThere<T>(place: string, read: () => T, hint = 'correct its permissions'): T | undefined {
  try {
    return read();
  } catch (cause) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(cause) as string)) return undefined;
    throw new PatchgateError('cannot-read', `cannot read ${place}: ${messageOf(cause)}`, { hint, cause });
  }
}

/** Whether it is a folder, or a link to one; undefined if it is not there. @throws PatchgateError `cannot-read` */
export function isFolder(place: string): boolean | undefined {
  return ifThere(place, () => fs.statSync(place).isDirectory());
}

export function removeQuietly(file: string): void {
  quietly(() => fs.rmSync(file, { force: true }));
}

export function quietly<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
