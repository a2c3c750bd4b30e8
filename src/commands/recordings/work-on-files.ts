import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rulesOf } from '../../app/open-recording.ts';
import type { Database } from '../../postgres/database.ts';
import type { StoredPath } from '../../postgres/stored-paths.ts';
import type { Config } from '../../settings/config.ts';

/**
 * Has a command for files work on paths of the database: they stand in a folder of their own meanwhile, and what has changed there
 * is put back.
 *
 * @param paths of any recordings
 * @param work is given the folder of these recordings
 */
export async function workOnFiles<T>(
  database: Database,
  paths: readonly StoredPath[],
  config: Config,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const { readOut, putChanged } = await import('../../postgres/copy-recording.ts');
  return inTemporaryFolder(async (folder) => {
    const written = await readOut(database, paths, folder);
    const result = await work(folder);
    await putChanged(database, written, putOptionsOf(config));
    return result;
  });
}

export async function inTemporaryFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'patchgate-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What is to be known of exchanges that a command puts into the database. */
export function putOptionsOf(config: Config) {
  return { rules: rulesOf(config), run: randomUUID() };
}
