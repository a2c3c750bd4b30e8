import { access } from 'node:fs/promises';
import { resolve } from 'node:path';
import { systemCode } from '../../../errors.ts';
import { STDIN_NAME } from '../../../reporters/report.ts';
import type { KnownFindings } from './baseline.ts';

/**
 * What a baseline has of files that are there. Standard input may come again.
 *
 * @param folder the baseline's
 */
export async function thoseOfFiles(
  entries: readonly KnownFindings[],
  folder: string,
): Promise<KnownFindings[]> {
  const isThere = new Map<string, boolean>();
  for (const { file } of entries) {
    if (!isThere.has(file)) isThere.set(file, file === STDIN_NAME || (await exists(resolve(folder, file))));
  }
  return entries.filter(({ file }) => isThere.get(file));
}

/** One that cannot be looked for may be there. */
function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    (error: unknown) => !['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? ''),
  );
}
