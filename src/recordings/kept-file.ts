import { Low } from 'lowdb';
import type { Exchange } from '../model/exchange.ts';
import { Contents } from './contents.ts';
import { FORMAT_VERSION, type RecordingContent } from './file-format.ts';
import { RecordingFile } from './recording-file.ts';

/** What an entry takes in memory beyond its text. */
const OVERHEAD = 512;

/** One file of a recording as the store keeps it in memory: its exchanges, and those that came before it was read. */
export class KeptFile {
  readonly key: string;
  readonly file: string;
  readonly place: { method: string; path: string };
  /** Counts the changes, so that whoever writes knows whether there were more meanwhile. */
  version = 0;
  /** What this counts for among the idle files: the store's note. */
  idleBytes = 0;
  /** Bytes added since the last write, about: the writer's note. */
  unsaved = 0;
  readonly #adapter: RecordingFile;
  readonly #db: Low<RecordingContent>;
  #contents: Contents | undefined;
  #early: { exchange: Exchange; replace: boolean }[] = [];
  #loading: Promise<void> | undefined;

  constructor(key: string, file: string, place: { method: string; path: string }) {
    this.key = key;
    this.file = file;
    this.place = place;
    this.#adapter = new RecordingFile(file, place);
    this.#db = new Low<RecordingContent>(this.#adapter, { formatVersion: FORMAT_VERSION, exchanges: [] });
  }

  get isLoaded(): boolean {
    return this.#contents !== undefined;
  }

  get size(): number {
    return this.#adapter.size + OVERHEAD;
  }

  /** Once loaded: all exchanges, oldest first; the same object as long as nothing changes. */
  list(): readonly Exchange[] {
    return (this.#contents as Contents).list();
  }

  /** @returns whether there is something to write now */
  add(exchange: Exchange, replace: boolean): boolean {
    if (this.#contents === undefined) this.#early.push({ exchange, replace });
    else if (!this.#contents.add(exchange, replace)) return false;
    this.version++;
    return true;
  }

  /** @throws PatchgateError `cannot-read`, `bad-recording` */
  load(): Promise<void> {
    this.#loading ??= this.#read().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  /** Writes what is there now.
   *  @throws PatchgateError `cannot-write`, or what `load` throws */
  async save(): Promise<void> {
    if (!this.isLoaded) await this.load();
    this.#db.data = { formatVersion: FORMAT_VERSION, exchanges: this.list() };
    await this.#db.write();
  }

  async #read(): Promise<void> {
    await this.#db.read();
    const contents = new Contents(this.#db.data.exchanges);
    for (const { exchange, replace } of this.#early) contents.add(exchange, replace);
    this.#early = [];
    this.#contents = contents;
  }
}
