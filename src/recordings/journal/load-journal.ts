import { closeSync, fstatSync, openSync } from 'node:fs';
import { access, readdir, rename, rm, truncate } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { messageOf, PatchgateError, systemCode } from '../../errors.ts';
import { locationOf } from '../files/location.ts';
import { type FoldMark, readLine } from './journal-line.ts';
import { linesOf } from './lines-of.ts';
import { readAt } from './read-at.ts';
import { type Segment, segmentBase, segmentName } from './segment.ts';
import { fileKey, WaitingFiles } from './waiting-files.ts';

export interface LoadedJournal {
  segments: Segment[];
  waiting: WaitingFiles;
}

/** The last two marks of a file. */
interface Marks {
  last: FoldMark;
  before: number;
}

/**
 * What a journal holds that the files of its recording do not have yet, as whoever wrote last left it. A torn line at its
 * end is left out: nobody has been told that it was kept.
 *
 * @param root the recording's folder
 * @param folder the journal's
 * @param writable finishes what was begun; otherwise nothing is touched
 * @throws PatchgateError `cannot-read`, `cannot-write`, `bad-recording` with file and line
 */
export async function loadJournal(root: string, folder: string, writable: boolean): Promise<LoadedJournal> {
  const loaded: LoadedJournal = { segments: [], waiting: new WaitingFiles() };
  const bases = await basesIn(folder);
  const marks = new Map<string, Marks>();
  for (const base of bases) {
    const file = join(folder, segmentName(base));
    const isLast = base === bases.at(-1);
    const { size, whole } = readSegment(file, base, loaded.waiting, marks);
    if (whole < size && !isLast) throw broken(file, 'the file ends within a line');
    if (whole > 0) loaded.segments.push({ base, size: whole });
    // Its name is that of the next one to be begun.
    else if (writable) await rm(file);
    if (writable && whole > 0 && whole < size) await truncate(file, whole);
  }
  for (const [key, { last, before }] of marks) {
    const upTo = (await isInPlace(root, last, writable)) ? last.upTo : before;
    loaded.waiting.settle(key, upTo);
  }
  if (writable) for (const { place } of loaded.waiting.all()) await removeRemains(fileOf(root, place));
  return loaded;
}

/** Of the files in a journal's folder, oldest first. */
async function basesIn(folder: string): Promise<number[]> {
  try {
    const names = await readdir(folder);
    return names
      .map(segmentBase)
      .filter((base) => base !== undefined)
      .sort((a, b) => a - b);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw new PatchgateError('cannot-read', `cannot read ${folder}: ${messageOf(error)}`, { cause: error });
  }
}

/** @returns bytes of the file, and of its whole lines */
function readSegment(
  file: string,
  base: number,
  waiting: WaitingFiles,
  marks: Map<string, Marks>,
): { size: number; whole: number } {
  const fd = openToRead(file);
  try {
    const { size } = fstatSync(fd);
    const lines = linesOf((start, end) => readAt(fd, start, end - start), 0, size);
    for (let number = 1; ; number++) {
      const next = lines.next();
      if (next.done) return { size, whole: next.value };
      const { bytes, start, end } = next.value;
      const line = readLine(bytes);
      if (line === undefined || (line.kind === 'first') !== (number === 1)) {
        throw broken(`${file}:${number}:1`, 'this is no line of a journal');
      }
      if (line.kind === 'exchange') {
        const { method, path } = line.exchange.request;
        waiting.add(method, path, base + start, base + end, line.replace);
      } else if (line.kind === 'mark') {
        const key = fileKey(line.mark.method, line.mark.path);
        marks.set(key, { last: line.mark, before: marks.get(key)?.last.upTo ?? 0 });
      }
    }
  } finally {
    closeSync(fd);
  }
}

function openToRead(file: string): number {
  try {
    return openSync(file, 'r');
  } catch (error) {
    throw new PatchgateError('cannot-read', `cannot read ${file}: ${messageOf(error)}`, { cause: error });
  }
}

/** Whether the file is the one that the mark speaks of. */
async function isInPlace(root: string, mark: FoldMark, writable: boolean): Promise<boolean> {
  if (mark.temporary === undefined) return true;
  const file = fileOf(root, mark);
  const temporary = join(dirname(file), mark.temporary);
  try {
    if (writable) await rename(temporary, file);
    else await access(temporary);
    return writable;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return true;
    throw new PatchgateError(
      writable ? 'cannot-write' : 'cannot-read',
      `cannot put ${temporary} in its place: ${messageOf(error)}`,
      { hint: 'correct the permissions, or what is in the way', cause: error },
    );
  }
}

/** Temporary files that were not finished. */
async function removeRemains(file: string): Promise<void> {
  const start = `.${basename(file)}.`;
  const names = await readdir(dirname(file)).catch(() => []);
  for (const name of names) {
    if (name.startsWith(start) && name.endsWith('.tmp')) await rm(join(dirname(file), name), { force: true });
  }
}

function fileOf(root: string, { method, path }: { method: string; path: string }): string {
  return join(root, locationOf(method, path));
}

function broken(where: string, what: string): PatchgateError {
  return new PatchgateError('bad-recording', `${where}: ${what}`, {
    hint: 'what was recorded last and is not in its file yet stands there: correct it, or delete it to go without it',
  });
}
