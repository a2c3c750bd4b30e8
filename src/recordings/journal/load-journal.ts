import { closeSync } from 'node:fs';
import { readdir, rename, rm, truncate } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { messageOf, PatchgateError, systemCode } from '../../errors.ts';
import { locationOf } from '../store/location.ts';
import type { FoldMark } from './journal-line.ts';
import { brokenJournal, type JournalContent, openSegment, readSegment } from './read-segment.ts';
import { type Segment, segmentName, segmentsIn } from './segment.ts';
import { WaitingFiles } from './waiting-files.ts';

export interface LoadedJournal {
  segments: Segment[];
  waiting: WaitingFiles;
}

/**
 * What a journal holds that the files of its recording do not have yet, as whoever wrote last left it, for who writes now:
 * what was begun is finished. A torn line at its end is cut off: nobody has been told that it was kept.
 *
 * @param root the recording's folder
 * @param folder the journal's
 * @throws PatchgateError `cannot-read`, `cannot-write`, `bad-recording` with file and line
 */
export async function loadJournal(root: string, folder: string): Promise<LoadedJournal> {
  const content: JournalContent = { waiting: new WaitingFiles(), marks: new Map() };
  const segments: Segment[] = [];
  const bases = segmentsIn(folder);
  for (const base of bases) {
    const file = join(folder, segmentName(base));
    const { size, whole } = readFile(file, base, content);
    if (whole < size && base !== bases.at(-1)) throw brokenJournal(file, 'the file ends within a line');
    if (whole > 0) segments.push({ base, size: whole });
    // Its name is that of the next one to be begun.
    else await rm(file);
    if (whole > 0 && whole < size) await truncate(file, whole);
  }
  for (const [key, { last, before }] of content.marks) {
    content.waiting.settle(key, (await isPutInPlace(root, last)) ? last.upTo : before);
  }
  for (const { place } of content.waiting.all()) await removeRemains(fileOf(root, place));
  return { segments, waiting: content.waiting };
}

function readFile(file: string, base: number, into: JournalContent): { size: number; whole: number } {
  const fd = openSegment(file);
  if (fd === undefined) return { size: 0, whole: 0 };
  try {
    return readSegment(fd, file, base, into);
  } finally {
    closeSync(fd);
  }
}

/** Whether the file is the one that the mark speaks of, now that all is done for it. */
async function isPutInPlace(root: string, mark: FoldMark): Promise<boolean> {
  if (mark.temporary === undefined) return true;
  const file = fileOf(root, mark);
  const temporary = join(dirname(file), mark.temporary);
  try {
    await rename(temporary, file);
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return true;
    throw new PatchgateError('cannot-write', `cannot put ${temporary} in its place: ${messageOf(error)}`, {
      hint: 'correct the permissions, or what is in the way',
      cause: error,
    });
  }
}

/** Temporary files that were not finished: of the file itself, and of the bodies beside it. */
async function removeRemains(file: string): Promise<void> {
  const starts = [`.${basename(file)}.`, `.${basename(file, '.json')}~`];
  const names = await readdir(dirname(file)).catch(() => []);
  for (const name of names) {
    if (starts.some((start) => name.startsWith(start)) && name.endsWith('.tmp'))
      await rm(join(dirname(file), name), { force: true });
  }
}

export function fileOf(root: string, { method, path }: { method: string; path: string }): string {
  return join(root, locationOf(method, path));
}
