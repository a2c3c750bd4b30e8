import { constants } from 'node:buffer';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { type Adapter, Low } from 'lowdb';
import type { Exchange } from '../../model/exchange.ts';
import { BETWEEN, decodeRecording, END, exchangeText, parseRecording, START } from './file-format.ts';
import {
  cannotWrite,
  readFileIfThere,
  removeTemporaries,
  stampOf,
  writeFileAtomically,
} from './write-file.ts';
import { yieldToEventLoop } from './yield-to-event-loop.ts';

/** The one method and path that a file is for. */
export interface Place {
  method: string;
  path: string;
}

/** What a file is to hold behind so many exchanges that it has. */
interface Content {
  behind: number;
  entries: readonly { readonly exchange: Exchange; readonly fileText?: Buffer | undefined }[];
}

const BETWEEN_BYTES = Buffer.from(BETWEEN);

/** How the last exchange and the file end, where this tool has laid it out. */
const ENDING = `\n    }${END}`;

/**
 * lowdb's adapter to one file of a recording. What is read is checked; what is written takes the file's place whole or not at all.
 */
export class ExchangeFile implements Adapter<Content> {
  readonly name: string;
  readonly place: Place;
  /** Bytes, as last read or written. */
  size = 0;
  /** It is laid out as this tool does it, so that something can be put before its end. */
  takesAdditions = true;
  readonly #isDurable: boolean;
  /** Tells the file, as last read or written, from one that somebody else has put there. */
  #stamp: string | undefined;
  /** What a killed process left has been removed. */
  #isTidy = false;

  /** @param isDurable what is written outlives a power failure */
  constructor(name: string, place: Place, isDurable = false) {
    this.name = name;
    this.place = place;
    this.#isDurable = isDurable;
  }

  get exists(): boolean {
    return existsSync(this.name);
  }

  /** Somebody else has changed or removed it since it was read or written here. */
  get isChanged(): boolean {
    return stampOf(this.name) !== this.#stamp;
  }

  /** Undefined where there is no such file. @throws PatchgateError `cannot-read`, `bad-recording` with line and column */
  readNow(): readonly Exchange[] | undefined {
    const stamp = stampOf(this.name);
    const text = readRecordingText(this.name);
    const exchanges = text === undefined ? undefined : parseRecording(text, this.name, this.place).exchanges;
    this.#stamp = stamp;
    this.size = text === undefined ? 0 : Buffer.byteLength(text);
    this.takesAdditions = text === undefined || (text.startsWith(START) && text.endsWith(ENDING));
    return exchanges;
  }

  async read(): Promise<Content | null> {
    const exchanges = this.readNow();
    return exchanges ? { behind: 0, entries: exchanges.map((exchange) => ({ exchange })) } : null;
  }

  /** @param behind so many exchanges are in the file, and stay as they are @throws PatchgateError `cannot-write` */
  async save(entries: Content['entries'], behind: number): Promise<void> {
    await new Low<Content>(this, { behind, entries }).write();
  }

  /** Gives it other exchanges. @throws PatchgateError `cannot-write` */
  replace(exchanges: readonly Exchange[]): Promise<void> {
    const entries = exchanges.map((exchange) => ({ exchange }));
    return this.save(entries, 0);
  }

  async write({ behind, entries }: Content): Promise<void> {
    const parts: Buffer[] = [
      behind > 0 ? readFileSync(this.name).subarray(0, -END.length) : Buffer.from(START),
    ];
    for (const [i, entry] of entries.entries()) {
      if (behind + i > 0) parts.push(BETWEEN_BYTES);
      parts.push(entry.fileText ?? Buffer.from(exchangeText(entry.exchange)));
      await yieldToEventLoop();
    }
    const bytes = Buffer.concat([...parts, Buffer.from(END)]);
    // Even where only this process may fail, what was there before must not end as an empty file.
    await writeFileAtomically(this.name, bytes, {
      sync: this.#isDurable || this.#stamp !== undefined,
      folderToo: this.#isDurable,
    });
    this.#stamp = stampOf(this.name);
    this.size = bytes.length;
    this.takesAdditions = behind + entries.length > 0;
    if (!this.#isTidy) this.#tidy();
  }

  /** It holds no exchanges any more. @throws PatchgateError `cannot-write` */
  remove(): void {
    try {
      rmSync(this.name, { force: true });
      this.#tidy();
    } catch (error) {
      throw cannotWrite(this.name, error);
    }
  }

  #tidy(): void {
    removeTemporaries(dirname(this.name), `${basename(this.name)}.`);
    this.#isTidy = true;
  }
}

/**
 * What a file has; undefined where there is no such file.
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
