import { fileKey } from '../journal/waiting-files.ts';
import type { KeptFile } from './kept-file.ts';

/** The files of a recording that are in use, and those that may be used again, within a bound of memory. */
export class FileCache {
  readonly #files = new Map<string, KeptFile>();
  /** Files that may be forgotten, the longest unused first, and their sizes together. */
  readonly #idle = new Set<KeptFile>();
  #idleBytes = 0;
  readonly #limit: number;
  readonly #make: (key: string, method: string, path: string) => KeptFile;

  /** @param limit bytes, about */
  constructor(limit: number, make: (key: string, method: string, path: string) => KeptFile) {
    this.#limit = limit;
    this.#make = make;
  }

  file(method: string, path: string): KeptFile {
    const key = fileKey(method, path);
    let file = this.#files.get(key);
    if (file === undefined) {
      file = this.#make(key, method, path);
      this.#files.set(key, file);
    }
    return file;
  }

  /** The file was used: it becomes the last to be forgotten. */
  settle(file: KeptFile): void {
    if (this.#files.get(file.key) !== file) return;
    if (this.#idle.delete(file)) this.#idleBytes -= file.idleBytes;
    this.#idle.add(file);
    this.#idleBytes += file.idleBytes = file.size;
    for (const oldest of this.#idle) {
      if (this.#idleBytes <= this.#limit || oldest === file) break;
      this.drop(oldest);
    }
  }

  drop(file: KeptFile): void {
    if (file.isFolding) return;
    if (this.#idle.delete(file)) this.#idleBytes -= file.idleBytes;
    this.#files.delete(file.key);
    file.forget();
  }
}
