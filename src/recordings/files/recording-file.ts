import { isUtf8 } from 'node:buffer';
import { closeSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Adapter } from 'lowdb';
import { messageOf, PatchgateError, systemCode } from '../../errors.ts';
import { ObjectEntry } from './entry.ts';
import { BETWEEN, END, parseRecording, START } from './file-format.ts';
import type { SlicedFile } from './sliced-file.ts';

/** Characters that are written at once. */
const PART = 256 * 1024;

let written = 0;

export interface FileOptions {
  /** Called before the temporary file, complete and beside the file itself, takes its place. */
  onComplete(temporary: string): void;
  /** Called where that failed. @returns whether the temporary file is to be removed */
  onFailed(temporary: string): boolean;
  /** Called between two exchanges. */
  breathe(): Promise<void> | undefined;
}

/** What a file is to hold: the exchanges, behind those of `before` where it is given. */
export interface FileContent {
  entries: Iterable<{ readonly text: string }>;
  /** A file that takes additions. */
  before?: SlicedFile;
}

/**
 * lowdb's adapter to one file of a recording: what is read is checked, what is written replaces the file whole or not at
 * all, and is never in memory as one text. Not lowdb's own JSONFile, which reports broken files without their name and
 * shares one temporary name.
 */
export class RecordingFile implements Adapter<FileContent> {
  readonly file: string;
  readonly #place: { method: string; path: string };
  readonly #options: FileOptions;
  /** Bytes of the file as last read or written, about. */
  size = 0;

  constructor(file: string, place: { method: string; path: string }, options: FileOptions) {
    this.file = file;
    this.#place = place;
    this.#options = options;
  }

  /** Null where there is no such file.
   *  @throws PatchgateError `cannot-read`, `bad-recording` */
  async read(): Promise<{ entries: ObjectEntry[] } | null> {
    const text = await readRecordingText(this.file);
    if (text === undefined) return null;
    this.size = text.length;
    const { exchanges } = parseRecording(text, this.file, this.#place);
    return { entries: exchanges.map((exchange) => new ObjectEntry(exchange)) };
  }

  /**
   * In short synchronous steps: through the thread pool, the few calls that a small file takes cost three times as much.
   *
   * @throws PatchgateError `cannot-write`
   */
  async write(content: FileContent): Promise<void> {
    // No other write has this name, of this process or another.
    const name = `.${basename(this.file)}.${process.pid}-${++written}.tmp`;
    const temporary = join(dirname(this.file), name);
    let isComplete = false;
    try {
      const fd = create(temporary);
      try {
        this.size = await this.#writeTo(fd, content);
      } finally {
        closeSync(fd);
      }
      this.#options.onComplete(name);
      isComplete = true;
      renameSync(temporary, this.file);
    } catch (error) {
      // What matters is why it was not written: remains that cannot be removed now are removed at the next start.
      if (!isComplete || this.#options.onFailed(name))
        await rm(temporary, { force: true }).catch(() => undefined);
      if (error instanceof PatchgateError) throw error;
      throw new PatchgateError('cannot-write', `cannot write ${this.file}: ${messageOf(error)}`, {
        hint: 'make room or correct the permissions; what was recorded waits in the journal, and is written as soon as it can be',
        cause: error,
      });
    }
  }

  /** @returns bytes written */
  async #writeTo(fd: number, { entries, before }: FileContent): Promise<number> {
    let size = 0;
    const { breathe } = this.#options;
    for (const bytes of before?.withoutEnd() ?? []) {
      size += writeAll(fd, bytes);
      const pause = breathe();
      if (pause) await pause;
    }
    let part = before ? '' : START;
    let between = before ? BETWEEN : '';
    for (const { text } of entries) {
      part += between + text;
      between = BETWEEN;
      if (part.length >= PART) {
        size += writeAll(fd, Buffer.from(part));
        part = '';
      }
      const pause = breathe();
      if (pause) await pause;
    }
    return size + writeAll(fd, Buffer.from(part + END));
  }
}

/** @returns bytes written: all */
function writeAll(fd: number, bytes: Buffer): number {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
  return bytes.length;
}

/** The text of a file; undefined where there is none.
 *  @throws PatchgateError `cannot-read`, `bad-recording` */
export async function readRecordingText(file: string): Promise<string | undefined> {
  let bytes: Buffer;
  try {
    bytes = await readFile(file);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) as string)) return undefined;
    throw new PatchgateError('cannot-read', `cannot read ${file}: ${messageOf(error)}`, { cause: error });
  }
  if (isUtf8(bytes)) return bytes.toString('utf8');
  throw new PatchgateError('bad-recording', `${file}: the file is not valid UTF-8`, {
    hint: 'take it back from version control, or delete it and record again',
  });
}

function create(file: string): number {
  try {
    return openSync(file, 'wx');
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    mkdirSync(dirname(file), { recursive: true });
    return openSync(file, 'wx');
  }
}
