import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, PatchgateError, systemCode } from '../../errors.ts';
import { parseRecording } from './file-format.ts';
import { placeOf } from './location.ts';
import { readRecordingText } from './recording-file.ts';

export interface ListedFile {
  file: string;
  /** The method and path that it is for. */
  place: { method: string; path: string };
}

/**
 * The files of a recording; whatever else lies in its folder is left alone. One folder at a time is held in memory.
 *
 * @throws PatchgateError `cannot-read`; `bad-recording` for a broken file whose name does not say its path
 */
export async function* listFiles(root: string, below = ''): AsyncIterable<ListedFile> {
  for (const entry of await entriesOf(join(root, below))) {
    const location = below === '' ? entry.name : `${below}/${entry.name}`;
    // No path gives a folder such a name: the journal's, say.
    if (entry.name.startsWith('.')) continue;
    if (entry.isDirectory()) yield* listFiles(root, location);
    else if (entry.isFile()) {
      const file = join(root, location);
      const place = placeOf(location);
      if (place === 'hashed') yield* placeInside(file);
      else if (place !== undefined) yield { file, place };
    }
  }
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    // Nothing recorded yet, or removed while we looked.
    if (systemCode(error) === 'ENOENT') return [];
    throw new PatchgateError('cannot-read', `cannot read ${folder}: ${messageOf(error)}`, { cause: error });
  }
}

async function* placeInside(file: string): AsyncIterable<ListedFile> {
  const text = await readRecordingText(file);
  const first = text === undefined ? undefined : parseRecording(text, file).exchanges[0];
  if (first) yield { file, place: { method: first.request.method, path: first.request.path } };
}
