import type { Low } from 'lowdb';
import { toStoredExchange } from '../to-stored-exchange.ts';
import type { BodyFiles } from './body-files.ts';
import { Contents } from './contents.ts';
import { type Entry, ObjectEntry, PlacedEntry } from './entry.ts';
import type { KeptFileContext } from './kept-file-context.ts';
import { cutShort, exchangeIn, type LineTexts } from './line-texts.ts';
import { type FileContent, NOTHING } from './recording-file.ts';
import { SlicedFile } from './sliced-file.ts';

export interface LoadOptions {
  key: string;
  place: { method: string; path: string };
  file: string;
  db: Low<FileContent>;
  bodies: BodyFiles;
  lines: LineTexts;
  context: KeptFileContext;
}

/**
 * What a file holds and what the journal adds to it, put together: in memory where somebody asks for it, else as places.
 */
export class LoadedContents {
  /** Up to here in the journal, its lines are in it. */
  applied = 0;
  /** It is not what the file holds. */
  isChanged = false;
  /** Bytes of the journal that are in memory. */
  readBytes = 0;
  readonly #options: LoadOptions;
  readonly #isAsked: () => boolean;
  #contents: Contents | undefined;
  #sliced: SlicedFile | undefined;
  #work: Promise<void> | undefined;

  /** @param isAsked whether somebody asks for the exchanges */
  constructor(options: LoadOptions, isAsked: () => boolean) {
    this.#options = options;
    this.#isAsked = isAsked;
  }

  /** Undefined: nothing is loaded. */
  get contents(): Contents | undefined {
    return this.#contents;
  }

  /** @returns with all that waits now
   *  @throws PatchgateError `cannot-read`, `bad-recording` */
  async update(): Promise<Contents> {
    const newest = this.#newest();
    // What waits for a reader can only become less.
    while (!this.#contents || this.applied < Math.min(newest, this.#newest())) {
      this.#work ??= this.#apply().finally(() => {
        this.#work = undefined;
      });
      await this.#work;
    }
    return this.#contents;
  }

  /** Closes what was open to be read. */
  rest(): void {
    this.#sliced?.close();
    this.#sliced = undefined;
  }

  forget(): void {
    if (!this.#contents) return;
    const { context, key } = this.#options;
    // What was not saved comes from the journal again, gaps included.
    if (!this.isChanged) context.gaps.put(key, this.#contents.entries().length, this.#contents.gaps());
    this.#contents = undefined;
    this.applied = 0;
    this.readBytes = 0;
    this.isChanged = false;
  }

  #newest(): number {
    return this.#options.context.waiting.newestOf(this.#options.key);
  }

  async #apply(): Promise<void> {
    const { key, bodies, lines, context } = this.#options;
    const { journal, waiting, isWritable, breathe, catchUp } = context;
    if (!this.#contents) {
      let contents: Contents;
      let moment: number;
      do {
        moment = catchUp();
        contents = await this.#read();
      } while (catchUp() !== moment);
      this.#contents = contents;
    }
    for (const [from, to] of waiting.between(key, this.applied, Number.POSITIVE_INFINITY)) {
      for (const { start, end, bytes } of journal.lines(from, to)) {
        const { exchange, replace, failures } = exchangeIn(bytes);
        const isFailure = exchange.failure !== undefined;
        const isAsked = this.#isAsked();
        const entry = isAsked
          ? new ObjectEntry(toStoredExchange(exchange), isWritable ? bodies : undefined)
          : new PlacedEntry(lines, start, end);
        if (this.#contents.add(entry, { replace, isFailure, failures })) this.isChanged = true;
        if (isAsked) this.readBytes += bytes.length;
        this.applied = end;
        const pause = breathe();
        if (pause) await pause;
      }
      if (this.applied < to) throw cutShort(key);
    }
  }

  async #read(): Promise<Contents> {
    const { key, context } = this.#options;
    const entries = (this.#isAsked() ? undefined : await this.#slice()) ?? (await this.#readWhole());
    return new Contents(entries, context.gaps.take(key, entries.length), context.contents);
  }

  async #readWhole(): Promise<readonly Entry[]> {
    const { db } = this.#options;
    db.data = NOTHING;
    await db.read();
    return db.data.entries as Entry[];
  }

  async #slice(): Promise<Entry[] | undefined> {
    const { file, place, context } = this.#options;
    const sliced = SlicedFile.open(file);
    if (!sliced) return [];
    const entries = await sliced.entries(place, context.breathe);
    if (entries) this.#sliced = sliced;
    else sliced.close();
    return entries;
  }
}
