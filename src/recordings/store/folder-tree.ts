import { type Dirent, opendirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, PatchgateError, systemCode } from '../../errors.ts';
import { type Place, readExchanges } from './exchange-file.ts';
import { locationOf, placeOf } from './location.ts';

/** What is recorded at a path, and with which segments paths go on from there. */
export interface Names {
  methods: Set<string>;
  segments: Set<string>;
}

/** Names of one folder that are looked at. */
export const MOST_NAMES = 1000;

/**
 * The methods and paths of the files in a recording's folder; whatever else lies there is left alone. In no promised order.
 *
 * @throws PatchgateError `cannot-read`; `bad-recording` for a broken file whose name does not say its path
 */
export function* placesIn(root: string, below = ''): Iterable<Place> {
  for (const entry of entriesOf(join(root, below))) {
    // No path gives a folder such a name: the journal's, say.
    if (entry.name.startsWith('.')) continue;
    const location = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) yield* placesIn(root, location);
    else if (entry.isFile()) {
      const place = placeOf(location);
      if (place === 'hashed') yield* placeInside(join(root, location));
      else if (place !== undefined) yield place;
    }
  }
}

/**
 * Looks into one folder of a recording, and at no more than 1,000 names there. Segments that are too long for one folder's
 * name are left out.
 *
 * @param path of a request; `""` is where all of them begin
 * @throws PatchgateError `cannot-read`
 */
export function namesBelow(root: string, path: string): Names {
  const names: Names = { methods: new Set(), segments: new Set() };
  const location = path === '' ? '' : locationOf('GET', path).slice(0, -'GET.json'.length);
  for (const entry of firstEntriesOf(join(root, location))) {
    if (entry.isDirectory()) {
      const place = placeOf(`${location}${entry.name}/GET.json`);
      if (typeof place === 'object') names.segments.add(place.path.slice(path.length + 1));
    } else if (path !== '') {
      const place = placeOf(location + entry.name);
      if (typeof place === 'object') names.methods.add(place.method);
    }
  }
  return names;
}

/** Adds what a path that is recorded elsewhere says of this one. */
export function addName(names: Names, path: string, place: Place): void {
  if (place.path === path) names.methods.add(place.method);
  else if (place.path.startsWith(`${path}/`))
    names.segments.add(place.path.slice(path.length + 1).split('/', 1)[0] as string);
}

function* placeInside(file: string): Iterable<Place> {
  const first = readExchanges(file)?.[0];
  if (first) yield { method: first.request.method, path: first.request.path };
}

/** What is in a folder; nothing where it is not there. @throws PatchgateError `cannot-read` */
export function entriesOf(folder: string): Dirent[] {
  return look(folder, () => readdirSync(folder, { withFileTypes: true }));
}

function firstEntriesOf(folder: string): Dirent[] {
  return look(folder, () => {
    const found: Dirent[] = [];
    const opened = opendirSync(folder);
    try {
      for (let entry = opened.readSync(); entry && found.length < MOST_NAMES; entry = opened.readSync())
        found.push(entry);
    } finally {
      opened.closeSync();
    }
    return found;
  });
}

/** Nothing where the folder is not there, or is gone by now. */
function look(folder: string, read: () => Dirent[]): Dirent[] {
  try {
    return read();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) as string)) return [];
    throw new PatchgateError('cannot-read', `cannot read ${folder}: ${messageOf(error)}`, { cause: error });
  }
}
