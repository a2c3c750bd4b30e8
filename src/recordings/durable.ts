import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Makes a folder and those above it that are missing. @param isDurable so that they outlive a power failure */
export function makeFolders(folder: string, isDurable: boolean): void {
  const first = mkdirSync(folder, { recursive: true });
  if (first === undefined || !isDurable) return;
  // By their full names: above `a` is `.`, and above that is `.` again.
  const above = dirname(resolve(first));
  for (let made = resolve(folder); made.length > above.length; made = dirname(made))
    syncFolder(dirname(made));
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
