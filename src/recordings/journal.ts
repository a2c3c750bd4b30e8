import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { PatchgateError } from '../errors.ts';
import { isObject, parseJson } from '../json/json.ts';
import { brokenFile, cannotWrite, ifThere, makeFolders, readFileIfThere, removeQuietly } from './disk.ts';
import type { PlainExchange } from './plain-exchange.ts';

/**
 * The journal of a recording, `.patchgate/journal`: a line of JSON with the run and its mode, then one frame for each exchange, in the
 * order of their answers. A frame is a line of JSON (time, method, path, query, headers, status, sizes), the bytes of both bodies, and
 * a line feed. A merge renames it to a segment, `journal.1`, `journal.2`, …, and goes through these.
 */
const JOURNAL = 'journal';

const LINE_FEED = 10;
const END = Buffer.from('\n');
const FORMAT = 1;
const BEGIN = '{"journal":';
/** So often it is looked whether the file is still there: a look costs as much as a write. */
const LOOK_MS = 100;
const NOTHING = Buffer.alloc(0);

/** `all`: the n-th answer to a request takes the place of the n-th that the file has. `append`: all goes behind. */
export type MergeMode = 'all' | 'append';

/** What a journal holds. */
export interface Segment {
  run: string;
  mode: MergeMode;
  frames: PlainExchange[];
}

/** The first line of a frame. */
interface FrameHead {
  meta: PlainExchange['meta'];
  status: number;
  request: [method: string, path: string, query: string, ...headers: string[]];
  response: readonly string[];
  sizes: [request: number, response: number];
}

/** One exchange as the journal has it. */
export function encodeFrame({ request, response, meta }: PlainExchange): Buffer {
  const head: FrameHead = {
    meta,
    status: response.status,
    request: [request.method, request.path, request.query, ...request.headers],
    response: response.headers,
    sizes: [request.body.length, response.body.length],
  };
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), request.body, response.body, END]);
}

/** Reads one frame. @throws PatchgateError `bad-recording` */
export function decodeFrame(bytes: Buffer): PlainExchange {
  for (const frame of framesIn(bytes, 0, 'a frame')) return frame;
  throw broken(bytes, 0, 'a frame', 'it is cut off');
}

/** The frames from a place on, but for one that was cut off at the end. */
function* framesIn(bytes: Buffer, start: number, file: string): Generator<PlainExchange> {
  for (let at = start; at < bytes.length; ) {
    const end = bytes.indexOf(LINE_FEED, at);
    if (end < 0) return;
    const head = parseJson(bytes.toString('utf8', at, end)) as FrameHead | undefined;
    const isHead = isObject(head) && isObject(head.meta);
    if (!isHead || ![head.request, head.response, head.sizes].every(Array.isArray))
      throw broken(bytes, at, file, 'this is no exchange');
    const middle = end + 1 + head.sizes[0];
    const last = middle + head.sizes[1];
    if (last >= bytes.length) return;
    if (bytes[last] !== LINE_FEED) throw broken(bytes, at, file, 'an exchange is not as long as it says');
    const [method, path, query, ...headers] = head.request;
    const body = bytes.subarray(end + 1, middle);
    const answer = bytes.subarray(middle, last);
    yield {
      request: { method, path, query, headers, body },
      response: { status: head.status, headers: head.response, body: answer },
      meta: head.meta,
    };
    at = last + 1;
  }
}

/**
 * Reads a segment or the journal.
 *
 * @returns undefined if it is gone, or its first line was cut off
 * @throws PatchgateError `cannot-read`; `bad-recording` with file and line
 */
export function readSegment(folder: string, number: number): Segment | undefined {
  const file = segmentFile(folder, number);
  const bytes = readFileIfThere(file) ?? NOTHING;
  const first = bytes.indexOf(LINE_FEED);
  if (first < 0 && BEGIN.startsWith(bytes.toString('latin1', 0, BEGIN.length))) return undefined;
  const head = first < 0 ? undefined : parseJson(bytes.toString('utf8', 0, first));
  if (!isObject(head) || typeof head.run !== 'string' || (head.mode !== 'all' && head.mode !== 'append'))
    throw broken(bytes, 0, file, 'this is no journal');
  if (head.journal !== FORMAT) throw broken(bytes, 0, file, `the journal is of format ${head.journal}`);
  const { run, mode } = head;
  return { run, mode, frames: [...framesIn(bytes, first + 1, file)] };
}

/** Numbers of the segments, then `Infinity` for the journal, as far as they are there. @throws PatchgateError `cannot-read` */
export function segmentNumbers(folder: string): number[] {
  const names = ifThere(folder, () => readdirSync(folder)) ?? [];
  const numbers = names.map((name) =>
    name === JOURNAL ? Number.POSITIVE_INFINITY : Number(/^journal\.(\d{1,15})$/.exec(name)?.[1]),
  );
  return numbers.filter((number) => !Number.isNaN(number)).sort((a, b) => a - b);
}

export function segmentFile(folder: string, number: number): string {
  return join(folder, number === Number.POSITIVE_INFINITY ? JOURNAL : `${JOURNAL}.${number}`);
}

export function removeSegment(folder: string, number: number): void {
  rmSync(segmentFile(folder, number), { force: true });
}

/**
 * The file that takes each exchange first. All is synchronous: when `append` returns, the frames are with the system, and outlive
 * this process. The first append makes the file, with its folder.
 */
export class Journal {
  readonly #folder: string;
  readonly #file: string;
  readonly #head: Buffer;
  #fd: number | undefined;
  #size = 0;
  #segments = 0;
  #lookedAt = 0;
  /** Something half written may stand behind the last frame. */
  #isTorn = false;

  /** @param folder of this run alone */
  constructor(folder: string, mode: MergeMode, run = randomBytes(9).toString('base64url')) {
    this.#folder = folder;
    this.#file = join(folder, JOURNAL);
    this.#head = Buffer.from(`${JSON.stringify({ journal: FORMAT, run, mode })}\n`);
  }

  /** Bytes of all whole frames. */
  get size(): number {
    return this.#size;
  }

  /** All frames, or none as far as a reader can see. @throws PatchgateError `cannot-write` */
  append(frames: readonly Buffer[]): void {
    try {
      const lost = this.#takeBack();
      this.#fd ??= this.#make();
      if (this.#isTorn) ftruncateSync(this.#fd, this.#size);
      const before = lost ?? (this.#size === 0 ? this.#head : NOTHING);
      const bytes = Buffer.concat([before, ...frames]);
      this.#isTorn = true;
      for (let done = 0; done < bytes.length; )
        done += writeSync(this.#fd, bytes, done, bytes.length - done, this.#size + done);
      this.#isTorn = false;
      this.#size += bytes.length;
    } catch (error) {
      throw cannotWrite(this.#file, error);
    }
  }

  /** Makes the next segment of it, if it holds something. @throws PatchgateError `cannot-write` */
  rotate(): void {
    if (this.#size === 0) return;
    this.#lookedAt = 0;
    this.append([]);
    try {
      renameSync(this.#file, segmentFile(this.#folder, this.#segments + 1));
    } catch (error) {
      throw cannotWrite(this.#file, error);
    }
    this.#segments++;
    this.close();
    this.#size = 0;
  }

  /** Nothing is appended after it. */
  close(): void {
    if (this.#fd === undefined) return;
    closeSync(this.#fd);
    this.#fd = undefined;
    if (this.#size === 0) removeQuietly(this.#file);
  }

  /** If somebody has removed the file: what it held can still be read. */
  #takeBack(): Buffer | undefined {
    const now = performance.now();
    if (this.#fd === undefined || now - this.#lookedAt < LOOK_MS) return undefined;
    this.#lookedAt = now;
    if (statSync(this.#file, { throwIfNoEntry: false })?.ino === fstatSync(this.#fd).ino) return undefined;
    const bytes = Buffer.alloc(this.#size);
    readSync(this.#fd, bytes, 0, bytes.length, 0);
    closeSync(this.#fd);
    this.#fd = undefined;
    this.#size = 0;
    return bytes;
  }

  #make(): number {
    makeFolders(this.#folder);
    return openSync(this.#file, 'wx+');
  }
}

function broken(bytes: Buffer, at: number, file: string, what: string): PatchgateError {
  const line = bytes.toString('latin1', 0, at).split('\n').length;
  const hint =
    'what was recorded last and is not in its file yet stands there: correct it, or delete it to go without it';
  return brokenFile(file, { line, column: 1 }, what, hint);
}
