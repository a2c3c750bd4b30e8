import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

const made: string[] = [];

/** A new empty folder, removed when the test file has run. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'patchgate-'));
  made.push(folder);
  return folder;
}

/** A new empty folder for many small files, in memory where there is such a place, removed when the test is over. */
export function folderInMemory(): string {
  const folder = mkdtempSync(join(MEMORY, 'patchgate-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const MEMORY = isWritable('/dev/shm') ? '/dev/shm' : tmpdir();

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Those of the test file that has run. */
export function removeFolders(): void {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
}
