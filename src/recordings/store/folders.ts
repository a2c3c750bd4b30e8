import { closeSync, fsyncSync, mkdirSync, openSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';

/**
 * Makes a folder and those above it that are missing.
 *
 * @param isDurable so that they outlive a power failure
 * @returns the full name of the first that was made
 */
export function makeFolders(folder: string, isDurable: boolean): string | undefined {
  // By its full name: where the working folder is gone, Node looks for what is above `.` for ever. That of the folder as it is
  // called now; where it is gone, that says so.
  const full = isAbsolute(folder) ? folder : join(realpathSync.native('.'), folder);
  const first = mkdirSync(full, { recursive: true });
  if (first === undefined || !isDurable) return first;
  const above = dirname(first);
  for (let made = full; made.length > above.length; made = dirname(made)) syncFolder(dirname(made));
  return first;
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
