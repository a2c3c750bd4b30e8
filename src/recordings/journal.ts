import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import type { PatchgateError } from '../errors.ts';
import { isObject, parseJson } from '../json/json.ts';
import { brokenFile, cannotWrite, ifThere, makeFolders, readFileIfThere, removeQuietly } from './disk.ts';
import type { MergeMode, Progress } from './merge.ts';
import type { PlainExchange } from './plain-exchange.ts';

/**
 * The journal of a recording is in segments, `.patchgate/journal.1`, `journal.2`, …: a line of JSON with the run and its mode, then one
 * frame for each exchange, in the order of their answers. A frame is a line of JSON (all but the bodies, and their lengths), the bytes of
 * both bodies, and a line feed. The last segment is written to; a merge goes through those before it. Once the files have
 * its frames, the first line alone is left of a segment, with the progress of the run.
 */
const LINE_FEED = 10;
const END = Buffer.from('\n');
const FORMAT = 1;
const BEGIN = '{"journal":';
/** So often it is looked whether the file is still there: a look costs as much as a write. */
const LOOK_MS = 100;
const NOTHING = Buffer.alloc(0);

export interface Segment {
  number: number;
  run: string;
  mode: MergeMode;
  /** How far the run was before. */
  progress: Progress;
  frames: PlainExchange[];
}

/** The line that a segment begins with. @param progress if it is merged */
export function firstLine(run: string, mode: MergeMode, progress?: Progress): string {
  return `${JSON.stringify({ journal: FORMAT, run, mode, progress })}\n`;
}

/** The first line of a frame: the exchange with the lengths of its bodies. */
type FrameHead = Pick<PlainExchange, 'meta'> & {
  request: Omit<PlainExchange['request'], 'body'> & { body: number };
  response: Omit<PlainExchange['response'], 'body'> & { body: number };
};

export function encodeFrame({ request, response, meta }: PlainExchange): Buffer {
  const head: FrameHead = {
    request: { ...request, body: request.body.length },
    response: { ...response, body: response.body.length },
    meta,
  };
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), request.body, response.body, END]);
}

/** @throws PatchgateError `bad-recording` */
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
    const lists = [head?.request?.headers, head?.response?.headers];
    if (!lists.every(Array.isArray) || !isObject(head?.meta))
      throw broken(bytes, at, file, 'this is no exchange');
    const { request, response } = head;
    const middle = end + 1 + request.body;
    const last = middle + response.body;
    if (last >= bytes.length) return;
    if (bytes[last] !== LINE_FEED) throw broken(bytes, at, file, 'an exchange is not as long as it says');
    yield {
      ...head,
      request: { ...request, body: bytes.subarray(end + 1, middle) },
      response: { ...response, body: bytes.subarray(middle, last) },
    };
    at = last + 1;
  }
}

/** Reads a segment; undefined if it is gone, or its first line was cut off.
 *  @param last the one before it @throws PatchgateError `cannot-read`; `bad-recording` with file and line */
export function readSegment(
  folder: string,
  number: number,
  last?: Pick<Segment, 'run' | 'progress'>,
): Segment | undefined {
  const file = segmentFile(folder, number);
  const bytes = readFileIfThere(file) ?? NOTHING;
  const end = bytes.indexOf(LINE_FEED);
  if (end < 0 && BEGIN.startsWith(bytes.toString('latin1', 0, BEGIN.length))) return undefined;
  const head = end < 0 ? undefined : parseJson(bytes.toString('utf8', 0, end));
  if (!isObject(head) || typeof head.run !== 'string' || !/^(?:all|append)$/.test(String(head.mode)))
    throw broken(bytes, 0, file, 'this is no journal');
  if (head.journal !== FORMAT) throw broken(bytes, 0, file, `the journal is of format ${head.journal}`);
  // Somebody may have deleted the lock of a run that goes on: then the next segment may be of another.
  const before = last?.run === head.run ? last.progress : {};
  const { run, mode, progress = before } = head as unknown as Segment;
  if (!isObject(progress)) throw broken(bytes, 0, file, 'this is no progress of a run');
  return { number, run, mode, progress, frames: [...framesIn(bytes, end + 1, file)] };
}

/** Numbers of the segments, as far as they are there. @throws PatchgateError `cannot-read` */
export function segmentNumbers(folder: string, below = Number.POSITIVE_INFINITY): number[] {
  const names = ifThere(folder, () => fs.readdirSync(folder)) ?? [];
  const numbers = names.map((name) => Number(/^journal\.(\d{1,15})$/.exec(name)?.[1]));
  return numbers.filter((number) => number < below).sort((a, b) => a - b);
}

export function segmentFile(folder: string, number: number): string {
  return join(folder, `journal.${number}`);
}

export function removeSegment(folder: string, number: number): void {
  fs.rmSync(segmentFile(folder, number), { force: true });
}

/**
 * The segment that takes each exchange first. All is synchronous: when `append` returns, the frames are with the system, and outlive
 * this process. The first append makes the file, with its folder.
 */
export class Journal {
  readonly #folder: string;
  readonly #head: Buffer;
  #fd: number | undefined;
  #size = 0;
  #number = 1;
  #lookedAt = 0;

  constructor(folder: string, mode: MergeMode, run = randomBytes(9).toString('base64url')) {
    this.#folder = folder;
    this.#head = Buffer.from(firstLine(run, mode));
  }

  get #file(): string {
    return segmentFile(this.#folder, this.#number);
  }

  /** All frames, or none as far as a reader can see. @param mostBytes of a segment @returns whether the next frame begins another
   *  @throws PatchgateError `cannot-write` */
  append(frames: readonly Buffer[], mostBytes = Number.POSITIVE_INFINITY): boolean {
    try {
      if (this.#size > mostBytes) this.rotate();
      else if (performance.now() - this.#lookedAt > LOOK_MS) this.#restore();
      this.#fd ??= this.#make();
      const bytes = Buffer.concat([this.#size === 0 ? this.#head : NOTHING, ...frames]);
      fs.writeFileSync(this.#fd, bytes);
      this.#size += bytes.length;
      return this.#size > mostBytes;
    } catch (error) {
      // The next frame must not stand behind half of this one.
      if (this.#fd !== undefined) fs.ftruncateSync(this.#fd, this.#size);
      throw cannotWrite(this.#file, error);
    }
  }

  /** Ends the segment, if it holds something. @returns the number of the next one */
  rotate(): number {
    if (this.#size === 0) return this.#number;
    this.#restore();
    this.close();
    this.#size = 0;
    return ++this.#number;
  }

  close(): void {
    if (this.#fd === undefined) return;
    fs.closeSync(this.#fd);
    this.#fd = undefined;
    if (this.#size === 0) removeQuietly(this.#file);
  }

  #make(): number {
    makeFolders(this.#folder);
    return fs.openSync(this.#file, 'ax+');
  }

  /** If somebody has removed the file: what it held can still be read. */
  #restore(): void {
    this.#lookedAt = performance.now();
    if (this.#fd === undefined) return;
    if (fs.statSync(this.#file, { throwIfNoEntry: false })?.ino === fs.fstatSync(this.#fd).ino) return;
    const held = Buffer.alloc(this.#size);
    fs.readSync(this.#fd, held, 0, held.length, 0);
    const again = this.#make();
    try {
      fs.writeFileSync(again, held);
    } catch (error) {
      fs.closeSync(again);
      removeQuietly(this.#file);
      throw error;
    }
    fs.closeSync(this.#fd);
    this.#fd = again;
  }
}

function broken(bytes: Buffer, at: number, file: string, what: string): PatchgateError {
  const line = bytes.toString('latin1', 0, at).split('\n').length;
  const hint =
    'what was recorded last and is not in its file yet stands there: correct it, or delete it to go without it';
  return brokenFile(file, { line, column: 1 }, what, hint);
}
