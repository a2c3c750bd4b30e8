import { join } from 'node:path';
import { parseRecording } from '../store/file-format.ts';
import { placeOf } from '../store/location.ts';
import { folderEntries } from './folder-entries.ts';
import { readRecordingText } from './recording-file.ts';

export interface ListedFile {
  file: string;
  /** The method and path that it is for. */
  place: { method: string; path: string };
}

/**
 * The files of a recording; whatever else lies in its folder is left alone. In no promised order.
 *
 * @throws PatchgateError `cannot-read`; `bad-recording` for a broken file whose name does not say its path
 */
export async function* listFiles(root: string, below = ''): AsyncIterable<ListedFile> {
  for await (const entry of folderEntries(join(root, below))) {
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

async function* placeInside(file: string): AsyncIterable<ListedFile> {
  const text = await readRecordingText(file);
  const first = text === undefined ? undefined : parseRecording(text, file).exchanges[0];
  if (first) yield { file, place: { method: first.request.method, path: first.request.path } };
}
