import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Exchange } from '../model/exchange.ts';
import { HIDDEN, writeFileAtomically } from './disk.ts';
import { changeFile } from './files.ts';
import {
  firstLine,
  removeSegment,
  type Segment,
  segmentFile,
  segmentNumbers,
  segmentsOf,
} from './journal.ts';
import type { MatchRules } from './match.ts';
import { merge, type Progress, withoutSurplus } from './merge.ts';
import { byPlace, locationOf } from './names.ts';
import { type PlainExchange, toStoredExchange } from './plain-exchange.ts';

export interface MergeOptions {
  rules: MatchRules;
  /** At the end of a run, what earlier ones recorded beyond its own answers goes. */
  run: 'goes on' | 'ends' | 'was killed';
  /** Number of the segment that the run goes on in. */
  below?: number;
  /** Ends it early: the segments that are left stay. */
  signal?: AbortSignal;
}

/** Merges all segments of a recording into its files. Interrupted at any moment, doing it again gives the same.
 *  @returns how many exchanges they held
 *  @throws PatchgateError of the first file that could not be merged: all others are, and the segment stays with those behind it */
export async function mergeSegments(root: string, options: MergeOptions): Promise<number> {
  const { rules, run, below, signal } = options;
  const folder = join(root, HIDDEN);
  const numbers = segmentNumbers(folder, below);
  let progress: Progress = {};
  let count = 0;
  for (const segment of segmentsOf(folder, numbers)) {
    progress = segment.progress;
    // It was merged before.
    if (segment.frames.length === 0) continue;
    await mergeSegment(root, segment, options);
    await writeFileAtomically(segmentFile(folder, segment.number), firstLine(segment));
    count += segment.frames.length;
  }
  for (const [location, { counts, hasSurplus }] of Object.entries(run === 'ends' ? progress : {})) {
    signal?.throwIfAborted();
    const change = (all: readonly Exchange[]) => withoutSurplus(all, counts, rules);
    if (hasSurplus) await changeFile(join(root, location), undefined, change);
    await setImmediate();
  }
  // The last one says how far the run is.
  for (const number of run === 'goes on' ? numbers.slice(0, -1) : numbers) removeSegment(folder, number);
  return count;
}

/** Merges one segment, file by file. Its progress becomes that after it. */
async function mergeSegment(root: string, segment: Segment, { rules, signal }: MergeOptions): Promise<void> {
  const { mode, frames, progress } = segment;
  let trouble: unknown;
  for (const batch of byPlace(frames).values()) {
    signal?.throwIfAborted();
    const { request: place } = batch[0] as PlainExchange;
    const location = locationOf(place.method, place.path);
    try {
      await changeFile(join(root, location), place, (before) => {
        const { counts = {} } = progress[location] ?? {};
        const { exchanges, ...after } = merge(before, batch.map(toStoredExchange), mode, counts, rules);
        if (mode === 'all') progress[location] = after;
        return exchanges;
      });
    } catch (error) {
      trouble ??= error;
    }
    await setImmediate();
  }
  if (trouble !== undefined) throw trouble;
}

/** What a reader finds in the journal: frames that no file has, by method and path, and how far their run was before. */
export function readWaiting(root: string) {
  const folder = join(root, HIDDEN);
  const inodeOf = (number: number) => statSync(segmentFile(folder, number), { throwIfNoEntry: false })?.ino;
  for (;;) {
    const numbers = segmentNumbers(folder);
    const before = numbers.map(inodeOf);
    const segments = [...segmentsOf(folder, numbers)];
    // The writer has merged meanwhile: a merged segment is another file, or gone.
    if (String(numbers.map(inodeOf)) !== String(before)) continue;
    const { mode = 'append', progress = {} } = segments.at(-1) ?? {};
    return { mode, progress, frames: byPlace(segments.flatMap(({ frames }) => frames)) };
  }
}
