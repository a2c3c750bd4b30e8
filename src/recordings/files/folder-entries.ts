import type { Dirent } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { messageOf, PatchgateError, systemCode } from '../../errors.ts';

/**
 * What is in a folder, some at a time: whoever needs only the first does not wait for tens of thousands. Nothing where the
 * folder is not there, or is gone by now.
 *
 * @throws PatchgateError `cannot-read`
 */
export async function* folderEntries(folder: string): AsyncGenerator<Dirent> {
  try {
    for await (const entry of await opendir(folder, { bufferSize: 256 })) yield entry;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return;
    throw new PatchgateError('cannot-read', `cannot read ${folder}: ${messageOf(error)}`, { cause: error });
  }
}
