import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, PatchgateError, systemCode } from '../../errors.ts';
import { hashInName } from '../../recordings/body-file.ts';
import { HIDDEN } from '../../recordings/files/hidden-folder.ts';
import { placeOf } from '../../recordings/files/location.ts';

/** A file or empty folder below a recording's folder. */
export interface Found {
  /** Relative to it, with `/` between its parts. */
  location: string;
  file: string;
  /**
   * `exchanges`; `body` in a file of its own; `tool`: the journal, the lock, what an interrupted write left; `other`:
   * nothing that this tool has made.
   */
  kind: 'exchanges' | 'body' | 'tool' | 'other';
  /** Of exchanges: what they are of. A name that is a hash does not say that. */
  place?: { method: string; path: string } | undefined;
}

/**
 * All files below a recording's folder, in the order of their names. One folder's names at a time are held in memory.
 *
 * @throws PatchgateError `cannot-read`
 */
export async function* walk(root: string, below = ''): AsyncGenerator<Found> {
  const entries = await entriesOf(join(root, below));
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const location = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) yield* walk(root, location);
    else yield { location, file: join(root, location), ...meaningOf(location, entry) };
  }
}

function meaningOf(location: string, entry: Dirent): Pick<Found, 'kind' | 'place'> {
  if (location.startsWith(`${HIDDEN}/`)) return { kind: 'tool' };
  if (!entry.isFile()) return { kind: 'other' };
  // A file that was being written: `.PATCH.json.4711-1.tmp`
  if (/^\..+\.\d+-\d+\.tmp$/.test(entry.name)) return { kind: 'tool' };
  const place = placeOf(location);
  if (place !== undefined) return { kind: 'exchanges', place: place === 'hashed' ? undefined : place };
  return { kind: hashInName(entry.name) === undefined ? 'other' : 'body' };
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    // Removed while we looked.
    if (systemCode(error) === 'ENOENT') return [];
    throw new PatchgateError('cannot-read', `cannot read ${folder}: ${messageOf(error)}`, { cause: error });
  }
}

/** Bytes of a file; 0 where it is gone. */
export async function sizeOf(file: string): Promise<number> {
  return lstat(file).then(
    ({ size }) => size,
    () => 0,
  );
}
