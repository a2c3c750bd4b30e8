import { type Dirent, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { hashInName } from '../../recordings/body-file.ts';
import { entriesOf } from '../../recordings/store/folder-tree.ts';
import { HIDDEN } from '../../recordings/store/hidden-folder.ts';
import { placeOf } from '../../recordings/store/location.ts';

/** A file below a recording's folder. */
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

/** All files below a recording's folder, in the order of their names. @throws PatchgateError `cannot-read` */
export function* walk(root: string, below = ''): Generator<Found> {
  for (const entry of entriesOf(join(root, below)).sort((a, b) => (a.name < b.name ? -1 : 1))) {
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
export function changedAt(root: string): number {
  let newest = 0;
  for (const { file, kind } of walk(root))
    if (kind === 'exchanges') newest = Math.max(newest, lstatSync(file).mtimeMs);
  return newest;
}

/** Bytes of a file; 0 where it is gone. */
export function sizeOf(file: string): number {
  return lstatSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
