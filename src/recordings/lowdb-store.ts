import { constants } from 'node:fs';
import { access, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, PatchgateError, systemCode } from '../errors.ts';
import type { Exchange } from '../model/exchange.ts';
import { KeptFile } from './kept-file.ts';
import { listFiles } from './list-files.ts';
import { checkRecordingName, locationOf } from './location.ts';
import { roughSize } from './rough-size.ts';
import type { RecordingStore } from './store.ts';
import { WriteBehind } from './write-behind.ts';

export interface StoreOptions {
  /** The recording will be written to: its folder is made now, so that one that cannot be made stops the start. */
  writable?: boolean;
  /** Bytes of files whose content is kept in memory, about; what is not written yet comes on top. Default 16 MiB. */
  cacheBytes?: number;
  /** Bytes of exchanges that may wait to be written, about; past it new ones are not kept. Default 256 MiB. */
  backlogBytes?: number;
}

const MIB = 1024 * 1024;

/**
 * Opens the recording `name` in a folder of recordings. Nothing of it is read before it is asked for.
 *
 * @throws PatchgateError `bad-usage` (the name), `cannot-read`, `cannot-write` (the folder)
 */
export async function openStore(
  folder: string,
  name: string,
  options: StoreOptions = {},
): Promise<RecordingStore> {
  checkRecordingName(name);
  const root = join(folder, name);
  if (options.writable) await makeFolder(root);
  else await checkFolder(root);
  return new LowdbStore(root, name, options);
}

/** A recording as a tree of lowdb files, one for each method and path, read when asked for and written behind. */
class LowdbStore implements RecordingStore {
  readonly name: string;
  readonly #root: string;
  readonly #cacheBytes: number;
  readonly #backlogBytes: number;
  readonly #files = new Map<string, KeptFile>();
  /** Files that may be forgotten, the longest unused first, and their sizes together. */
  readonly #idle = new Set<KeptFile>();
  #idleBytes = 0;
  readonly #writer = new WriteBehind((file) => this.#settle(file));
  #lost: PatchgateError | undefined;

  constructor(root: string, name: string, options: StoreOptions) {
    this.name = name;
    this.#root = root;
    this.#cacheBytes = options.cacheBytes ?? 16 * MIB;
    this.#backlogBytes = options.backlogBytes ?? 256 * MIB;
  }

  get trouble(): Error | undefined {
    return this.#lost ?? this.#writer.trouble;
  }

  async isEmpty(): Promise<boolean> {
    for await (const _ of this.paths()) return false;
    return true;
  }

  async find(method: string, path: string): Promise<readonly Exchange[]> {
    const file = this.#file(method, path);
    if (file.isLoaded) this.#settle(file);
    else await this.#load(file);
    return file.list();
  }

  async *paths(): AsyncIterable<{ method: string; path: string }> {
    const waiting = new Set<string>();
    for (const { file, place } of [...this.#writer.waiting]) {
      waiting.add(file);
      yield place;
    }
    for await (const { file, place } of listFiles(this.#root)) if (!waiting.has(file)) yield place;
  }

  append(exchange: Exchange, replace = false): void {
    const size = roughSize(exchange);
    if (this.#writer.backlog + size > this.#backlogBytes) {
      this.#lost = tooMuch(this.#root, this.#writer.trouble);
      return;
    }
    const file = this.#file(exchange.request.method, exchange.request.path);
    if (!file.add(exchange, replace)) return;
    this.#unsettle(file);
    this.#writer.add(file, size);
  }

  async flush(): Promise<void> {
    await this.#writer.flush();
    if (this.trouble) throw this.trouble;
  }

  close(): Promise<void> {
    return this.flush();
  }

  #file(method: string, path: string): KeptFile {
    const key = `${method} ${path}`;
    let file = this.#files.get(key);
    if (file === undefined) {
      file = new KeptFile(key, join(this.#root, locationOf(method, path)), { method, path });
      this.#files.set(key, file);
    }
    return file;
  }

  async #load(file: KeptFile): Promise<void> {
    try {
      await file.load();
    } catch (error) {
      // Once it is repaired it is read again. What waits to be written to it is not forgotten.
      if (!this.#writer.waiting.has(file)) this.#files.delete(file.key);
      throw error;
    }
    this.#settle(file);
  }

  /** The file was used and holds nothing that is not on disk: it becomes the last to be forgotten. */
  #settle(file: KeptFile): void {
    if (this.#writer.waiting.has(file)) return;
    this.#unsettle(file);
    this.#idle.add(file);
    this.#idleBytes += file.idleBytes = file.size;
    for (const oldest of this.#idle) {
      if (this.#idleBytes <= this.#cacheBytes || oldest === file) break;
      this.#unsettle(oldest);
      this.#files.delete(oldest.key);
    }
  }

  #unsettle(file: KeptFile): void {
    if (this.#idle.delete(file)) this.#idleBytes -= file.idleBytes;
  }
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    await access(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new PatchgateError('cannot-write', `cannot record into ${folder}: ${messageOf(error)}`, {
      hint: 'choose another folder with --recordings, or correct its permissions',
      cause: error,
    });
  }
}

/** A recording that is not there is an empty one; something else in its place is a mistake. */
async function checkFolder(folder: string): Promise<void> {
  let isFolder: boolean;
  try {
    isFolder = (await stat(folder)).isDirectory();
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return;
    throw new PatchgateError('cannot-read', `cannot read the recording ${folder}: ${messageOf(error)}`, {
      cause: error,
    });
  }
  if (isFolder) return;
  throw new PatchgateError('cannot-read', `${folder} is no folder`, {
    hint: 'a recording is a folder: give another name with --recording',
  });
}

function tooMuch(root: string, reason: Error | undefined): PatchgateError {
  const why = reason ? `: ${reason.message}` : ', which cannot be written as fast as they come';
  return new PatchgateError('cannot-write', `exchanges for ${root} are no longer kept${why}`, {
    hint: 'too many wait in memory already; make room on the disk or correct the permissions, then record again',
    cause: reason,
  });
}
