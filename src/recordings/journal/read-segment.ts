import { fstatSync, openSync } from 'node:fs';
import { messageOf, PatchgateError, systemCode } from '../../errors.ts';
import { type FoldMark, readLine } from './journal-line.ts';
import { linesOf } from './lines-of.ts';
import { readAt } from './read-at.ts';
import { fileKey, type WaitingFiles } from './waiting-files.ts';

/** What the last marks of a file say. */
export interface Marks {
  last: FoldMark;
  /** Up to where the one before it said that the file has its lines. */
  before: number;
}

/** What the lines of a journal say. */
export interface JournalContent {
  waiting: WaitingFiles;
  /** By the file that they are about. */
  marks: Map<string, Marks>;
}

/**
 * Reads one file of a journal.
 *
 * @param into is given what its lines say
 * @returns bytes of the file, and of its whole lines
 * @throws PatchgateError `bad-recording` with file and line
 */
export function readSegment(
  fd: number,
  file: string,
  base: number,
  into: JournalContent,
): { size: number; whole: number } {
  const { size } = fstatSync(fd);
  const lines = linesOf((start, end) => readAt(fd, start, end - start), 0, size);
  for (let number = 1; ; number++) {
    const next = lines.next();
    if (next.done) return { size, whole: next.value };
    const { bytes, start, end } = next.value;
    const line = readLine(bytes);
    if (line === undefined || (line.kind === 'first') !== (number === 1)) {
      throw brokenJournal(`${file}:${number}:1`, 'this is no line of a journal');
    }
    if (line.kind === 'exchange') {
      const { method, path } = line.exchange.request;
      const mayReplace = line.replace || line.exchange.failure !== undefined;
      into.waiting.add(method, path, base + start, base + end, mayReplace);
    } else if (line.kind === 'mark') addMark(into.marks, line.mark);
  }
}

export function addMark(marks: Map<string, Marks>, mark: FoldMark): void {
  const key = fileKey(mark.method, mark.path);
  marks.set(key, { last: mark, before: marks.get(key)?.last.upTo ?? 0 });
}

/** Undefined where there is none. @throws PatchgateError `cannot-read` */
export function openSegment(file: string): number | undefined {
  try {
    return openSync(file, 'r');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw new PatchgateError('cannot-read', `cannot read ${file}: ${messageOf(error)}`, { cause: error });
  }
}

export function brokenJournal(where: string, what: string): PatchgateError {
  return new PatchgateError('bad-recording', `${where}: ${what}`, {
    hint: 'what was recorded last and is not in its file yet stands there: correct it, or delete it to go without it',
  });
}
