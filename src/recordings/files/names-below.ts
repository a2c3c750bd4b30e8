import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, PatchgateError, systemCode } from '../../errors.ts';
import { locationOf, placeOf } from '../store/location.ts';

/** What is recorded at a path, and with which segments paths go on from there. */
export interface NamesBelow {
  methods: Set<string>;
  segments: Set<string>;
}

/** Names of one folder that are looked at. */
export const MOST_NAMES = 1000;

/**
 * Looks into one folder of a recording, and at no more than 1,000 names there. Segments that are too long for one
 * folder's name are left out.
 *
 * @param path of a request; `""` is where all of them begin
 * @param waiting what is not in its file yet; no more than 1,000 of it are looked at either
 * @throws PatchgateError `cannot-read`
 */
export async function namesBelow(
  root: string,
  path: string,
  waiting: readonly { place: { method: string; path: string } }[],
): Promise<NamesBelow> {
  const names: NamesBelow = { methods: new Set(), segments: new Set() };
  for (const { place } of waiting.slice(0, MOST_NAMES)) addPlace(names, path, place);
  const location = path === '' ? '' : locationOf('GET', path).slice(0, -'GET.json'.length);
  const folder = join(root, location);
  try {
    let seen = 0;
    for await (const entry of await opendir(folder)) {
      if (entry.isDirectory()) {
        const place = placeOf(`${location}${entry.name}/GET.json`);
        if (typeof place === 'object') names.segments.add(place.path.slice(path.length + 1));
      } else if (path !== '') {
        const place = placeOf(location + entry.name);
        if (typeof place === 'object') names.methods.add(place.method);
      }
      if (++seen >= MOST_NAMES) break;
    }
  } catch (error) {
    const code = systemCode(error);
    if (code !== 'ENOENT' && code !== 'ENOTDIR') {
      throw new PatchgateError('cannot-read', `cannot read ${folder}: ${messageOf(error)}`, { cause: error });
    }
  }
  return names;
}

/** Adds what a path that is recorded elsewhere says of this one. */
export function addPlace(names: NamesBelow, path: string, place: { method: string; path: string }): void {
  if (place.path === path) names.methods.add(place.method);
  else if (place.path.startsWith(`${path}/`)) {
    names.segments.add(place.path.slice(path.length + 1).split('/', 1)[0] as string);
  }
}
