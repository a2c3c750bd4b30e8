import { isUtf8 } from 'node:buffer';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Adapter } from 'lowdb';
import { messageOf, PatchgateError, systemCode } from '../errors.ts';
import { parseRecording, type RecordingContent, stringifyRecording } from './file-format.ts';

let written = 0;

/**
 * lowdb's adapter to one file of a recording: what is read is checked, what is written replaces the file whole or not at
 * all. Not lowdb's own JSONFile, which reports broken files without their name and shares one temporary name.
 */
export class RecordingFile implements Adapter<RecordingContent> {
  readonly file: string;
  readonly #place: { method: string; path: string };
  /** Bytes of the file as last read or written, about. */
  size = 0;

  constructor(file: string, place: { method: string; path: string }) {
    this.file = file;
    this.#place = place;
  }

  /** Null where there is no such file.
   *  @throws PatchgateError `cannot-read`, `bad-recording` */
  async read(): Promise<RecordingContent | null> {
    const text = await readRecordingText(this.file);
    if (text === undefined) return null;
    this.size = text.length;
    return parseRecording(text, this.file, this.#place);
  }

  /** @throws PatchgateError `cannot-write` */
  async write(content: RecordingContent): Promise<void> {
    const text = stringifyRecording(content.exchanges);
    // No other write has this name, of this process or another.
    const temporary = join(dirname(this.file), `.${basename(this.file)}.${process.pid}-${++written}.tmp`);
    try {
      await writeNew(temporary, text);
      await rename(temporary, this.file);
    } catch (error) {
      // What matters is why it was not written, not whether the remains could be removed.
      await rm(temporary, { force: true }).catch(() => undefined);
      throw new PatchgateError('cannot-write', `cannot write ${this.file}: ${messageOf(error)}`, {
        hint: 'make room or correct the permissions; what was recorded is kept in memory and written as soon as it can be',
        cause: error,
      });
    }
    this.size = text.length;
  }
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

async function writeNew(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: 'wx' });
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text, { flag: 'wx' });
  }
}
