import { closeSync, openSync, readSync } from 'node:fs';
import { dirname } from 'node:path';
import { folderAbove } from '../history/recording-of.ts';

/** Bytes of a recording's file in which its first method and path stand. */
const HEAD = 4096;
const REQUEST = /"method":\s*("[^"\\]*"),\s*"path":\s*("(?:[^"\\]|\\.)*")/;

/** Tells which files belong to one recording, by looking into as few of them as it takes. */
export class RecordingGroups {
  /** Folders of recordings that were seen. */
  readonly #roots = new Set<string>();

  /** The folder of the recording that a file belongs to; `''` where that is none, or cannot be told so. @param file absolute */
  rootOf(file: string): string {
    for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder))
      if (this.#roots.has(folder)) return folder;
    const [, method, path] = REQUEST.exec(headOf(file)) ?? [];
    if (method === undefined || path === undefined) return '';
    const root = folderAbove(file, JSON.parse(method) as string, JSON.parse(path) as string);
    if (root === undefined) return '';
    this.#roots.add(root);
    return root;
  }
}

/** Nothing of what cannot be read: whoever judges it says so. */
function headOf(file: string): string {
  try {
    const fd = openSync(file, 'r');
    try {
      const bytes = Buffer.alloc(HEAD);
      return bytes.toString('utf8', 0, readSync(fd, bytes));
    } finally {
      closeSync(fd);
    }
  } catch {
    return '';
  }
}
