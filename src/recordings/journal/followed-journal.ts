import { accessSync, closeSync, fstatSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf, PatchgateError, systemCode } from '../../errors.ts';
import { type FoldMark, readLine } from './journal-line.ts';
import { linesOf } from './lines-of.ts';
import { fileOf } from './load-journal.ts';
import { readAt } from './read-at.ts';
import { addMark, brokenJournal, type JournalContent, openSegment, readSegment } from './read-segment.ts';
import { type Segment, segmentName, segmentsIn } from './segment.ts';
import { fileKey, WaitingFiles } from './waiting-files.ts';

/** A file of the journal. */
interface Followed extends Segment {
  fd: number;
  inode: number;
  /** Bytes that were looked at. */
  read: number;
}

/** Begins every mark, and no other line. */
const MARK = Buffer.from('{"folded":');
/** A writer that removes files while they are listed is met again and again only by chance. */
const MOST_ATTEMPTS = 1000;

/**
 * A journal as a reader sees it, beside whom somebody may write. What it held at the start stays readable, since its files
 * are kept open; what the writer has moved into the recording's files meanwhile no longer waits. Exchanges that were
 * appended after the start are not seen. Nothing is touched.
 */
export class FollowedJournal {
  readonly waiting = new WaitingFiles();
  readonly #root: string;
  readonly #folder: string;
  /** Those of the start, oldest first, and those that were begun later. */
  readonly #own: Followed[];
  readonly #later = new Map<number, Followed>();
  readonly #marks: JournalContent['marks'] = new Map();
  #firstLeft = 0;
  #changes = 0;

  /** @throws PatchgateError `cannot-read`, `bad-recording` with file and line */
  constructor(root: string, folder: string) {
    this.#root = root;
    this.#folder = folder;
    this.#own = openAll(folder);
    try {
      for (const segment of this.#own) this.#readFirst(segment);
      this.catchUp();
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Those of the start. */
  get segments(): readonly Segment[] {
    return this.#own.filter(({ size }) => size > 0);
  }

  /**
   * What is in the recording's files by now no longer waits.
   *
   * @returns a number that changes with what waits. Of a file that was read between two calls that gave the same one,
   *  whatever still waits is not in it yet.
   * @throws PatchgateError `cannot-read`
   */
  catchUp(): number {
    if (this.waiting.size === 0) return this.#changes;
    this.#readMarks();
    let inPlace: [key: string, mark: FoldMark][];
    // A temporary file is also gone when it could not be put in its place; but first, its mark is taken back.
    do inPlace = this.#marksInPlace();
    while (this.#readMarks());
    for (const [key, { last, before }] of this.#marks) {
      const isInPlace = inPlace.some(([one, mark]) => one === key && mark === last);
      this.#settle(key, isInPlace ? last.upTo : before);
      if (isInPlace) this.#marks.delete(key);
    }
    this.#settleRemoved();
    return this.#changes;
  }

  close(): void {
    for (const { fd } of [...this.#own.splice(0), ...this.#later.values()]) closeSync(fd);
    this.#later.clear();
  }

  #settle(key: string, upTo: number): void {
    const first = this.waiting.get(key)?.stretches[0];
    if (first === undefined || first >= upTo) return;
    this.waiting.settle(key, upTo);
    this.#changes++;
  }

  /** The writer removes a file, oldest first, when all its lines are in the recording's files. */
  #settleRemoved(): void {
    const left = [...this.#own, ...this.#later.values()].find(
      ({ base, inode }) => inodeOf(this.#fileOf(base)) === inode,
    );
    const first = left?.base ?? Number.POSITIVE_INFINITY;
    if (first <= this.#firstLeft) return;
    this.#firstLeft = first;
    for (const { key } of this.waiting.all()) this.#settle(key, first);
  }

  #marksInPlace(): [key: string, mark: FoldMark][] {
    return [...this.#marks].flatMap(([key, { last }]) =>
      this.#isInPlace(last) ? [[key, last] as [string, FoldMark]] : [],
    );
  }

  #isInPlace(mark: FoldMark): boolean {
    if (mark.temporary === undefined) return true;
    const temporary = join(dirname(fileOf(this.#root, mark)), mark.temporary);
    try {
      accessSync(temporary);
      return false;
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return true;
      throw new PatchgateError('cannot-read', `cannot read ${temporary}: ${messageOf(error)}`, {
        cause: error,
      });
    }
  }

  /** What the start found. */
  #readFirst(segment: Followed): void {
    const file = this.#fileOf(segment.base);
    const { size, whole } = readSegment(segment.fd, file, segment.base, {
      waiting: this.waiting,
      marks: this.#marks,
    });
    if (whole < size && segment !== this.#own.at(-1))
      throw brokenJournal(file, 'the file ends within a line');
    segment.size = segment.read = whole;
  }

  /** @returns whether there were new ones */
  #readMarks(): boolean {
    const bases = segmentsIn(this.#folder);
    for (const [base, { fd }] of this.#later) {
      if (bases.includes(base)) continue;
      closeSync(fd);
      this.#later.delete(base);
    }
    let isNew = false;
    for (const base of bases) {
      const segment = this.#own.find((one) => one.base === base) ?? this.#openLater(base);
      if (segment && this.#readOn(segment)) isNew = true;
    }
    return isNew;
  }

  /** Undefined where it is removed by now. */
  #openLater(base: number): Followed | undefined {
    const known = this.#later.get(base) ?? openFollowed(this.#fileOf(base), base);
    if (known) this.#later.set(base, known);
    return known;
  }

  /** @returns whether there was a mark of a file that something waits for */
  #readOn(segment: Followed): boolean {
    const { fd, read } = segment;
    let isNew = false;
    const lines = linesOf((start, end) => readAt(fd, start, end - start), read, fstatSync(fd).size);
    for (;;) {
      const next = lines.next();
      if (next.done) {
        segment.read = next.value;
        return isNew;
      }
      const { bytes } = next.value;
      const line = bytes.subarray(0, MARK.length).equals(MARK) ? readLine(bytes) : undefined;
      if (line?.kind !== 'mark' || !this.waiting.get(fileKey(line.mark.method, line.mark.path))) continue;
      addMark(this.#marks, line.mark);
      isNew = true;
    }
  }

  #fileOf(base: number): string {
    return join(this.#folder, segmentName(base));
  }
}

/** All files of a journal, of one moment. */
function openAll(folder: string): Followed[] {
  for (let attempt = 1; ; attempt++) {
    const opened: Followed[] = [];
    const bases = segmentsIn(folder);
    for (const base of bases) {
      const segment = openFollowed(join(folder, segmentName(base)), base);
      if (!segment) break;
      opened.push(segment);
    }
    if (opened.length === bases.length) return opened;
    for (const { fd } of opened) closeSync(fd);
    if (attempt === MOST_ATTEMPTS) {
      throw new PatchgateError('cannot-read', `cannot read ${folder}: what is listed there cannot be opened`);
    }
  }
}

function openFollowed(file: string, base: number): Followed | undefined {
  const fd = openSegment(file);
  return fd === undefined ? undefined : { base, size: 0, fd, inode: fstatSync(fd).ino, read: 0 };
}

function inodeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ino;
}
