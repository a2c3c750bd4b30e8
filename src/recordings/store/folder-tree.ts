import { type Dirent, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Place, readExchanges } from '../files.ts';
import { HIDDEN } from './hidden-folder.ts';
import { placeOf } from './location.ts';
import { readIfThere } from './write-file.ts';

/** A file below a recording's folder. */
interface Found {
  /** Relative to it, with `/` between its parts. */
  location: string;
  file: string;
  /**
   * `exchanges`; `tool`: the journal, the lock, what an interrupted write left; `other`: nothing that this tool has made.
   */
  kind: 'exchanges' | 'tool' | 'other';
  /** Of exchanges: what they are of. A name that is a hash does not say that. */
  place?: Place | undefined;
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
  // A file that was being written: `.PATCH.json.tmp`
  if (/^\..+\.json\.tmp$/.test(entry.name)) return { kind: 'tool' };
  const place = placeOf(location);
  if (place !== undefined) return { kind: 'exchanges', place: place === 'hashed' ? undefined : place };
  return { kind: 'other' };
}

/**
 * The methods and paths of the files in a recording's folder; whatever else lies there is left alone.
 *
 * @throws PatchgateError `cannot-read`; `bad-recording` for a broken file whose name does not say its path
 */
export function* placesIn(root: string): Iterable<Place> {
  for (const { kind, file, place } of walk(root)) {
    const found = kind === 'exchanges' ? (place ?? readExchanges(file)?.[0]?.request) : undefined;
    if (found) yield { method: found.method, path: found.path };
  }
}

/** Bytes of a file; 0 where it is gone. */
export function sizeOf(file: string): number {
  return lstatSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** What is in a folder; nothing where it is not there. @throws PatchgateError `cannot-read` */
function entriesOf(folder: string): Dirent[] {
  return readIfThere(folder, undefined, () => readdirSync(folder, { withFileTypes: true })) ?? [];
}
