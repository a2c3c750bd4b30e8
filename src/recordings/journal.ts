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
  writevSync,
} from 'node:fs';
import { join } from 'node:path';
import { PatchgateError } from '../errors.ts';
import { isObject } from '../json/json.ts';
import { isSessionName } from '../model/session-name.ts';
import { cannotWrite, ifThere, makeFolders, readFileIfThere, removeQuietly, writeAll } from './disk.ts';
import type { PlainExchange } from './plain-exchange.ts';

/**
 * The journal of a recording, `.patchgate/journal`: a line of JSON with the run and its mode, then one frame for each exchange, in the
 * order of their answers. A frame is a line of JSON (time, method, path, query, headers, status, sizes), the bytes of both bodies as
 * they are, and a line feed. A merge renames it to a segment, `journal.1`, `journal.2`, …, and goes through these.
 */
export const JOURNAL = 'journal';

const LINE_FEED = 10;
const FORMAT = 1;
/** Of each journal. */
const BEGIN = '{"journal":';
/** So often it is looked whether the file is still there. */
const LOOK_MS = 100;

/** `all`: the n-th answer to a request takes the place of the n-th that the file has. `append`: all goes behind. */
export type MergeMode = 'all' | 'append';

/** First line of each journal. */
export interface JournalHead {
  run: string;
  mode: MergeMode;
}

/** What a segment holds. */
export interface Segment {
  head: JournalHead;
  /** Its number; the journal itself comes behind all others. */
  number: number;
  frames: PlainExchange[];
}

/** One exchange as the journal has it. */
export function encodeFrame({ request, response, startedAt, durationMs, session }: PlainExchange): Buffer {
  const isOmitted = request.omitted !== undefined || response.omitted !== undefined;
  const head =
    `{"at":${startedAt},"ms":${durationMs},"status":${response.status}` +
    `,"request":${JSON.stringify([request.method, request.path, request.query, ...request.headers])}` +
    `,"response":${JSON.stringify(response.headers)},"sizes":[${request.body.length},${response.body.length}]` +
    (isOmitted ? `,"omitted":[${request.omitted ?? null},${response.omitted ?? null}]` : '') +
    (session === undefined ? '}\n' : `,"session":${JSON.stringify(session)}}\n`);
  const frame = Buffer.allocUnsafe(Buffer.byteLength(head) + request.body.length + response.body.length + 1);
  let end = frame.write(head);
  end += request.body.copy(frame, end);
  end += response.body.copy(frame, end);
  frame[end] = LINE_FEED;
  return frame;
}

/** The first line of a frame. */
interface FrameHead {
  at: number;
  ms: number;
  status: number;
  /** Method, path, query; then headers, name and value in turn. */
  request: [method: string, path: string, query: string, ...headers: string[]];
  response: string[];
  sizes: [request: number, response: number];
  /** Sizes of bodies that were not kept. */
  omitted?: [request: number | null, response: number | null];
  session?: string;
}

/**
 * Reads a journal or segment. A frame that was cut off at the end counts for nothing; undefined where the first line was.
 *
 * @throws PatchgateError `bad-recording` with file and line
 */
export function decodeSegment(bytes: Buffer, file: string): Omit<Segment, 'number'> | undefined {
  const first = bytes.indexOf(LINE_FEED);
  const isBegun = BEGIN.startsWith(bytes.toString('latin1', 0, BEGIN.length));
  if (first < 0 && isBegun) return undefined;
  const head = first < 0 ? undefined : parse(bytes.toString('utf8', 0, first));
  if (!isObject(head) || typeof head.run !== 'string' || (head.mode !== 'all' && head.mode !== 'append'))
    throw broken(bytes, 0, file, 'this is no journal');
  if (head.journal !== FORMAT) throw broken(bytes, 0, file, `the journal is of format ${head.journal}`);
  const frames: PlainExchange[] = [];
  for (let at = first + 1; at < bytes.length; ) {
    const found = frameAt(bytes, at, file);
    if (!found) break;
    frames.push(found.frame);
    at = found.next;
  }
  return { head: { run: head.run, mode: head.mode }, frames };
}

/** Reads one frame. @throws PatchgateError `bad-recording` where it is none */
export function decodeFrame(bytes: Buffer): PlainExchange {
  const found = frameAt(bytes, 0, 'a frame');
  if (!found) throw broken(bytes, 0, 'a frame', 'it is cut off');
  return found.frame;
}

/** The frame at a place, and where the next one begins; undefined where it was cut off. */
function frameAt(
  bytes: Buffer,
  at: number,
  file: string,
): { frame: PlainExchange; next: number } | undefined {
  const end = bytes.indexOf(LINE_FEED, at);
  if (end < 0) return undefined;
  const head = parse(bytes.toString('utf8', at, end));
  if (!isFrameHead(head)) throw broken(bytes, at, file, 'this is no exchange');
  const [size, answered] = head.sizes;
  const middle = end + 1 + size;
  const last = middle + answered;
  if (last >= bytes.length) return undefined;
  if (bytes[last] !== LINE_FEED) throw broken(bytes, at, file, 'an exchange is not as long as it says');
  return {
    frame: plainOf(head, bytes.subarray(end + 1, middle), bytes.subarray(middle, last)),
    next: last + 1,
  };
}

function plainOf(head: FrameHead, body: Buffer, answer: Buffer): PlainExchange {
  const [method, path, query, ...headers] = head.request;
  const [omitted, answerOmitted] = head.omitted ?? [];
  return {
    request: { method, path, query, headers, body, json: undefined, ...(omitted != null && { omitted }) },
    response: {
      status: head.status,
      headers: head.response,
      body: answer,
      ...(answerOmitted != null && { omitted: answerOmitted }),
    },
    startedAt: head.at,
    durationMs: head.ms,
    ...(head.session !== undefined && { session: head.session }),
  };
}

/** All that no file has yet, oldest first. @param folder `.patchgate` of a recording @throws PatchgateError `cannot-read`, `bad-recording` */
export function readSegments(folder: string): Segment[] {
  for (let attempt = 0; ; attempt++) {
    const numbers = segmentNumbers(folder);
    const segments = numbers.flatMap((number) => readSegment(folder, number) ?? []);
    // A writer has renamed the journal or merged a segment meanwhile: what it held may have been missed.
    if (attempt === 20 || String(segmentNumbers(folder)) === String(numbers)) return segments;
  }
}

/** Undefined where it is gone, or holds nothing whole. @throws PatchgateError `cannot-read`, `bad-recording` */
export function readSegment(folder: string, number: number): Segment | undefined {
  const file = segmentFile(folder, number);
  const found = decodeSegment(readFileIfThere(file) ?? Buffer.alloc(0), file);
  return found && { ...found, number };
}

/** Numbers of the segments, then that of the journal, where they are there. @throws PatchgateError `cannot-read` */
export function segmentNumbers(folder: string): number[] {
  const names = ifThere(folder, () => readdirSync(folder)) ?? [];
  return names
    .flatMap((name) => {
      if (name === JOURNAL) return Number.POSITIVE_INFINITY;
      const number = /^journal\.(\d{1,15})$/.exec(name)?.[1];
      return number === undefined ? [] : Number(number);
    })
    .sort((a, b) => a - b);
}

export function segmentFile(folder: string, number: number): string {
  return join(folder, number === Number.POSITIVE_INFINITY ? JOURNAL : `${JOURNAL}.${number}`);
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
  /** Tells the file from another that takes its place. */
  #ino: number | undefined;
  #size = 0;
  #lookedAt = 0;
  /** Something half written may stand behind the last frame. */
  #isTorn = false;

  constructor(folder: string, { run, mode }: JournalHead) {
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
    this.#try(() => {
      // Somebody has removed the file, but what it held can still be read.
      const lost =
        this.#fd !== undefined && this.#isDueToLook() && this.#isGone() ? this.#takeBack() : undefined;
      this.#fd ??= this.#make();
      const before = lost ?? (this.#size === 0 ? this.#head : undefined);
      this.#write(this.#fd, before ? [before, ...frames] : frames);
    });
  }

  /** Makes a segment of it, where it holds something. @throws PatchgateError `cannot-write` */
  rotate(number: number): void {
    const fd = this.#fd;
    if (fd === undefined || this.#size === 0) return;
    this.#try(() => {
      if (this.#isGone()) {
        const lost = this.#takeBack();
        this.#fd = this.#make();
        this.#write(this.#fd, [lost]);
      } else if (this.#isTorn) ftruncateSync(fd, this.#size);
      renameSync(this.#file, segmentFile(this.#folder, number));
      closeSync(this.#fd as number);
      this.#fd = undefined;
      this.#size = 0;
    });
  }

  /** Nothing is appended after it. */
  close(): void {
    if (this.#fd === undefined) return;
    closeSync(this.#fd);
    this.#fd = undefined;
    if (this.#size === 0) removeQuietly(this.#file);
  }

  #write(fd: number, parts: readonly Buffer[]): void {
    if (this.#isTorn) ftruncateSync(fd, this.#size);
    this.#isTorn = true;
    const size = parts.reduce((sum, part) => sum + part.length, 0);
    try {
      const done = writevSync(fd, parts, this.#size);
      // A disk that is full takes a part, and then throws.
      if (done < size) writeAll(fd, Buffer.concat(parts).subarray(done), this.#size + done);
    } catch (error) {
      this.#cut(fd);
      throw error;
    }
    this.#isTorn = false;
    this.#size += size;
  }

  /** Shorter frames would not cover what a write that failed has left. */
  #cut(fd: number): void {
    try {
      ftruncateSync(fd, this.#size);
      this.#isTorn = false;
    } catch {
      // The next append tries again. Why nothing can be written is what matters.
    }
  }

  /** A look costs as much as a write. */
  #isDueToLook(): boolean {
    const now = performance.now();
    if (now - this.#lookedAt < LOOK_MS) return false;
    this.#lookedAt = now;
    return true;
  }

  #isGone(): boolean {
    try {
      return statSync(this.#file).ino !== this.#ino;
    } catch {
      return true;
    }
  }

  /** What the removed file held, with its first line. The file is closed. */
  #takeBack(): Buffer {
    const fd = this.#fd as number;
    const bytes = Buffer.allocUnsafe(this.#size);
    const read = readSync(fd, bytes, 0, bytes.length, 0);
    closeSync(fd);
    this.#fd = undefined;
    this.#size = 0;
    return bytes.subarray(0, read);
  }

  #make(): number {
    makeFolders(this.#folder);
    const fd = openSync(this.#file, 'wx+');
    this.#ino = fstatSync(fd).ino;
    this.#isTorn = false;
    return fd;
  }

  #try(action: () => void): void {
    try {
      action();
    } catch (error) {
      throw cannotWrite(this.#file, error);
    }
  }
}

export function removeSegment(folder: string, number: number): void {
  rmSync(segmentFile(folder, number), { force: true });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isFrameHead(value: unknown): value is FrameHead {
  if (!isObject(value)) return false;
  const { at, ms, status, request, response, sizes, omitted, session } = value;
  return (
    [at, ms, status].every(Number.isInteger) &&
    isList(request, isText) &&
    request.length >= 3 &&
    isList(response, isText) &&
    isList(sizes, isSize) &&
    sizes.length === 2 &&
    (omitted === undefined || isList(omitted, (size) => size === null || isSize(size))) &&
    (session === undefined || isSessionName(session))
  );
}

const isText = (value: unknown) => typeof value === 'string';
const isSize = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;

function isList(value: unknown, isGood: (item: unknown) => boolean): value is unknown[] {
  return Array.isArray(value) && value.every(isGood);
}

function broken(bytes: Buffer, at: number, file: string, what: string): PatchgateError {
  let line = 1;
  for (let feed = bytes.indexOf(LINE_FEED); feed >= 0 && feed < at; feed = bytes.indexOf(LINE_FEED, feed + 1))
    line++;
  return new PatchgateError('bad-recording', `${file}:${line}:1: ${what}`, {
    hint: 'what was recorded last and is not in its file yet stands there: correct it, or delete it to go without it',
    details: { file, line, column: 1 },
  });
}
