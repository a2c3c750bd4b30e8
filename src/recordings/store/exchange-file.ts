import { constants } from 'node:buffer';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Adapter, Low } from 'lowdb';
import { PatchgateError } from '../../errors.ts';
import type { Exchange, StoredBody } from '../../model/exchange.ts';
import { bodyBytes } from '../body.ts';
import { bodyHash, hashInName, TEXT_ENDING } from '../body-file.ts';
import { BETWEEN, decodeRecording, END, exchangeText, parseRecording, START } from './file-format.ts';
import { bodyFilesOf, separateBodies } from './separate-bodies.ts';
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

  /** Gives it other exchanges, of which long bodies may stand with them. @throws PatchgateError `cannot-write` */
  replace(exchanges: readonly Exchange[]): Promise<void> {
    const entries = exchanges.map((exchange) => ({ exchange }));
    return this.save(entries, 0);
  }

  async write({ behind, entries }: Content): Promise<void> {
    const bodies = new Set<string>();
    const parts: Buffer[] = [
      behind > 0 ? readFileSync(this.name).subarray(0, -END.length) : Buffer.from(START),
    ];
    for (const [i, entry] of entries.entries()) {
      if (behind + i > 0) parts.push(BETWEEN_BYTES);
      if (entry.fileText) parts.push(entry.fileText);
      else {
        const separate = await this.putBodies(entry.exchange);
        for (const name of bodyFilesOf(separate)) bodies.add(name);
        parts.push(Buffer.from(exchangeText(separate)));
      }
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
    if (behind === 0 || !this.#isTidy) this.#tidy(behind === 0 ? bodies : undefined);
  }

  /** Writes the long bodies of an exchange, if they are not there. @returns it as the file has it @throws PatchgateError `cannot-write` */
  async putBodies(exchange: Exchange): Promise<Exchange> {
    const bodies: [name: string, bytes: Buffer][] = [];
    const separate = separateBodies(exchange, (name, bytes) => bodies.push([name, bytes]));
    for (const [name, bytes] of bodies) {
      const file = join(dirname(this.name), name);
      // Somebody may have changed it: recording again repairs it.
      if (!holds(file, bytes)) await writeFileAtomically(file, bytes, { sync: this.#isDurable });
    }
    return separate;
  }

  /** It holds no exchanges any more: it goes, and the bodies beside it. @throws PatchgateError `cannot-write` */
  remove(): void {
    try {
      rmSync(this.name, { force: true });
      this.#tidy(new Set());
    } catch (error) {
      throw cannotWrite(this.name, error);
    }
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

function holds(file: string, bytes: Buffer): boolean {
  try {
    return statSync(file).size === bytes.length && readFileSync(file).equals(bytes);
  } catch {
    return false;
  }
}

/**
 * The bytes of a body, wherever they are; none where there is no body.
 *
 * @throws PatchgateError `cannot-read`; `bad-recording` where the body's own file is missing or was changed
 */
export function readBody(file: string, body: KeptBody | undefined): Buffer {
  if (body === undefined || !('file' in body)) return bodyBytes(body);
  const hash = hashInName(body.file);
  if (hash === undefined) throw bad(`${file}: ${JSON.stringify(body.file)} is no name of a body's file`);
  const own = join(dirname(file), body.file);
  const bytes = readFileIfThere(own);
  if (!bytes) throw bad(`${own} is missing, and ${file} has a body in it`);
  if (bodyHash(bytes) !== hash)
    throw bad(`${own} was changed: its bytes are not those that its name stands for`);
  return bytes;
}

/** An exchange with the bodies that are in files of their own, as they were before. @param file its name @throws PatchgateError as `readBody` */
export function withBodies(exchange: Exchange, file: string): Exchange {
  if (bodyFilesOf(exchange).length === 0) return exchange;
  const { request, response } = exchange;
  return {
    ...exchange,
    request: withBody(request, file),
    ...(response && { response: withBody(response, file) }),
  };
}

function withBody<Message extends { body?: StoredBody }>(message: Message, file: string): Message {
  const { body } = message;
  if (!body || !('file' in body)) return message;
  const bytes = readBody(file, body);
  const isText = body.file.endsWith(TEXT_ENDING);
  return { ...message, body: isText ? { text: bytes.toString() } : { base64: bytes.toString('base64') } };
}

/** Whether all bodies beside a file are there, as they were kept. @throws PatchgateError as `readBody` */
export function checkBodies(file: string, exchanges: readonly Exchange[]): void {
  for (const { request, response } of exchanges)
    for (const body of [request.body, response?.body]) if (body && 'file' in body) readBody(file, body);
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

function bad(what: string): PatchgateError {
  return new PatchgateError('bad-recording', what, {
    hint: 'take it back from version control, or record the exchange again',
  });
}
