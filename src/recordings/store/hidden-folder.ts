import { readdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../../errors.ts';
import { removeQuietly } from './write-file.ts';

/** In a recording's folder: what is for the tool alone, and not for git. No path gives a folder such a name. */
export const HIDDEN = '.patchgate';

/** The file in it that says who records. */
export const LOCK = 'lock';

const IGNORE = '.gitignore';

/** Git need not be told of the folder, which is there. */
export function hideFromGit(folder: string): void {
  try {
    writeFileSync(join(folder, IGNORE), '*\n', { flag: 'wx' });
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
}

/**
 * Ends the use of the folder: what is empty goes.
 *
 * @param release removes the lock: up to then, no other process is in the folder
 */
export function leaveHidden(folder: string, release: () => void): void {
  const isEmpty = namesIn(folder).every((name) => name === IGNORE || name === LOCK);
  if (isEmpty) removeQuietly(join(folder, IGNORE));
  release();
  try {
    if (isEmpty) rmdirSync(folder);
  } catch {
    // Somebody else is in it already, or it is gone.
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
