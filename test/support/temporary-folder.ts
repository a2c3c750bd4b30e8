import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cleanUpLater } from './clean-up.ts';

/** A new empty folder, removed when the test is over, or the file where no test made it. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'patchgate-'));
  cleanUpLater(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
