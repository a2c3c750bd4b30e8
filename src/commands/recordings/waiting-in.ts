import { closeSync } from 'node:fs';
import { join } from 'node:path';
import { linesOf } from '../../recordings/journal/lines-of.ts';
import { readAt } from '../../recordings/journal/read-at.ts';
import { type JournalContent, openSegment, readSegment } from '../../recordings/journal/read-segment.ts';
import { segmentName, segmentsIn } from '../../recordings/journal/segment.ts';
import { WaitingFiles } from '../../recordings/journal/waiting-files.ts';
import { HIDDEN } from '../../recordings/store/hidden-folder.ts';

/**
 * How many exchanges of a recording are in its journal and not in their files yet, about: its writer may just be at it.
 *
 * @param root the recording's folder
 * @throws PatchgateError `cannot-read`, `bad-recording` with file and line
 */
export function waitingIn(root: string): number {
  const folder = join(root, HIDDEN, 'journal');
  const content: JournalContent = { waiting: new WaitingFiles(), marks: new Map() };
  const segments: { base: number; fd: number }[] = [];
  try {
    for (const base of segmentsIn(folder)) {
      const file = join(folder, segmentName(base));
      const fd = openSegment(file);
      if (fd === undefined) continue;
      segments.push({ base, fd });
      readSegment(fd, file, base, content);
    }
    for (const [key, { last }] of content.marks) content.waiting.settle(key, last.upTo);
    return content.waiting.all().reduce((sum, { stretches }) => sum + linesIn(stretches, segments), 0);
  } finally {
    for (const { fd } of segments) closeSync(fd);
  }
}

function linesIn(stretches: readonly number[], segments: readonly { base: number; fd: number }[]): number {
  let count = 0;
  for (let i = 0; i < stretches.length; i += 2) {
    const [start, end] = [stretches[i] as number, stretches[i + 1] as number];
    const segment = segments.findLast(({ base }) => base <= start);
    if (segment === undefined) continue;
    const read = (from: number, to: number) => readAt(segment.fd, from - segment.base, to - from);
    for (const _ of linesOf(read, start, end)) count++;
  }
  return count;
}
