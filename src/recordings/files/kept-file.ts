import { hash } from 'node:crypto';
import { Low } from 'lowdb';
import { PatchgateError } from '../../errors.ts';
import type { Exchange } from '../../model/exchange.ts';
import type { HashSet } from '../hash-set.ts';
import type { Journal } from '../journal/journal.ts';
import { markLine } from '../journal/journal-line.ts';
import type { WaitingFiles } from '../journal/waiting-files.ts';
import { settle } from '../settle.ts';
import { Contents } from './contents.ts';
import { type Entry, ObjectEntry, PlacedEntry, type TextSource } from './entry.ts';
import { exchangeText } from './file-format.ts';
import type { Gaps } from './gaps.ts';
import { exchangeIn, lineTexts } from './line-texts.ts';
import { type FileContent, RecordingFile } from './recording-file.ts';
import { SlicedFile } from './sliced-file.ts';

/** What an entry takes in memory beyond its text. */
const OVERHEAD = 512;

const NOTHING: FileContent = { entries: [] };

/** What all files of a recording share. */
export interface KeptFileContext {
  journal: Journal;
  waiting: WaitingFiles;
  gaps: Gaps;
  /** Files that there were not before this run: there is nothing in them that it could replace. */
  started: HashSet;
  /** Called between two exchanges of a longer work. */
  breathe(): Promise<void> | undefined;
}

/**
 * One file of a recording with what the journal has for it. Its exchanges are in memory where somebody asks for them; to
 * be written, it is enough to know where they stand, and mostly to add to the file.
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
  readonly #lines: TextSource;
  #contents: Contents | undefined;
  #sliced: SlicedFile | undefined;
  #isAsked = false;
  /** Up to here in the journal, its lines are in the contents; and in what is being written. */
  #applied = 0;
  #writing = 0;
  #isChanged = false;
  #adding: Promise<unknown> | undefined;
  #work: Promise<void> | undefined;

  constructor(key: string, file: string, place: { method: string; path: string }, context: KeptFileContext) {
    this.key = key;
    this.place = place;
    this.#context = context;
    this.#adapter = new RecordingFile(file, place, {
      onComplete: (temporary) => this.#mark(this.#writing, temporary),
      onFailed: () => this.#unmark(),
      breathe: context.breathe,
    });
    this.#db = new Low<FileContent>(this.#adapter, NOTHING);
    const exchangeAt = (start: number, end: number) =>
      settle(exchangeIn(context.journal.line(start, end)).exchange);
    this.#lines = { exchangeAt, textAt: (start, end) => exchangeText(exchangeAt(start, end)) };
  }

  get size(): number {
    return this.#adapter.size + OVERHEAD;
  }

  /** Whether somebody asked for its exchanges. */
  get isAsked(): boolean {
    return this.#isAsked;
  }

  /** Whether `list` gives everything. */
  get isUpToDate(): boolean {
    return this.#isAsked && this.#contents !== undefined && this.#applied >= this.#newest();
  }

  /** All exchanges, oldest first; the same object as long as nothing changes. */
  list(): readonly Exchange[] {
    return (this.#contents as Contents).list();
  }

  /** Reads what there is, for `list`.
   *  @throws PatchgateError `cannot-read`, `bad-recording` */
  async ask(): Promise<void> {
    this.#isAsked = true;
    await this.#adding;
    await this.#update();
  }

  /** Writes what there is, so that nothing waits that was appended before.
   *  @throws PatchgateError `cannot-write`, or what `ask` throws */
  async save(): Promise<void> {
    if (this.#isAsked || this.#contents) await this.#update();
    const adding = this.#add(this.#contents ? this.#applied : this.#newest());
    // Whoever asks meanwhile waits for it to be over, however it ends.
    this.#adding = adding.catch(() => undefined);
    if (await adding) return;
    await this.#update();
    const upTo = this.#applied;
    if (this.#isChanged) await this.#write({ entries: (this.#contents as Contents).entries() }, upTo);
    this.#settle(upTo);
  }

  /** Frees what only writing needed; what somebody asked for stays. */
  rest(): void {
    if (this.#isAsked) this.#contents?.list();
    else this.forget();
    this.#sliced?.close();
    this.#sliced = undefined;
  }

  /** Frees everything. What waits for the file is in the journal. */
  forget(): void {
    if (!this.#contents) return;
    // What was not saved comes from the journal again, gaps included.
    if (!this.#isChanged) {
      this.#context.gaps.put(this.key, this.#contents.entries().length, this.#contents.gaps());
    }
    this.#contents = undefined;
    this.#applied = 0;
    this.#isChanged = false;
  }

  /** Adds what waits up to a position to the file as it is. @returns false where that is not all that there is to do */
  async #add(upTo: number): Promise<boolean> {
    const { journal, waiting, started } = this.#context;
    const name = hash('sha1', this.key, 'binary');
    const before = SlicedFile.open(this.#adapter.file);
    try {
      if (before && !before.takesAdditions) return false;
      const mayReplace = this.#contents !== undefined || (before !== undefined && !started.has(name));
      if (mayReplace && (waiting.get(this.key)?.replaces || this.#hasGaps)) return false;
      const entries = lineTexts(journal, waiting.between(this.key, 0, upTo));
      await this.#write({ entries, ...(before && { before }) }, upTo);
      if (!before) started.add(name);
    } finally {
      before?.close();
    }
    this.#settle(upTo);
    return true;
  }

  get #hasGaps(): boolean {
    return this.#contents?.hasGaps ?? this.#context.gaps.has(this.key);
  }

  /** The file has what was appended up to a position. */
  #settle(upTo: number): void {
    this.#context.waiting.settle(this.key, upTo);
    this.#isChanged = this.#applied > upTo;
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

  async #update(): Promise<void> {
    const newest = this.#newest();
    while (!this.#contents || this.#applied < newest) {
      this.#work ??= this.#apply().finally(() => {
        this.#work = undefined;
      });
      await this.#work;
    }
  }

  /** Behind the last line that waits. */
  #newest(): number {
    return this.#context.waiting.get(this.key)?.stretches.at(-1) ?? 0;
  }

  async #apply(): Promise<void> {
    const { journal, waiting, breathe } = this.#context;
    this.#contents ??= await this.#read();
    for (const [from, to] of waiting.between(this.key, this.#applied, Number.POSITIVE_INFINITY)) {
      for (const { start, end, bytes } of journal.lines(from, to)) {
        const { exchange, replace } = exchangeIn(bytes);
        const entry = this.#isAsked
          ? new ObjectEntry(settle(exchange))
          : new PlacedEntry(this.#lines, start, end);
        if (this.#contents.add(entry, replace)) this.#isChanged = true;
        this.#applied = end;
        const pause = breathe();
        if (pause) await pause;
      }
      if (this.#applied < to) throw cutShort(this.key);
    }
  }

  async #read(): Promise<Contents> {
    const entries = (this.#isAsked ? undefined : await this.#slice()) ?? (await this.#readWhole());
    return new Contents(entries, this.#context.gaps.take(this.key, entries.length));
  }

  async #readWhole(): Promise<readonly Entry[]> {
    this.#db.data = NOTHING;
    await this.#db.read();
    return this.#db.data.entries as Entry[];
  }

  async #slice(): Promise<Entry[] | undefined> {
    const sliced = SlicedFile.open(this.#adapter.file);
    if (!sliced) return [];
    const entries = await sliced.entries(this.place, this.#context.breathe);
    if (entries) this.#sliced = sliced;
    else sliced.close();
    return entries;
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

/** Somebody else took lines away that were kept: waiting for them would never end. */
function cutShort(key: string): PatchgateError {
  return new PatchgateError('bad-recording', `the journal lacks exchanges of ${key} that it had`, {
    hint: 'nothing but Patchgate may write to it while it runs: record them again',
  });
}
