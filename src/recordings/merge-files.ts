import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { PatchgateError } from '../errors.ts';
import { isObject, parseJson } from '../json/json.ts';
import { brokenFile, HIDDEN, readFileIfThere, writeFileAtomically } from './disk.ts';
import { openFile } from './files.ts';
import {
  type MergeMode,
  readSegment,
  removeSegment,
  type Segment,
  segmentFile,
  segmentNumbers,
} from './journal.ts';
import type { MatchRules } from './match.ts';
import { type Counts, merge, withoutSurplus } from './merge.ts';
import { byPlace, locationOf } from './names.ts';
import { type PlainExchange, toStoredExchange } from './plain-exchange.ts';

/** How far the run of mode `all` is whose answers the files have. It is on disk before a segment goes, and goes with the run. */
interface RunState {
  /** Somebody may have deleted the lock of a run that goes on: the state says nothing of segments of another. */
  run: string;
  /** Number of the last segment that all files have. */
  merged: number;
  /** By file. */
  counts: Record<string, Counts>;
  /** Whether a file has more for some request than the run has answered. */
  surplus: Record<string, boolean>;
}

const STATE = 'counts';

/** @throws PatchgateError `cannot-read`; `bad-recording` if somebody has changed it */
function readState(folder: string): RunState {
  const file = join(folder, STATE);
  const bytes = readFileIfThere(file);
  if (!bytes) return newState('');
  const state = parseJson(bytes.toString()) as RunState | undefined;
  if (isObject(state?.counts) && Number.isInteger(state.merged)) return state;
  const hint =
    'delete it: what waits in the journal may then take the places of what the same run recorded before';
  throw brokenFile(file, { line: 1, column: 1 }, 'these are no counts of a run', hint);
}

function newState(run: string): RunState {
  return { run, merged: 0, counts: {}, surplus: {} };
}

interface MergeOptions {
  rules: MatchRules;
  /** The run is over: what earlier ones recorded beyond its own answers goes. */
  ends: boolean;
  /** Ends it early: the segments that are left stay. */
  signal?: AbortSignal;
}

/**
 * Merges all segments of a recording into its files, and removes them. Interrupted at any moment, doing it again gives the same.
 *
 * @param root the recording's folder
 * @returns how many exchanges they held
 * @throws PatchgateError of the first file that could not be merged: all others are, and the segment stays with those behind it
 */
export async function mergeSegments(root: string, options: MergeOptions): Promise<number> {
  const folder = join(root, HIDDEN);
  let state = readState(folder);
  let count = 0;
  for (const number of segmentNumbers(folder).filter(Number.isFinite)) {
    const segment = readSegment(folder, number);
    if (segment && segment.run !== state.run) state = newState(segment.run);
    if (segment && number > state.merged) {
      await mergeSegment(root, state, segment, options);
      state.merged = number;
      count += segment.frames.length;
      if (segment.mode === 'all') await writeFileAtomically(join(folder, STATE), JSON.stringify(state));
    }
    removeSegment(folder, number);
  }
  if (!options.ends) return count;
  for (const location of Object.keys(state.surplus).filter((one) => state.surplus[one])) {
    const db = openFile(join(root, location));
    await db.read();
    db.data.exchanges = withoutSurplus(db.data.exchanges, state.counts[location] ?? {}, options.rules);
    await db.write();
  }
  forgetState(folder);
  return count;
}

/** Merges one segment, file by file. @param state gets its counts */
async function mergeSegment(
  root: string,
  { counts, surplus }: RunState,
  { mode, frames }: Segment,
  { rules, signal }: MergeOptions,
): Promise<void> {
  let trouble: unknown;
  for (const batch of byPlace(frames).values()) {
    signal?.throwIfAborted();
    const { request: place } = batch[0] as PlainExchange;
    const location = locationOf(place.method, place.path);
    try {
      const db = openFile(join(root, location), place);
      await db.read();
      const before = db.data.exchanges;
      const merged = merge(before, batch.map(toStoredExchange), mode, counts[location] ?? {}, rules);
      db.data.exchanges = merged.exchanges;
      if (merged.exchanges !== before) await db.write();
      counts[location] = merged.counts;
      surplus[location] = merged.hasSurplus;
    } catch (error) {
      trouble ??= error;
    }
    await setImmediate();
  }
  if (trouble !== undefined) throw trouble;
}

/** Merges what a run that has ended left. @returns whether it left exchanges */
export async function mergeLeft(root: string, rules: MatchRules): Promise<boolean> {
  const folder = join(root, HIDDEN);
  const numbers = segmentNumbers(folder);
  // A number up to that of the last merged segment would say that the files have it.
  const last = Math.max(readState(folder).merged, ...numbers.filter(Number.isFinite));
  if (numbers.includes(Number.POSITIVE_INFINITY)) {
    // A journal that is broken keeps its name.
    readSegment(folder, Number.POSITIVE_INFINITY);
    renameSync(segmentFile(folder, Number.POSITIVE_INFINITY), segmentFile(folder, last + 1));
  }
  const count = await mergeSegments(root, { rules, ends: false });
  forgetState(folder);
  return count > 0;
}

function forgetState(folder: string): void {
  for (const name of [STATE, `.${STATE}.tmp`]) rmSync(join(folder, name), { force: true });
}

/** What a run has recorded and no file has. */
export interface WaitingRun {
  mode: MergeMode;
  /** Of what the files have, by file. */
  counts: Record<string, Counts>;
  /** By method and path. */
  frames: Map<string, PlainExchange[]>;
}

/** What a reader finds in the journal. @throws PatchgateError `cannot-read`, `bad-recording` */
export function readWaiting(root: string): WaitingRun {
  const folder = join(root, HIDDEN);
  const look = () => ({ numbers: segmentNumbers(folder), state: readState(folder) });
  for (let attempt = 0; ; attempt++) {
    const { numbers, state } = look();
    const segments = numbers.map((number) => ({ number, ...readSegment(folder, number) }));
    const now = look();
    // Who records has merged meanwhile.
    const isSame = String(now.numbers) === String(numbers) && now.state.merged === state.merged;
    if (!isSame && attempt < 20) continue;
    const { run, mode = 'append' } = segments.find((segment) => segment.run) ?? {};
    const { merged, counts } = run === state.run ? state : newState('');
    const left = segments.flatMap(({ number, frames = [] }) => (number > merged ? frames : []));
    return { mode, counts, frames: byPlace(left) };
  }
}

/** Of the build alone: sources and tests merge in their own thread. */
const WORKER = fileURLToPath(new URL('./merge-worker.js', import.meta.url));

/** At the end nobody waits: so few bytes are merged before a thread would have started. */
const WORTH_A_THREAD = 1024 * 1024;

/** The same as `mergeSegments`, in a thread, so that requests do not wait. */
export async function mergeBeside(root: string, options: MergeOptions): Promise<void> {
  const { rules, ends, signal } = options;
  const folder = join(root, HIDDEN);
  const sizes = segmentNumbers(folder).map((number) => statSync(segmentFile(folder, number)).size);
  const isSmall = ends && sizes.reduce((sum, size) => sum + size, 0) < WORTH_A_THREAD;
  if (isSmall || !existsSync(WORKER)) return void (await mergeSegments(root, options));
  const { Worker } = await import('node:worker_threads');
  const worker = new Worker(WORKER, { workerData: { root, settings: rules.settings, ends }, execArgv: [] });
  signal?.addEventListener('abort', () => void worker.terminate(), { once: true });
  await new Promise<void>((resolve, reject) => {
    worker.once('error', (error) => reject(ofThread(error)));
    worker.once('exit', (code) =>
      code === 0 ? resolve() : reject(new Error('the thread that merges has ended')),
    );
  });
}

/** An error on its way out of a thread loses its class. */
function ofThread(error: Error): PatchgateError {
  const { name, code, message, hint, details } = error as PatchgateError;
  const isOurs = name === 'PatchgateError';
  return new PatchgateError(isOurs ? code : 'internal', message, {
    ...(hint && { hint }),
    ...(details && { details }),
  });
}
