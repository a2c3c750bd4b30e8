import { constants } from 'node:buffer';
import { closeSync, existsSync, fsyncSync, openSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Adapter, Low } from 'lowdb';
import { TextFile } from 'lowdb/node';
import type { Exchange } from '../model/exchange.ts';
import {
  decodeRecording,
  FORMAT_VERSION,
  inOrder,
  parseRecording,
  type RecordingContent,
} from './store/file-format.ts';
import { makeFolders, syncFolder } from './store/folders.ts';
import { cannotWrite, readFileIfThere, removeQuietly } from './store/write-file.ts';

/** The one method and path that a file is for. */
export interface Place {
  method: string;
  path: string;
}

/**
 * Opens a file of a recording as a lowdb database. A file that is not there holds no exchanges.
 *
 * @param place undefined where the file's name does not say it
 * @param isDurable what is written outlives a power failure
 */
export function openFile(name: string, place?: Place, isDurable = false): Low<RecordingContent> {
  const empty: RecordingContent = { formatVersion: FORMAT_VERSION, exchanges: [] };
  return new Low(new RecordingFile(name, place, isDurable), empty);
}

/** What is read is checked; what is written takes the file's place whole or not at all. */
class RecordingFile implements Adapter<RecordingContent> {
  readonly #name: string;
  readonly #place: Place | undefined;
  readonly #isDurable: boolean;

  constructor(name: string, place: Place | undefined, isDurable: boolean) {
    this.#name = name;
    this.#place = place;
    this.#isDurable = isDurable;
  }

  /** @throws PatchgateError `cannot-read`, `bad-recording` with line and column */
  async read(): Promise<RecordingContent | null> {
    const exchanges = readExchanges(this.#name, this.#place);
    return exchanges ? { formatVersion: FORMAT_VERSION, exchanges } : null;
  }

  /** @throws PatchgateError `cannot-write` */
  async write({ exchanges }: RecordingContent): Promise<void> {
    const folder = dirname(this.#name);
    try {
      if (!existsSync(folder)) makeFolders(folder, this.#isDurable);
      await new TextFile(this.#name).write(textOf(exchanges));
      if (this.#isDurable) this.#sync(folder);
    } catch (error) {
      removeQuietly(join(folder, `.${basename(this.#name)}.tmp`));
      throw cannotWrite(this.#name, error);
    }
  }

  #sync(folder: string): void {
    const fd = openSync(this.#name, 'r+');
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    syncFolder(folder);
  }
}

/** Two-space JSON, members always in the same order, one line feed at the end. */
export function textOf(exchanges: readonly Exchange[]): string {
  return `${JSON.stringify({ formatVersion: FORMAT_VERSION, exchanges: exchanges.map(inOrder) }, null, 2)}\n`;
}

/** Gives a file other exchanges. @throws PatchgateError `cannot-write` */
export async function writeExchanges(name: string, exchanges: readonly Exchange[]): Promise<void> {
  const db = openFile(name, undefined, true);
  db.data.exchanges = exchanges;
  await db.write();
}

/**
 * What a file has; undefined where there is none.
 *
 * @param place what it is for; undefined where its name does not say
 * @throws PatchgateError `cannot-read`, `bad-recording` with line and column
 */
export function readExchanges(file: string, place?: Place): readonly Exchange[] | undefined {
  const text = readRecordingText(file);
  return text === undefined ? undefined : parseRecording(text, file, place).exchanges;
}

/** The text of a file; undefined where there is none. @throws PatchgateError `cannot-read`, `bad-recording` */
export function readRecordingText(file: string): string | undefined {
  const bytes = readFileIfThere(file, undefined, constants.MAX_STRING_LENGTH);
  return bytes && decodeRecording(bytes, file);
}
