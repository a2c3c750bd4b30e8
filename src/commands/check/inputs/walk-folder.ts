import { type Dirent, readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { PatchgateError, whyUnreadable } from '../../../errors.ts';
import { HIDDEN } from '../../../recordings/store/hidden-folder.ts';

/** What is judged of a folder. */
export const INPUT_NAME = /\.(?:json|jsonl|ndjson|har)$/i;

/**
 * The files below a folder that could be judged, in the order of their names. `node_modules`, what starts with a dot and links
 * to folders are left out, and so is what is no file: to read a pipe that nobody writes to would take for ever.
 *
 * @param folder relative to `cwd`, without a slash at its end; so are the files
 * @param onRecording told of each folder that has what a recorder left there
 * @throws PatchgateError `bad-input` where a folder cannot be read
 */
export function walkFolder(folder: string, cwd: string, onRecording?: (folder: string) => void): string[] {
  return [...below(folder, cwd, onRecording)];
}

function* below(folder: string, cwd: string, onRecording?: (folder: string) => void): Generator<string> {
  for (const entry of entriesOf(folder, cwd)) {
    if (entry.name === HIDDEN && entry.isDirectory()) onRecording?.(folder);
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
    const path = folder === '.' ? entry.name : `${folder}${folder.endsWith('/') ? '' : '/'}${entry.name}`;
    if (entry.isDirectory()) yield* below(path, cwd, onRecording);
    else if (INPUT_NAME.test(entry.name) && (entry.isFile() || entry.isSymbolicLink())) yield path;
  }
}

/** Through the thread pool, many small folders would take several times as long. */
function entriesOf(folder: string, cwd: string): Dirent[] {
  try {
    const entries = readdirSync(resolve(cwd, folder), { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    throw new PatchgateError('bad-input', `cannot read the folder ${folder}: ${whyUnreadable(error)}`, {
      hint: 'correct its permissions, or give the files that are to be judged',
      cause: error,
    });
  }
}
