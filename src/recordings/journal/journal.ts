import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, PatchgateError } from '../../errors.ts';
import { FIRST_LINE } from './journal-line.ts';
import { type Line, linesOf } from './lines-of.ts';
import { readAt } from './read-at.ts';
import { removeSegment, type Segment, segmentName } from './segment.ts';
import { SegmentFile } from './segment-file.ts';

interface Stretch {
  start: number;
  bytes: Buffer;
}

const NOTHING_READ: Stretch = { start: 0, bytes: Buffer.alloc(0) };

/** Bytes that are read at once where reading goes on where it stopped. */
const READ_AHEAD = 256 * 1024;

/**
 * Lines that are only ever added to, in files that are removed once nobody needs them. A position counts the bytes of
 * all files, from the first. Everything is synchronous: when `append` returns, the line is with the system, and
 * outlives this process. A line that cannot be written stays in memory, at its position, and is tried again.
 */
export class Journal {
  readonly #folder: string;
  readonly #isDurable: boolean;
  readonly #segments: Segment[];
  /** Behind the last line, and behind what is on disk. */
  #end: number;
  #written: number;
  #unwritten: Buffer[] = [];
  #trouble: PatchgateError | undefined;
  /** The last segment takes further lines; otherwise the next line begins one. */
  #isOpen = false;
  #writing: SegmentFile | undefined;
  #reading: { base: number; fd: number } | undefined;
  #ahead: Stretch = NOTHING_READ;

  /**
   * @param segments those that are there, oldest first
   * @param isDurable each line outlives a power failure when `append` returns
   */
  constructor(folder: string, segments: readonly Segment[] = [], isDurable = false) {
    this.#folder = folder;
    this.#isDurable = isDurable;
    this.#segments = [...segments];
    const last = segments.at(-1);
    this.#end = this.#written = last ? last.base + last.size : 0;
  }

  get end(): number {
    return this.#end;
  }

  /** Bytes of all lines that are kept. */
  get size(): number {
    return this.#end - (this.#segments[0]?.base ?? this.#end);
  }

  /** Bytes in memory, because they could not be written. */
  get unwritten(): number {
    return this.#end - this.#written;
  }

  /** Exchanges that are only in memory. */
  get unwrittenLines(): number {
    return this.#unwritten.filter((line) => !line.equals(FIRST_LINE)).length;
  }

  /** Why the last line could not be written. */
  get trouble(): PatchgateError | undefined {
    return this.#trouble;
  }

  /** @returns the line's position */
  append(line: Buffer): number {
    this.#open();
    if (this.#unwritten.length === 0) {
      if (this.#write(line)) return this.#count(line);
      this.#turn();
    }
    return this.#put(line);
  }

  /** Adds a line that means nothing unless it is on disk: it is never kept in memory.
   *  @throws PatchgateError `cannot-write` */
  appendNow(line: Buffer): void {
    this.#open();
    this.retry();
    if (this.#unwritten.length > 0) throw this.#trouble;
    if (!this.#write(line)) {
      this.#turn();
      if (this.#unwritten.length > 0 || !this.#write(line)) throw this.#trouble;
    }
    this.#count(line);
  }

  /** Tries again to write what is in memory. */
  retry(): void {
    for (let line = this.#unwritten[0]; line && this.#write(line); line = this.#unwritten[0])
      this.#unwritten.shift();
  }

  /** The line at a position, without its line feed. @throws PatchgateError `bad-recording` */
  line(start: number, end: number): Buffer {
    for (const { bytes } of this.lines(start, end)) return bytes;
    throw this.#cut();
  }

  /** The lines of a stretch that was appended. @throws PatchgateError `bad-recording` where they are no longer there */
  *lines(start: number, end: number): Generator<Line> {
    const last = yield* linesOf((from, to) => this.#read(from, to), start, end);
    if (last !== end) throw this.#cut();
  }

  /** The lines from here on go into a new file. Not while some are in memory only. */
  rotate(): void {
    if (this.unwritten === 0 && !this.#writing?.isTorn) this.#closeWriting();
  }

  /**
   * Removes the files that end at a position or before it, oldest first: what they say of one another stays true
   * wherever this is interrupted.
   *
   * @throws PatchgateError `cannot-write`
   */
  release(position: number): void {
    this.#ahead = NOTHING_READ;
    this.#closeReading();
    for (const segment of [...this.#segments]) {
      const isLast = segment === this.#segments.at(-1);
      if (segment.base + segment.size > position || (isLast && this.unwritten > 0)) return;
      if (isLast) this.#closeWriting();
      removeSegment(this.#folder, segment.base);
      this.#segments.shift();
    }
  }

  /** Nothing is appended after it. */
  close(): void {
    this.#closeWriting();
    this.#closeReading();
  }

  #cut(): PatchgateError {
    return new PatchgateError('bad-recording', `the journal in ${this.#folder} was cut while it was in use`, {
      hint: 'what it held and no file does yet is gone: record again',
    });
  }

  #open(): void {
    if (this.#isOpen) return;
    this.#segments.push({ base: this.#end, size: 0 });
    this.#isOpen = true;
    this.#put(FIRST_LINE);
  }

  /** What one file does not take, the next may: limits can be those of a file. */
  #turn(): void {
    this.rotate();
    this.#open();
  }

  /** Adds a line on disk or, where that fails, in memory. */
  #put(line: Buffer): number {
    if (this.#unwritten.length === 0 && this.#write(line)) return this.#count(line);
    // The caller goes on using its memory.
    this.#unwritten.push(Buffer.from(line));
    const position = this.#count(line);
    if (this.#unwritten.length > 1) this.retry();
    return position;
  }

  /** @returns where the line begins that was added */
  #count(line: Buffer): number {
    const position = this.#end;
    this.#end += line.length;
    (this.#segments.at(-1) as Segment).size += line.length;
    return position;
  }

  /** At its position, behind the last line. @returns whether that worked; `#trouble` says why not */
  #write(line: Buffer): boolean {
    const { base } = this.#segments.at(-1) as Segment;
    try {
      this.#writing ??= new SegmentFile(this.#fileOf(base), this.#isDurable);
      this.#writing.write(line, this.#written - base);
      this.#written += line.length;
      this.#trouble = undefined;
      return true;
    } catch (error) {
      const what = `cannot write ${this.#fileOf(base)}: ${messageOf(error)}`;
      const hint =
        'make room or correct the permissions; meanwhile, exchanges are kept in memory, as far as it goes';
      this.#trouble = new PatchgateError('cannot-write', what, { hint, cause: error });
      return false;
    }
  }

  /** What stands at a position, `end` at most; less than that where it comes in parts, nothing where it is gone. */
  #read(start: number, end: number): Buffer {
    const { start: from, bytes } = this.#ahead;
    if (start >= from && end <= from + bytes.length) return bytes.subarray(start - from, end - from);
    if (start >= this.#written) return this.#readMemory(start, end);
    const segment = this.#segments.findLast(({ base }) => base <= start);
    if (!segment || start >= segment.base + segment.size) return Buffer.alloc(0);
    const last = Math.min(segment.base + segment.size, this.#written);
    // Lines of many files lie far from one another: then more than what is asked for would be read in vain.
    const length = start === from + bytes.length ? Math.max(end - start, READ_AHEAD) : end - start;
    const found = readAt(this.#descriptor(segment), start - segment.base, Math.min(length, last - start));
    this.#ahead = { start, bytes: found };
    return found.subarray(0, end - start);
  }

  #readMemory(start: number, end: number): Buffer {
    let at = this.#written;
    for (const line of this.#unwritten) {
      if (start < at + line.length) return line.subarray(start - at, end - at);
      at += line.length;
    }
    return Buffer.alloc(0);
  }

  #descriptor({ base, fd }: Segment): number {
    if (fd !== undefined) return fd;
    if (this.#writing !== undefined && base === this.#segments.at(-1)?.base) return this.#writing.fd;
    if (this.#reading?.base !== base) {
      this.#closeReading();
      this.#reading = { base, fd: openSync(this.#fileOf(base), 'r') };
    }
    return this.#reading.fd;
  }

  #fileOf(base: number): string {
    return join(this.#folder, segmentName(base));
  }

  #closeWriting(): void {
    this.#writing?.close();
    this.#writing = undefined;
    this.#isOpen = false;
  }

  #closeReading(): void {
    if (this.#reading) closeSync(this.#reading.fd);
    this.#reading = undefined;
  }
}
