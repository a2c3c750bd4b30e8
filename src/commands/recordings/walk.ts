import type { Dirent } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { hashInName } from '../../recordings/body-file.ts';
import { folderEntries } from '../../recordings/files/folder-entries.ts';
import { HIDDEN } from '../../recordings/store/hidden-folder.ts';
import { placeOf } from '../../recordings/store/location.ts';

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
  const entries: Dirent[] = [];
  for await (const entry of folderEntries(join(root, below))) entries.push(entry);
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

/** When a recording changed last: the time of its newest file of exchanges, in milliseconds since the epoch. @throws PatchgateError `cannot-read` */
export async function changedAt(root: string): Promise<number> {
  let newest = 0;
  for await (const { file, kind } of walk(root))
    if (kind === 'exchanges') newest = Math.max(newest, (await lstat(file)).mtimeMs);
  return newest;
}

/** Bytes of a file; 0 where it is gone. */
export async function sizeOf(file: string): Promise<number> {
  return lstat(file).then(
    ({ size }) => size,
    () => 0,
  );
}
