import { hash } from 'node:crypto';
import { Low } from 'lowdb';
import { markLine } from '../journal/journal-line.ts';
import { type KeptExchanges, ListedExchanges } from '../kept-exchanges.ts';
import { BigFile } from './big-file.ts';
import { BodyFiles } from './body-files.ts';
import type { Contents } from './contents.ts';
import type { Entry } from './entry.ts';
import type { KeptFileContext } from './kept-file-context.ts';
import { LineTexts } from './line-texts.ts';
import { LoadedContents, type LoadOptions } from './loaded-contents.ts';
import { type FileContent, NOTHING, RecordingFile, sizeOnDisk } from './recording-file.ts';
import { SlicedFile } from './sliced-file.ts';

/** What a file takes in memory as objects: so many times its bytes, and some. */
const TIMES = 4;
const OVERHEAD = 1024;

/**
 * One file of a recording with what the journal has for it. Its exchanges are in memory where somebody asks for them,
 * unless it is large; to be written, it is enough to know where they stand, and mostly to add to the file.
 */
export class KeptFile {
  readonly key: string;
  readonly place: { method: string; path: string };
  /** What this counts for among the idle files: the store's note. */
  idleBytes = 0;
  /** Being written: the store's note. */
  isFolding = false;
  readonly #context: KeptFileContext;
  readonly #adapter: RecordingFile;
  readonly #db: Low<FileContent>;
  readonly #bodies: BodyFiles;
  readonly #lines: LineTexts;
  readonly #load: LoadOptions;
  readonly #loaded: LoadedContents;
  /** Instead of what is loaded, where somebody asks for a large file. */
  #big: BigFile | undefined;
  #opening: Promise<void> | undefined;
  #listed: { list: readonly Entry[]; exchanges: ListedExchanges } | undefined;
  #isAsked = false;
  /** Up to here in the journal, its lines are in what is being written. */
  #writing = 0;
  #adding: Promise<unknown> | undefined;

  constructor(key: string, file: string, place: { method: string; path: string }, context: KeptFileContext) {
    this.key = key;
    this.place = place;
    this.#context = context;
    this.#adapter = new RecordingFile(file, place, {
      onComplete: (temporary) => this.#mark(this.#writing, temporary),
      onFailed: () => this.#unmark(),
      breathe: context.breathe,
      isDurable: context.isDurable,
    });
    this.#db = new Low<FileContent>(this.#adapter, NOTHING);
    this.#bodies = new BodyFiles(file, context.isDurable);
    this.#lines = new LineTexts(context.journal, this.#bodies);
    this.#load = { key, place, file, db: this.#db, bodies: this.#bodies, lines: this.#lines, context };
    this.#loaded = new LoadedContents(this.#load, () => this.#isAsked);
  }

  /** Bytes of memory, about. */
  get size(): number {
    if (this.#big) return this.#big.size + OVERHEAD;
    return TIMES * (this.#adapter.size + this.#loaded.readBytes) + OVERHEAD;
  }

  /** Bytes that the file had when it was read or written last. */
  get written(): number {
    return this.#adapter.size;
  }

  /** Whether somebody asked for its exchanges. */
  get isAsked(): boolean {
    return this.#isAsked;
  }

  /** Whether `exchanges` has everything. */
  get isUpToDate(): boolean {
    if (this.#big) return this.#big.isUpToDate;
    return this.#isAsked && this.#loaded.contents !== undefined && this.#loaded.applied >= this.#newest();
  }

  /** All exchanges; the same object as long as they are only added. */
  get exchanges(): KeptExchanges {
    if (this.#big) return this.#big.exchanges;
    const list = (this.#loaded.contents as Contents).list();
    if (this.#listed?.list !== list)
      this.#listed = { list, exchanges: new ListedExchanges(list, this.#context.factsOf) };
    return this.#listed.exchanges;
  }

  /** Reads what there is, for `exchanges`.
   *  @throws PatchgateError `cannot-read`, `bad-recording` */
  async ask(): Promise<void> {
    this.#isAsked = true;
    await this.#adding;
    if (!(await this.#askBig())) await this.#loaded.update();
  }

  /** Writes what there is, so that nothing waits that was appended before.
   *  @throws PatchgateError `cannot-write`, or what `ask` throws */
  async save(): Promise<void> {
    const loaded = this.#loaded;
    if (loaded.contents) await loaded.update();
    const adding = this.#add(loaded.contents ? loaded.applied : this.#newest());
    // Whoever asks meanwhile waits for it to be over, however it ends.
    this.#adding = adding.catch(() => undefined);
    if (await adding) return;
    this.#forgetBig();
    const contents = await loaded.update();
    const upTo = loaded.applied;
    if (loaded.isChanged) {
      await this.#bodies.keepOnly(contents.entries(), (kept) => this.#write({ entries: kept }, upTo));
    }
    this.#settle(upTo);
  }

  /** Frees what only writing needed; what somebody asked for stays. */
  rest(): void {
    if (this.#isAsked) this.#loaded.contents?.list();
    else this.forget();
    this.#loaded.rest();
  }

  /** Frees everything. What waits for the file is in the journal. */
  forget(): void {
    this.#loaded.forget();
    this.#listed = undefined;
    this.#forgetBig();
  }

  /** Makes what the next start finds its way through the file by, where it is large. */
  async index(): Promise<void> {
    if (!this.#isLarge) return;
    const big = await BigFile.open(this.#load);
    big?.close();
  }

  /** @returns whether it is a large file that stays on disk */
  async #askBig(): Promise<boolean> {
    if (this.#big?.isUnchanged === false) this.#forgetBig();
    if (!this.#big) {
      const isLoaded = this.#loaded.contents !== undefined || this.#context.waiting.get(this.key)?.replaces;
      if (isLoaded || this.#hasGaps || !this.#isLarge) return false;
      this.#opening ??= this.#openBig().finally(() => {
        this.#opening = undefined;
      });
      await this.#opening;
    }
    this.#big?.update();
    return this.#big !== undefined;
  }

  get #isLarge(): boolean {
    return sizeOnDisk(this.#adapter.file) >= this.#context.largeBytes;
  }

  async #openBig(): Promise<void> {
    this.#big = await BigFile.open(this.#load);
  }

  #forgetBig(): void {
    this.#big?.close();
    this.#big = undefined;
  }

  /** Adds what waits up to a position to the file as it is. @returns false where that is not all that there is to do */
  async #add(upTo: number): Promise<boolean> {
    const { waiting, started } = this.#context;
    const name = hash('sha1', this.key, 'binary');
    const before = SlicedFile.open(this.#adapter.file);
    try {
      if (before && !before.takesAdditions) return false;
      const mayReplace = this.#loaded.contents !== undefined || (before !== undefined && !started.has(name));
      if (mayReplace && (waiting.get(this.key)?.replaces || this.#hasGaps)) return false;
      const entries = this.#lines.all(waiting.between(this.key, 0, upTo));
      await this.#write({ entries, ...(before && { before }) }, upTo);
      if (!before) started.add(name);
    } finally {
      before?.close();
    }
    this.#settle(upTo);
    const isAsBefore = this.#big?.identity === before?.identity;
    if (this.#big && !(isAsBefore && (await this.#big.advance(upTo)))) this.#forgetBig();
    return true;
  }

  get #hasGaps(): boolean {
    return this.#loaded.contents?.hasGaps ?? this.#context.gaps.has(this.key);
  }

  /** The file has what was appended up to a position. */
  #settle(upTo: number): void {
    this.#context.waiting.settle(this.key, upTo);
    this.#loaded.isChanged = this.#loaded.applied > upTo;
  }

  async #write(content: FileContent, upTo: number): Promise<void> {
    this.#writing = upTo;
    this.#db.data = content;
    try {
      await this.#db.write();
    } finally {
      this.#db.data = NOTHING;
    }
  }

  /** Behind the last line that waits. */
  #newest(): number {
    return this.#context.waiting.newestOf(this.key);
  }

  /** Says in the journal what the file has, or has once the temporary file has taken its place. */
  #mark(upTo: number, temporary?: string): void {
    this.#context.journal.appendNow(markLine({ ...this.place, upTo, ...(temporary && { temporary }) }));
  }

  /** The file stays as it was: takes the last mark back. @returns whether that is certain */
  #unmark(): boolean {
    try {
      this.#mark(this.#context.waiting.get(this.key)?.stretches[0] ?? 0);
      return true;
    } catch {
      // Then the temporary file must stay: it is what the last mark speaks of. The failure itself is reported.
      return false;
    }
  }
}
