import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { systemCode } from '../../errors.ts';

/**
 * Makes a folder and those above it that are missing: one by one, since Node's own way never ends in /proc.
 *
 * @param isDurable so that they outlive a power failure
 * @returns the full name of the first that was made
 */
export function makeFolders(folder: string, isDurable: boolean): string | undefined {
  // Where the working folder is gone, this says so.
  const full = isAbsolute(folder) ? folder : join(realpathSync.native('.'), folder);
  if (existsSync(full)) return undefined;
  const first = makeFolders(dirname(full), isDurable);
  try {
    mkdirSync(full);
  } catch (error) {
    // Another process was faster.
    if (systemCode(error) !== 'EEXIST') throw error;
  }
  if (isDurable) syncFolder(dirname(full));
  return first ?? full;
}

/** What was made, renamed or removed in a folder outlives a power failure from here on. */
export function syncFolder(folder: string): void {
  // Windows has no such thing: there, the file system's journal does it.
  if (process.platform === 'win32') return;
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
