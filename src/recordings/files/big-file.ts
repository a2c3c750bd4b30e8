import { join } from 'node:path';
import { JoinedExchanges, type KeptExchanges, ListedExchanges } from '../kept-exchanges.ts';
import { locationOf } from '../store/location.ts';
import { toStoredExchange } from '../to-stored-exchange.ts';
import { type Entry, ObjectEntry, PlacedEntry } from './entry.ts';
import { IndexedFile, type IndexOptions } from './indexed-file.ts';
import type { KeptFileContext } from './kept-file-context.ts';
import { exchangeIn, type LineTexts } from './line-texts.ts';

export interface BigFileOptions {
  key: string;
  place: { method: string; path: string };
  file: string;
  lines: LineTexts;
  context: KeptFileContext;
}

/** A large file that is asked for, with what the journal has behind its end. */
export class BigFile {
  readonly #options: BigFileOptions;
  #indexed: IndexedFile;
  #behind: Entry[] = [];
  #all: KeptExchanges;
  /** Up to here in the journal, its lines are in it. */
  #upTo = 0;

  /** Undefined where it cannot stay on disk: it is then to be read whole. @throws PatchgateError `cannot-read` */
  static async open(options: BigFileOptions): Promise<BigFile | undefined> {
    const { file, context } = options;
    let indexed: IndexedFile | undefined;
    let moment: number;
    do {
      indexed?.close();
      moment = context.catchUp();
      indexed = await IndexedFile.open(file, indexOptions(options));
    } while (context.catchUp() !== moment);
    if (!indexed) return undefined;
    const big = new BigFile(options, indexed);
    try {
      // At once: soon less may wait than is missing from the file as it was opened.
      big.update();
    } catch (error) {
      big.close();
      throw error;
    }
    return big;
  }

  private constructor(options: BigFileOptions, indexed: IndexedFile) {
    this.#options = options;
    this.#indexed = indexed;
    this.#all = indexed;
  }

  /** The same object as long as exchanges are only added. */
  get exchanges(): KeptExchanges {
    return this.#all;
  }

  /** Bytes of memory, about. */
  get size(): number {
    return this.#indexed.size;
  }

  get isUpToDate(): boolean {
    const { key, context } = this.#options;
    return this.isUnchanged && this.#upTo >= context.waiting.newestOf(key);
  }

  /** Whether nobody else has written into the file. */
  get isUnchanged(): boolean {
    return this.#indexed.isUnchanged;
  }

  get identity(): string {
    return this.#indexed.identity;
  }

  /** Takes in what waits in the journal. */
  update(): void {
    const { key, lines, context } = this.#options;
    const { journal, waiting, isWritable } = context;
    for (const [from, to] of waiting.between(key, this.#upTo, Number.POSITIVE_INFINITY)) {
      for (const { start, end, bytes } of journal.lines(from, to)) {
        // Nobody takes lines from a writer's journal but itself.
        const entry = isWritable
          ? new PlacedEntry(lines, start, end)
          : new ObjectEntry(toStoredExchange(exchangeIn(bytes).exchange));
        this.#add(entry);
        this.#upTo = end;
      }
    }
  }

  #add(entry: Entry): void {
    if (this.#behind.length === 0) {
      const behind = new ListedExchanges(this.#behind, this.#options.context.factsOf);
      this.#all = new JoinedExchanges(this.#indexed, behind);
    }
    this.#behind.push(entry);
  }

  /** The file has taken in what was behind its end up to a position in the journal, and nothing else has changed.
   *  @returns false where it is no longer as it must be */
  async advance(upTo: number): Promise<boolean> {
    let next: IndexedFile | undefined;
    try {
      next = await IndexedFile.open(this.#options.file, indexOptions(this.#options), this.#indexed);
    } finally {
      // What is behind its end will not be in the journal any more.
      this.close();
    }
    if (next === undefined) return false;
    this.#indexed = this.#all = next;
    this.#behind = [];
    this.#upTo = upTo;
    return true;
  }

  close(): void {
    this.#indexed.close();
  }
}

function indexOptions({ place, context }: BigFileOptions): IndexOptions {
  const { factsOf, matching, indexFolder } = context;
  const indexFile = join(indexFolder, `${locationOf(place.method, place.path)}.index`);
  return { place, factsOf, matching, indexFile };
}
