import { isUtf8 } from 'node:buffer';
import { type BigIntStats, closeSync, fstatSync, openSync, statSync } from 'node:fs';
import { messageOf, PatchgateError, systemCode } from '../../errors.ts';
import type { Exchange } from '../../model/exchange.ts';
import type { JsonValue } from '../../model/json.ts';
import { readAt } from '../journal/read-at.ts';
import { checkExchange } from '../store/check-exchange.ts';
import { BETWEEN, END, START } from '../store/file-format.ts';
import { type Entry, PlacedEntry, type TextSource } from './entry.ts';

/** Bytes that are read at once. */
const PART = 256 * 1024;

interface Place {
  method: string;
  path: string;
}

/** An exchange starts with a line `    {`; only its end is a brace behind just as many spaces. */
const OPENING = '    {\n';
const CLOSING = '\n    }';

/**
 * A recording's file that stays on disk: its exchanges are found by how this tool lays files out, checked one by one, and
 * read again when they are needed. It is the file as it was when it was opened, whatever takes its place.
 */
export class SlicedFile implements TextSource {
  readonly #fd: number;
  readonly #size: number;
  /** What tells this content of the file from any other that it had or will have. */
  readonly identity: string;
  #isClosed = false;
  #part: { start: number; bytes: Buffer } = { start: 0, bytes: Buffer.alloc(0) };

  /** @throws PatchgateError `cannot-read` */
  static open(file: string): SlicedFile | undefined {
    try {
      // To look first is cheaper than an exception, and of many new paths none has a file yet.
      const stats = statSync(file, { throwIfNoEntry: false });
      if (stats === undefined) return undefined;
      // Opening a pipe would wait for whoever writes into it.
      if (!stats.isFile()) throw new Error('it is no file');
      return new SlicedFile(openSync(file, 'r'));
    } catch (error) {
      if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) as string)) return undefined;
      throw new PatchgateError('cannot-read', `cannot read ${file}: ${messageOf(error)}`, { cause: error });
    }
  }

  private constructor(fd: number) {
    this.#fd = fd;
    const stats = fstatSync(fd, { bigint: true });
    // Opening a folder works, only reading it fails.
    this.#size = stats.isFile() ? Number(stats.size) : 0;
    this.identity = identityOf(stats);
  }

  /** Whether the file begins and ends as this tool lays files out, so that something can be put before its end. */
  get takesAdditions(): boolean {
    return this.#has(0, START) && this.#has(this.#size - CLOSING.length - END.length, CLOSING + END);
  }

  /** Whether nobody has written into it since it was opened. */
  get isUnchanged(): boolean {
    if (this.#isClosed) return false;
    const stats = fstatSync(this.#fd, { bigint: true });
    // Where another file has taken its name, nobody can open it any more.
    return stats.nlink === 0n || identityOf(stats) === this.identity;
  }

  /** Bytes. */
  get size(): number {
    return this.#size;
  }

  /**
   * Where the exchanges stand; undefined where the file is laid out in another way or something in it is wrong: it is
   * then to be read whole, which says what.
   *
   * @param breathe called between two exchanges
   */
  async entries(place: Place, breathe: () => Promise<void> | undefined): Promise<Entry[] | undefined> {
    const entries: Entry[] = [];
    const isGood = await this.scan(place, breathe, (_, start, end) => {
      entries.push(new PlacedEntry(this, start, end));
    });
    return isGood ? entries : undefined;
  }

  /**
   * Shows each exchange with its place.
   *
   * @param behind the end of an exchange, to go on behind it
   * @returns false where the file is laid out in another way or something in it is wrong
   */
  async scan(
    place: Place,
    breathe: () => Promise<void> | undefined,
    visit: (exchange: Exchange, start: number, end: number) => void,
    behind?: number,
  ): Promise<boolean> {
    if (!this.#has(0, START)) return false;
    let start = START.length;
    if (behind !== undefined) {
      if (this.#has(behind, END)) return behind + END.length === this.#size;
      if (!this.#has(behind, BETWEEN)) return false;
      start = behind + BETWEEN.length;
    }
    for (;;) {
      const end = this.#has(start, OPENING) ? this.#endOf(start) : undefined;
      const exchange = end === undefined ? undefined : this.#good(start, end, place);
      if (end === undefined || exchange === undefined) return false;
      visit(exchange, start, end);
      if (this.#has(end, END)) return end + END.length === this.#size;
      if (!this.#has(end, BETWEEN)) return false;
      start = end + BETWEEN.length;
      const pause = breathe();
      if (pause) await pause;
    }
  }

  /** Everything before the end, to which something is to be added. */
  *withoutEnd(): Generator<Buffer> {
    const end = this.#size - END.length;
    for (let at = 0; at < end; at += PART) yield this.#bytes(at, Math.min(at + PART, end));
  }

  textAt(start: number, end: number): string {
    return this.#bytes(start, end).toString('utf8');
  }

  /** @throws PatchgateError `cannot-read` where it was changed since it was looked through */
  exchangeAt(start: number, end: number): Exchange {
    try {
      return JSON.parse(this.textAt(start, end)) as Exchange;
    } catch (error) {
      if (error instanceof PatchgateError) throw error;
      throw new PatchgateError('cannot-read', 'a file of the recording was changed while it was read', {
        hint: 'send the request again',
        cause: error,
      });
    }
  }

  close(): void {
    if (!this.#isClosed) closeSync(this.#fd);
    this.#isClosed = true;
  }

  #has(start: number, text: string): boolean {
    return this.#bytes(start, start + text.length).toString('latin1') === text;
  }

  /** The end of the exchange that starts here; undefined where it has none. */
  #endOf(start: number): number | undefined {
    const { start: from, bytes: known } = this.#part;
    // What is in memory comes first: the next part is read once, not for each exchange.
    let length = from <= start && start < from + known.length ? from + known.length - start : PART;
    for (; ; length = Math.max(2 * length, PART)) {
      const bytes = this.#bytes(start, start + length);
      const found = bytes.indexOf(CLOSING);
      if (found >= 0) return start + found + CLOSING.length;
      if (start + length >= this.#size) return undefined;
    }
  }

  #good(start: number, end: number, place: Place): Exchange | undefined {
    const bytes = this.#bytes(start, end);
    if (!isUtf8(bytes)) return undefined;
    try {
      const value = JSON.parse(bytes.toString('utf8')) as JsonValue;
      return checkExchange(value, '', place) === undefined ? (value as unknown as Exchange) : undefined;
    } catch {
      // Reading the file whole says what is wrong with it, and where.
      return undefined;
    }
  }

  #bytes(start: number, end: number): Buffer {
    // Its descriptor may be that of another file by now.
    if (this.#isClosed)
      throw new PatchgateError('cannot-read', 'a file of the recording was replaced meanwhile');
    const part = this.#part;
    const last = Math.min(end, this.#size);
    if (start < part.start || last > part.start + part.bytes.length) {
      const length = Math.max(last - start, Math.min(PART, this.#size - start), 0);
      this.#part = { start, bytes: readAt(this.#fd, start, length) };
    }
    const from = start - this.#part.start;
    return this.#part.bytes.subarray(from, Math.max(from, last - this.#part.start));
  }
}

/** Its time of change is that which nobody can set. */
function identityOf({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
}
