import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

const made: string[] = [];

/** A new empty folder, removed when the test file has run. */
export function temporaryFolder(): string {
  return newFolder(tmpdir());
}

/** As `temporaryFolder`, in memory where there is such a place: for many small files that no power cut shall outlive. */
export function folderInMemory(): string {
  return newFolder(MEMORY);
}

const MEMORY = isWritable('/dev/shm') ? '/dev/shm' : tmpdir();

function newFolder(within: string): string {
  const folder = mkdtempSync(join(within, 'patchgate-'));
  made.push(folder);
  return folder;
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});
