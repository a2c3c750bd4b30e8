import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { isObject, parseJson } from '../json/json.ts';
import { brokenFile, cannotWrite, ifThere, makeFolders, readFileIfThere, removeQuietly } from './disk.ts';
import type { PlainExchange } from './plain-exchange.ts';

/**
 * The journal of a recording is in segments, `.patchgate/journal.1`, `journal.2`, …: a line of JSON with the run and its mode, then one
 * frame for each exchange, in the order of their answers. A frame is a line of JSON (all but the bodies, and their lengths), the bytes of
 * both bodies, and a line feed. The last segment is written to. Once the files have the frames of another, its first line alone is left,
 * with the progress of the run.
 */
const LINE_FEED = 10;
const END = Buffer.from('\n');
const FORMAT = 1;
const BEGIN = '{"journal":';
/** So often it is looked whether the file is still there: a look costs as much as a write. */
const LOOK_MS = 100;

/** `all`: the n-th answer to a request takes the place of the n-th that the file has. `append`: all goes behind. */
export type MergeMode = 'all' | 'append';

/** How often a run has answered each request of a file by now, by a key for request and session. */
export type Counts = Readonly<Record<string, number>>;

/** How far a run of mode `all` is with each file, by the file's place in the recording. `hasSurplus`: the file has more for some request
 *  than the run has answered. */
type Progress = Record<string, { counts: Counts; hasSurplus: boolean }>;

export interface Segment {
  file: string;
  number: number;
  run: string;
  mode: MergeMode;
  /** How far the run was before. */
  progress: Progress;
  frames: PlainExchange[];
}

/** The line that a segment begins with. @param progress if it is merged */
export function firstLine({ run, mode, progress }: Partial<Segment>): string {
  return `${JSON.stringify({ journal: FORMAT, run, mode, progress })}\n`;
}

/** The first line of a frame: the exchange with the lengths of its bodies. */
function headOf({ request, response, meta }: PlainExchange) {
  const [asked, answered] = [request.body.length, response.body.length];
  return { request: { ...request, body: asked }, response: { ...response, body: answered }, meta };
}

/** The pieces of a frame: joined first, they take a third longer to write. */
export function encodeFrame(exchange: PlainExchange): Buffer[] {
  const head = Buffer.from(`${JSON.stringify(headOf(exchange))}\n`);
  return [head, exchange.request.body, exchange.response.body, END];
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
    const head = parseJson(bytes.toString('utf8', at, end)) as ReturnType<typeof headOf> | undefined;
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

/** Reads segments in their order, one at a time; not those that are gone, or whose first line was cut off.
 *  @throws PatchgateError `cannot-read`; `bad-recording` with file and line */
export function* segmentsIn(files: readonly string[]): Generator<Segment> {
  let last: Pick<Segment, 'run' | 'progress'> | undefined;
  for (const file of files) {
    const bytes = readFileIfThere(file) ?? Buffer.alloc(0);
    const end = bytes.indexOf(LINE_FEED);
    if (end < 0 && BEGIN.startsWith(bytes.toString('latin1', 0, BEGIN.length))) continue;
    const head = end < 0 ? undefined : parseJson(bytes.toString('utf8', 0, end));
    if (!isObject(head) || typeof head.run !== 'string' || !/^(?:all|append)$/.test(String(head.mode)))
      throw broken(bytes, 0, file, 'this is no journal');
    if (head.journal !== FORMAT) throw broken(bytes, 0, file, `the journal is of format ${head.journal}`);
    // Somebody may have deleted the lock of a run that goes on: then the next segment may be of another.
    const before = last?.run === head.run ? last.progress : {};
    const { run, mode, progress = before } = head as unknown as Segment;
    if (!isObject(progress)) throw broken(bytes, 0, file, 'this is no progress of a run');
    last = { run, progress };
    yield { file, number: numberOf(file), run, mode, progress, frames: [...framesIn(bytes, end + 1, file)] };
  }
}

/** The files of segments in their order, as far as they are there. @throws PatchgateError `cannot-read` */
export function segmentFiles(folder: string, below = Number.POSITIVE_INFINITY): string[] {
  const names = ifThere(folder, () => fs.readdirSync(folder)) ?? [];
  const numbers = names.map(numberOf).filter((number) => number < below);
  return numbers.sort((a, b) => a - b).map((number) => join(folder, `journal.${number}`));
}

const numberOf = (file: string) => Number(/(?:^|[/\\])journal\.(\d{1,15})$/.exec(file)?.[1]);

/** The segment that takes each exchange first. When `append` returns, the system has the frames: they outlive this process. */
export function openJournal(folder: string, mode: MergeMode, mostBytes: number, run: string = randomUUID()) {
  const head = Buffer.from(firstLine({ run, mode }));
  let fd: number | undefined;
  let [number, size, lookedAt] = [1, 0, 0];
  const file = () => join(folder, `journal.${number}`);

  function make(): number {
    makeFolders(folder);
    return fs.openSync(file(), 'ax+');
  }

  /** If somebody has removed the file: what it held can still be read. */
  function restore(): void {
    lookedAt = performance.now();
    if (fd === undefined) return;
    if (fs.statSync(file(), { throwIfNoEntry: false })?.ino === fs.fstatSync(fd).ino) return;
    const held = Buffer.alloc(size);
    fs.readSync(fd, held, 0, size, 0);
    const again = make();
    try {
      fs.writeFileSync(again, held);
    } catch (error) {
      fs.closeSync(again);
      removeQuietly(file());
      throw error;
    }
    fs.closeSync(fd);
    fd = again;
  }

  /** Ends the segment, if it holds something. @returns the number of the next one */
  function rotate(): number {
    if (size === 0) return number;
    restore();
    close();
    size = 0;
    return ++number;
  }

  function close(): void {
    if (fd === undefined) return;
    fs.closeSync(fd);
    fd = undefined;
    if (size === 0) removeQuietly(file());
  }

  /** All frames, or none as far as a reader can see. @param bytes of all pieces @returns whether the next frame begins another segment
   *  @throws PatchgateError `cannot-write` */
  function append(pieces: readonly Buffer[], bytes: number): boolean {
    try {
      if (size > mostBytes) rotate();
      else if (performance.now() - lookedAt > LOOK_MS) restore();
      fd ??= make();
      const [all, length] = size === 0 ? [[head, ...pieces], head.length + bytes] : [pieces, bytes];
      const written = fs.writevSync(fd, all);
      // A disk that is nearly full takes a part, and says only then that it is full.
      if (written < length) fs.writeFileSync(fd, Buffer.concat(all).subarray(written));
      size += length;
      return size > mostBytes;
    } catch (error) {
      // The next frame must not stand behind half of this one.
      if (fd !== undefined) fs.ftruncateSync(fd, size);
      throw cannotWrite(file(), error);
    }
  }

  return { append, rotate, close };
}

function broken(bytes: Buffer, at: number, file: string, what: string) {
  const line = bytes.toString('latin1', 0, at).split('\n').length;
  const hint = 'it holds what was recorded last: correct it, or delete it to go without that';
  return brokenFile(file, { line, column: 1 }, what, hint);
}
