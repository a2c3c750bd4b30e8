import {
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { messageOf, PatchgateError, systemCode } from '../../errors.ts';
import type { Exchange, StoredBody } from '../../model/exchange.ts';
import { bodyBytes } from '../body.ts';
import { hashInName, hashOf } from '../body-file.ts';
import { exchangeText } from '../store/file-format.ts';
import { makeFolders } from '../store/folders.ts';
import { separateBodies } from '../store/separate-bodies.ts';
import { writeAll } from '../store/write-file.ts';

let written = 0;

/**
 * The bodies beside one file of a recording that it names. They are written before the file that names them takes its
 * place, and removed after one that does not: whenever this is interrupted, no body is missing.
 */
export class BodyFiles {
  readonly #folder: string;
  /** `PATCH`, as in the file's name. */
  readonly #method: string;
  /** Those that were put since `keepOnly` was called. */
  readonly #fresh = new Set<string>();

  readonly #isDurable: boolean;

  /** @param isDurable they are to outlive a power failure */
  constructor(file: string, isDurable: boolean) {
    this.#folder = dirname(file);
    this.#method = basename(file, '.json');
    this.#isDurable = isDurable;
  }

  /** The same as a text. @throws PatchgateError `cannot-write` */
  textOf(exchange: Exchange): string {
    return exchangeText(this.separate(exchange));
  }

  /** The exchange as the file has it, its long bodies being written. @throws PatchgateError `cannot-write` */
  separate(exchange: Exchange): Exchange {
    return separateBodies(exchange, (name, bytes) => this.put(name, bytes));
  }

  /** Writes a body, unless it is there. @throws PatchgateError `cannot-write` */
  put(name: string, bytes: Buffer): void {
    if (this.#fresh.has(name)) return;
    const file = join(this.#folder, name);
    // No other write has this name, of this process or another.
    const temporary = join(this.#folder, `.${name}.${process.pid}-${++written}.tmp`);
    try {
      if (holds(file, bytes)) {
        this.#fresh.add(name);
        return;
      }
      makeFolders(this.#folder, this.#isDurable);
      const fd = openSync(temporary, 'wx');
      try {
        writeAll(fd, bytes);
        // Their folder follows with the file that names them.
        if (this.#isDurable) fsyncSync(fd);
      } finally {
        closeSync(fd);
      }
      renameSync(temporary, file);
      this.#fresh.add(name);
    } catch (error) {
      rmSync(temporary, { force: true });
      throw new PatchgateError('cannot-write', `cannot write ${file}: ${messageOf(error)}`, {
        hint: 'make room or correct the permissions',
        cause: error,
      });
    }
  }

  /** Removes those that are there and that the texts of a file's entries, which are given on to be written, do not name. */
  async keepOnly(
    entries: Iterable<{ readonly text: string }>,
    write: (entries: Iterable<{ readonly text: string }>) => Promise<void>,
  ): Promise<void> {
    const own = `${this.#method}~`;
    const before = namesIn(this.#folder).filter((name) =>
      name.startsWith('.') ? name.startsWith(own, 1) && name.endsWith('.tmp') : isOwn(name, own),
    );
    if (before.length === 0) return write(entries);
    this.#fresh.clear();
    const named = new Set<string>();
    await write(noting(entries, named));
    for (const name of before) {
      const isNamed = named.has(name.slice(name.lastIndexOf('~')));
      // What was put meanwhile is for entries that came meanwhile.
      if (!isNamed && !this.#fresh.has(name)) rmSync(join(this.#folder, name), { force: true });
    }
  }
}

/** What every name of a body's file ends with. */
const ENDING = /~[0-9a-f]{32}\.[a-z0-9]+/g;

function* noting(entries: Iterable<{ readonly text: string }>, named: Set<string>) {
  for (const { text } of entries) {
    for (const [ending] of text.matchAll(ENDING)) named.add(ending);
    yield { text };
  }
}

/** Somebody may have changed it: whoever records again repairs it. */
function holds(file: string, bytes: Buffer): boolean {
  return statSync(file, { throwIfNoEntry: false })?.size === bytes.length && readFileSync(file).equals(bytes);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // It is not there yet. One that cannot be read cannot be written to either, which says so.
    return [];
  }
}

function isOwn(name: string, own: string): boolean {
  return name.startsWith(own) && hashInName(name) !== undefined;
}

/** A body that a recording kept. */
export type KeptBody = Exclude<StoredBody, { omitted: number }>;

/**
 * The bytes of a body, wherever they are; none where there is no body.
 *
 * @param file that of its exchange
 * @throws PatchgateError `cannot-read`; `bad-recording` where the body's own file is missing or was changed
 */
export async function readBody(file: string, body: KeptBody | undefined): Promise<Buffer> {
  if (body === undefined || !('file' in body)) return bodyBytes(body);
  const hash = hashInName(body.file);
  if (hash === undefined) throw bad(`${file}: ${JSON.stringify(body.file)} is no name of a body's file`);
  const own = join(dirname(file), body.file);
  let bytes: Buffer;
  try {
    bytes = await readFile(own);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') throw bad(`${own} is missing, and ${file} has a body in it`);
    throw new PatchgateError('cannot-read', `cannot read ${own}: ${messageOf(error)}`, { cause: error });
  }
  if (hashOf(bytes) !== hash)
    throw bad(`${own} was changed: its bytes are not those that its name stands for`);
  return bytes;
}

/** Whether all bodies beside a file are there, as they were kept. @throws PatchgateError as `readBody` */
export async function checkBodies(file: string, exchanges: readonly Exchange[]): Promise<void> {
  for (const { request, response } of exchanges)
    for (const body of [request.body, response?.body]) if (body && 'file' in body) await readBody(file, body);
}

function bad(what: string): PatchgateError {
  return new PatchgateError('bad-recording', what, {
    hint: 'take it back from version control, or record the exchange again',
  });
}
