import { hash } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { endianness } from 'node:os';
import { basename, dirname } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Exchange } from '../../model/exchange.ts';
import { isObject } from '../../model/json.ts';
import type { KeptExchanges, RequestFacts } from '../kept-exchanges.ts';
import { makeFolders } from '../store/folders.ts';
import { HIDDEN, hideFromGit } from '../store/hidden-folder.ts';
import { FileIndex, type IndexEntry } from './file-index.ts';
import { SlicedFile } from './sliced-file.ts';

/** Work at a stretch. */
const WORK_MS = 5;

export interface IndexOptions {
  place: { method: string; path: string };
  factsOf(exchange: Exchange): RequestFacts;
  /** Names how `factsOf` looks at requests; undefined where nothing does: then no index is kept. */
  matching: string | undefined;
  /** Where the index is kept, to be found at the next start. */
  indexFile: string;
}

/**
 * A large file of a recording that stays on disk: what is in memory is where each exchange stands and by what its request
 * is found. It is the file as it was when it was opened, whatever takes its place.
 */
export class IndexedFile implements KeptExchanges {
  readonly #sliced: SlicedFile;
  /** Of the file as it was opened. */
  readonly index: FileIndex;
  readonly open: readonly number[];

  private constructor(sliced: SlicedFile, index: FileIndex) {
    this.#sliced = sliced;
    this.index = index;
    this.open = [...index.open];
  }

  /**
   * @param before of the same file, to which there have only been additions since
   * @returns undefined where there is no such file, or it is to be read whole to say what is wrong with it
   * @throws PatchgateError `cannot-read`
   */
  static async open(
    file: string,
    options: IndexOptions,
    before?: IndexedFile,
  ): Promise<IndexedFile | undefined> {
    const sliced = SlicedFile.open(file);
    if (sliced === undefined) return undefined;
    try {
      const index = readIndex(sliced, options) ?? (await makeIndex(sliced, options, before?.index));
      if (index) return new IndexedFile(sliced, index);
    } catch (error) {
      sliced.close();
      throw error;
    }
    sliced.close();
    return undefined;
  }

  get length(): number {
    return this.index.length;
  }

  /** Bytes of memory, about. */
  get size(): number {
    return this.index.size;
  }

  get identity(): string {
    return this.#sliced.identity;
  }

  get isUnchanged(): boolean {
    return this.#sliced.isUnchanged;
  }

  at(index: number): Exchange {
    const { start, end } = this.index.stretch(index);
    return this.#sliced.exchangeAt(start, end);
  }

  sessionOf(index: number): string {
    return this.index.sessionOf(index);
  }

  withKey(key: string): readonly number[] {
    return this.index.withKey(key);
  }

  close(): void {
    this.#sliced.close();
  }
}

async function makeIndex(
  sliced: SlicedFile,
  options: IndexOptions,
  before: FileIndex | undefined,
): Promise<FileIndex | undefined> {
  const found: IndexEntry[] = [];
  const visit = (exchange: Exchange, start: number, end: number) =>
    found.push({ start, end, session: exchange.meta.session ?? '', ...options.factsOf(exchange) });
  const behind = before && before.length > 0 ? before.stretch(before.length - 1).end : undefined;
  if (!(await sliced.scan(options.place, breather(), visit, behind))) return undefined;
  const index = FileIndex.of(found, before);
  keepIndex(index, sliced, options);
  return index;
}

/** Lets the requests have their turn every few milliseconds; somebody waits for this one, too. */
function breather(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < WORK_MS) return undefined;
    return nextTurn().then(() => {
      since = performance.now();
    });
  };
}

/** What an index begins with, in one line of JSON; its arrays follow. */
interface Head {
  indexVersion: 2;
  /** Of the file that it is for. */
  identity: string;
  matching: string;
  endianness: string;
  length: number;
  open: number;
  /** Bytes of the names of sessions. */
  names: number;
  sha1: string;
}

function readIndex(sliced: SlicedFile, { indexFile, matching }: IndexOptions): FileIndex | undefined {
  if (matching === undefined) return undefined;
  try {
    const bytes = readFileSync(indexFile);
    const end = bytes.indexOf('\n');
    const head: unknown = JSON.parse(bytes.toString('utf8', 0, end));
    if (!isObject(head)) return undefined;
    const { indexVersion, length, open, names, ...rest } = head;
    const arrays = bytes.subarray(end + 1);
    const isRight =
      indexVersion === 2 &&
      rest.identity === sliced.identity &&
      rest.matching === matching &&
      rest.endianness === endianness() &&
      rest.sha1 === hash('sha1', arrays, 'hex');
    return isRight ? FileIndex.from(arrays, length as number, open as number, names as number) : undefined;
  } catch {
    // It is made anew: nothing but time is lost.
    return undefined;
  }
}

/** So that the next start need not look through the file; where that cannot be, it does. */
function keepIndex(index: FileIndex, sliced: SlicedFile, { indexFile, matching }: IndexOptions): void {
  if (matching === undefined) return;
  const arrays = Buffer.concat(index.bytes());
  const head: Head = {
    indexVersion: 2,
    identity: sliced.identity,
    matching,
    endianness: endianness(),
    length: index.length,
    open: index.open.length,
    names: index.names.length,
    sha1: hash('sha1', arrays, 'hex'),
  };
  const temporary = `${indexFile}.${process.pid}.tmp`;
  try {
    const made = makeFolders(dirname(indexFile), false);
    if (made !== undefined && basename(made) === HIDDEN) hideFromGit(made);
    writeFileSync(temporary, Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), arrays]));
    renameSync(temporary, indexFile);
  } catch {
    try {
      rmSync(temporary, { force: true });
    } catch {
      // Neither it nor its remains are needed by anybody.
    }
  }
}
