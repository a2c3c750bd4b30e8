import { accessSync, constants, mkdtempSync, realpathSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

const made: string[] = [];

/** A new empty folder, removed when the test file has run. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'patchgate-'));
  made.push(folder);
  return folder;
}

/** A new empty folder for many small files, in memory where there is such a place, removed when the test is over. */
export function folderInMemory(): string {
  const folder = mkdtempSync(join(MEMORY, 'patchgate-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const MEMORY = hasRoom('/dev/shm') ? '/dev/shm' : tmpdir();

/** Whether it can be written to, and more than a container gives by default. */
function hasRoom(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize > 256 * 1024 * 1024;
  } catch {
    return false;
  }
}

/** Those of the test file that has run. */
export function removeFolders(): void {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
}
