import { closeSync, mkdirSync, openSync, rmdirSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, PatchgateError, systemCode } from '../../errors.ts';
import { FIRST_LINE } from './journal-line.ts';
import { type Line, linesOf } from './lines-of.ts';
import { readAt } from './read-at.ts';
import { type Segment, segmentName } from './segment.ts';

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
  readonly #segments: Segment[];
  /** Behind the last line, and behind what is on disk. */
  #end: number;
  #written: number;
  #unwritten: Buffer[] = [];
  #trouble: PatchgateError | undefined;
  /** The last segment takes further lines; otherwise the next line begins one. */
  #isOpen = false;
  #writing: number | undefined;
  #reading: { base: number; fd: number } | undefined;
  #ahead: Stretch = NOTHING_READ;

  /** @param segments those that are there, oldest first */
  constructor(folder: string, segments: readonly Segment[] = []) {
    this.#folder = folder;
    this.#segments = [...segments];
    const last = segments.at(-1);
    this.#end = this.#written = last ? last.base + last.size : 0;
  }

  get end(): number {
    return this.#end;
  }

  /** Bytes in memory, because they could not be written. */
  get unwritten(): number {
    return this.#end - this.#written;
  }

  /** Why the last line could not be written. */
  get trouble(): PatchgateError | undefined {
    return this.#trouble;
  }

  /** @returns the line's position */
  append(line: Buffer): number {
    this.#open();
    const position = this.#end;
    this.#end += line.length;
    (this.#segments.at(-1) as Segment).size += line.length;
    if (this.#unwritten.length === 0 && this.#write(line)) return position;
    // The caller goes on using its memory.
    this.#unwritten.push(Buffer.from(line));
    if (this.#unwritten.length > 1) this.retry();
    return position;
  }

  /** Adds a line that means nothing unless it is on disk: it is never kept in memory.
   *  @throws PatchgateError `cannot-write` */
  appendNow(line: Buffer): void {
    this.#open();
    this.retry();
    if (this.#unwritten.length > 0 || !this.#write(line)) throw this.#trouble;
    this.#end += line.length;
    (this.#segments.at(-1) as Segment).size += line.length;
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
    if (!this.#isOpen || this.unwritten > 0) return;
    this.#isOpen = false;
    this.#closeWriting();
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
      if (isLast) this.rotate();
      this.#remove(segment);
    }
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
    this.append(FIRST_LINE);
  }

  /** At its position: what a failure left half written is written over. */
  #write(line: Buffer): boolean {
    const { base } = this.#segments.at(-1) as Segment;
    try {
      this.#writing ??= this.#create(base);
      const at = this.#written - base;
      for (let done = 0; done < line.length; ) {
        done += writeSync(this.#writing, line, done, line.length - done, at + done);
      }
      this.#written += line.length;
      this.#trouble = undefined;
      return true;
    } catch (error) {
      this.#trouble = new PatchgateError(
        'cannot-write',
        `cannot write ${this.#fileOf(base)}: ${messageOf(error)}`,
        {
          hint: 'make room or correct the permissions; what is recorded meanwhile is kept in memory, as far as it goes',
          cause: error,
        },
      );
      return false;
    }
  }

  #create(base: number): number {
    const file = this.#fileOf(base);
    try {
      return openSync(file, 'wx+');
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw error;
      mkdirSync(this.#folder, { recursive: true });
      return openSync(file, 'wx+');
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

  #descriptor({ base }: Segment): number {
    if (this.#writing !== undefined && base === this.#segments.at(-1)?.base) return this.#writing;
    if (this.#reading?.base !== base) {
      this.#closeReading();
      this.#reading = { base, fd: openSync(this.#fileOf(base), 'r') };
    }
    return this.#reading.fd;
  }

  #remove(segment: Segment): void {
    try {
      unlinkSync(this.#fileOf(segment.base));
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') {
        throw new PatchgateError(
          'cannot-write',
          `cannot remove ${this.#fileOf(segment.base)}: ${messageOf(error)}`,
          { hint: 'correct the permissions of its folder', cause: error },
        );
      }
    }
    this.#segments.shift();
    if (this.#segments.length > 0) return;
    try {
      rmdirSync(this.#folder);
    } catch {
      // An empty folder that stays harms nobody.
    }
  }

  #fileOf(base: number): string {
    return join(this.#folder, segmentName(base));
  }

  #closeWriting(): void {
    if (this.#writing !== undefined) closeSync(this.#writing);
    this.#writing = undefined;
  }

  #closeReading(): void {
    if (this.#reading) closeSync(this.#reading.fd);
    this.#reading = undefined;
  }
}
