import { constants } from 'node:buffer';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { type Adapter, Low } from 'lowdb';
import { messageOf, PatchgateError, systemCode } from '../../errors.ts';
import type { Exchange, StoredBody } from '../../model/exchange.ts';
import { bodyBytes } from '../body.ts';
import { hashInName, hashOf } from '../body-file.ts';
import { BETWEEN, decodeRecording, END, exchangeText, parseRecording, START } from './file-format.ts';
import { bodyFilesOf, separateBodies } from './separate-bodies.ts';
import { removeTemporaries, writeFileAtomically } from './write-file.ts';

/** The one method and path that a file is for. */
export interface Place {
  method: string;
  path: string;
}

/** What a file is to hold; so many of them stand in it already. */
interface Content {
  entries: readonly { readonly exchange: Exchange }[];
  behind: number;
}

const NOTHING: Content = { entries: [], behind: 0 };

/** Characters that are put together at once, and milliseconds of work at a stretch. */
const PART = 256 * 1024;
const WORK_MS = 4;

/** How the last exchange and the file end, where this tool has laid it out. */
const ENDING = `\n    }${END}`;

/**
 * lowdb's adapter to one file of a recording and to the bodies beside it that it names. What is read is checked; what is written takes
 * the file's place whole or not at all. New bodies are written first, and those that the file does not name any more go last:
 * whenever this is interrupted, none is missing.
 */
export class ExchangeFile implements Adapter<Content> {
  readonly name: string;
  readonly place: Place;
  /** Bytes, as last read or written. */
  size = 0;
  /** It is laid out as this tool does it, so that something can be put before its end. */
  takesAdditions = true;
  readonly #isDurable: boolean;
  readonly #db: Low<Content>;
  /** What a killed process left has been removed. */
  #isTidy = false;

  /** @param isDurable what is written outlives a power failure */
  constructor(name: string, place: Place, isDurable = false) {
    this.name = name;
    this.place = place;
    this.#isDurable = isDurable;
    this.#db = new Low<Content>(this, NOTHING);
  }

  get isThere(): boolean {
    return existsSync(this.name);
  }

  /** Undefined where there is no such file. @throws PatchgateError `cannot-read`, `bad-recording` with line and column */
  readNow(): readonly Exchange[] | undefined {
    const text = readRecordingText(this.name);
    if (text === undefined) return undefined;
    this.size = text.length;
    this.takesAdditions = text.startsWith(START) && text.endsWith(ENDING);
    return parseRecording(text, this.name, this.place).exchanges;
  }

  async read(): Promise<Content | null> {
    const exchanges = this.readNow();
    return exchanges ? { entries: exchanges.map((exchange) => ({ exchange })), behind: 0 } : null;
  }

  /** @param behind so many of them are in the file already, and stay as they are @throws PatchgateError `cannot-write` */
  async save(entries: Content['entries'], behind: number): Promise<void> {
    this.#db.data = { entries, behind };
    try {
      await this.#db.write();
    } finally {
      this.#db.data = NOTHING;
    }
  }

  async write({ entries, behind }: Content): Promise<void> {
    const before = behind > 0 ? readFileSync(this.name).subarray(0, -END.length) : undefined;
    const parts: Buffer[] = before ? [before] : [];
    const bodies = new Set<string>();
    let text = before ? '' : START;
    let since = performance.now();
    for (let i = behind; i < entries.length; i++) {
      const exchange = await this.#withoutBodies((entries[i] as Content['entries'][0]).exchange);
      for (const name of bodyFilesOf(exchange)) bodies.add(name);
      text += (i > 0 ? BETWEEN : '') + exchangeText(exchange);
      if (text.length >= PART) {
        parts.push(Buffer.from(text));
        text = '';
      }
      if (performance.now() - since < WORK_MS) continue;
      await yieldToEventLoop();
      since = performance.now();
    }
    parts.push(Buffer.from(text + END));
    const bytes = Buffer.concat(parts);
    // Even where only this process may fail, what was there before must not end as an empty file.
    await writeFileAtomically(this.name, bytes, {
      sync: this.#isDurable || this.isThere,
      folderToo: this.#isDurable,
    });
    this.size = bytes.length;
    this.takesAdditions = entries.length > 0;
    if (behind === 0 || !this.#isTidy) this.#tidy(behind === 0 ? bodies : undefined);
  }

  /** Writes the long bodies of an exchange that the file names, if they are not there. @throws PatchgateError `cannot-write` */
  async putBodies(exchange: Exchange): Promise<void> {
    await this.#withoutBodies(exchange);
  }

  /**
   * The bytes of a body, wherever they are; none where there is no body.
   *
   * @throws PatchgateError `cannot-read`; `bad-recording` where the body's own file is missing or was changed
   */
  readBody(body: KeptBody | undefined): Buffer {
    if (body === undefined || !('file' in body)) return bodyBytes(body);
    const hash = hashInName(body.file);
    if (hash === undefined)
      throw bad(`${this.name}: ${JSON.stringify(body.file)} is no name of a body's file`);
    const own = join(dirname(this.name), body.file);
    let bytes: Buffer;
    try {
      bytes = readFileSync(own);
    } catch (error) {
      if (systemCode(error) === 'ENOENT') throw bad(`${own} is missing, and ${this.name} has a body in it`);
      throw new PatchgateError('cannot-read', `cannot read ${own}: ${messageOf(error)}`, { cause: error });
    }
    if (hashOf(bytes) !== hash)
      throw bad(`${own} was changed: its bytes are not those that its name stands for`);
    return bytes;
  }

  /** The exchange as the file has it, its long bodies being written. */
  async #withoutBodies(exchange: Exchange): Promise<Exchange> {
    const long: [name: string, bytes: Buffer][] = [];
    const clean = separateBodies(exchange, (name, bytes) => long.push([name, bytes]));
    for (const [name, bytes] of long) await this.#putBody(join(dirname(this.name), name), bytes);
    return clean;
  }

  /** Somebody may have changed it: recording again repairs it. */
  async #putBody(file: string, bytes: Buffer): Promise<void> {
    const isThere =
      statSync(file, { throwIfNoEntry: false })?.size === bytes.length && readFileSync(file).equals(bytes);
    if (!isThere) await writeFileAtomically(file, bytes, { sync: this.#isDurable });
  }

  /** @param bodies all that the file names; undefined: those that are there stay */
  #tidy(bodies: ReadonlySet<string> | undefined): void {
    const folder = dirname(this.name);
    const own = `${basename(this.name, '.json')}~`;
    for (const start of [`${basename(this.name)}.`, own]) removeTemporaries(folder, start);
    for (const name of bodies ? readdirSync(folder) : []) {
      const isBody = name.startsWith(own) && hashInName(name) !== undefined;
      if (isBody && !bodies?.has(name)) rmSync(join(folder, name), { force: true });
    }
    this.#isTidy = true;
  }
}

/** A body that a recording kept. */
export type KeptBody = Exclude<StoredBody, { omitted: number }>;

/** The text of a file; undefined where there is none. @throws PatchgateError `cannot-read`, `bad-recording` */
export function readRecordingText(file: string): string | undefined {
  let bytes: Buffer;
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    // Reading a pipe would wait for ever.
    if (!stats.isFile()) throw new Error('it is no file');
    if (stats.size > constants.MAX_STRING_LENGTH)
      throw new Error(`with ${stats.size} bytes it is longer than a text can be here`);
    bytes = readFileSync(file);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) as string)) return undefined;
    throw new PatchgateError('cannot-read', `cannot read ${file}: ${messageOf(error)}`, { cause: error });
  }
  return decodeRecording(bytes, file);
}

function bad(what: string): PatchgateError {
  return new PatchgateError('bad-recording', what, {
    hint: 'take it back from version control, or record the exchange again',
  });
}
