import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { PatchgateError } from '../errors.ts';
import { isObject } from '../json/json.ts';
import { HIDDEN, readFileIfThere, writeFileAtomically } from './disk.ts';
import { openFile } from './files.ts';
import {
  readSegment,
  readSegments,
  removeSegment,
  type Segment,
  segmentFile,
  segmentNumbers,
} from './journal.ts';
import { requestKey } from './match.ts';
import type { MatchRules } from './match-rules.ts';
import { type Counts, type KeyOf, merge, withoutSurplus } from './merge.ts';
import { locationOf } from './names.ts';
import { type PlainExchange, toStoredExchange } from './plain-exchange.ts';
import { yieldToEventLoop } from './yield-to-event-loop.ts';

/** How far the run of mode `all` is whose answers the files have. It is handed on as JSON text, which goes to the thread and back at no cost. */
interface MergeState {
  run: string;
  /** Number of the last segment that all files have. */
  merged: number;
  /** By file. */
  counts: Record<string, Counts>;
  /** Files with more for some request than the run has answered. */
  surplus: string[];
}

/** It says of a crashed run what its segments are merged with, until the next run begins. */
const COUNTS = 'counts';

const NO_RUN: MergeState = { run: '', merged: 0, counts: {}, surplus: [] };
/** The text of the state before the first merge of a run. */
export const NOTHING_MERGED = JSON.stringify(NO_RUN);

/** The text of what an earlier process has merged. @param folder `.patchgate` of a recording @throws PatchgateError `cannot-read` */
export function readState(folder: string): string {
  // It is written whole.
  return readFileIfThere(join(folder, COUNTS))?.toString() ?? NOTHING_MERGED;
}

/** @throws PatchgateError `bad-recording`: somebody has changed the text */
export function parseState(text: string, folder: string): MergeState {
  try {
    const state = JSON.parse(text) as MergeState;
    if (isObject(state.counts) && Number.isInteger(state.merged) && Array.isArray(state.surplus))
      return state;
  } catch {
    // The same as text that is JSON of something else.
  }
  const file = join(folder, COUNTS);
  throw new PatchgateError('bad-recording', `${file}:1:1: these are no counts of a run`, {
    hint: 'delete it: what waits in the journal may then take the places of what the same run recorded before',
    details: { file, line: 1, column: 1 },
  });
}

/** Its run is over. */
export function forgetState(folder: string): void {
  rmSync(join(folder, COUNTS), { force: true });
  // What a killed process has begun.
  rmSync(join(folder, `.${COUNTS}.tmp`), { force: true });
}

export interface MergeOptions {
  rules: MatchRules;
  /** The run is over: what earlier ones recorded beyond its own answers goes. */
  ends: boolean;
  /** Ends it early: the segments that are left stay. */
  signal?: AbortSignal;
}

/** The state to go on with, and why the rest could not be merged. */
export interface MergeResult {
  state: string;
  trouble?: Error;
}

/**
 * Merges all segments of a recording into its files, and removes them. Whenever this is interrupted, doing it again gives the same.
 * Where a file cannot be read or written, all others are merged, and the segment stays with those behind it. Never rejects.
 *
 * @param root the recording's folder
 */
export async function mergeSegments(
  root: string,
  before: string,
  options: MergeOptions,
): Promise<MergeResult> {
  const folder = join(root, HIDDEN);
  let text = before;
  try {
    let state = parseState(before, folder);
    for (const number of segmentNumbers(folder)) {
      if (number === Number.POSITIVE_INFINITY) break;
      const segment = readSegment(folder, number);
      if (segment && segment.head.run !== state.run) state = { ...NO_RUN, run: segment.head.run };
      if (segment && number > state.merged) {
        state = await mergeSegment(root, state, segment, options);
        text = JSON.stringify(state);
      }
      // Also when only this has failed before: a crash later finds the places of further answers by it.
      if (segment?.head.mode === 'all') await writeFileAtomically(join(folder, COUNTS), text);
      removeSegment(folder, number);
    }
    if (!options.ends) return { state: text };
    for (const location of state.surplus) await dropSurplus(root, location, state, options);
    forgetState(folder);
    return { state: NOTHING_MERGED };
  } catch (error) {
    return { state: text, trouble: error as Error };
  }
}

/** @throws PatchgateError of the first file that could not be merged */
async function mergeSegment(
  root: string,
  before: MergeState,
  { head: { mode }, number, frames }: Segment,
  { rules, signal }: MergeOptions,
): Promise<MergeState> {
  const counts = { ...before.counts };
  const surplus = new Set(before.surplus);
  const keyOf = keysBy(rules);
  let trouble: unknown;
  for (const [location, batch] of byLocation(frames)) {
    signal?.throwIfAborted();
    try {
      const db = openFile(join(root, location), batch[0]?.request);
      await db.read();
      const merged = merge(
        db.data.exchanges,
        batch.map(toStoredExchange),
        mode,
        counts[location] ?? {},
        keyOf,
      );
      if (merged.exchanges !== db.data.exchanges) {
        db.data.exchanges = merged.exchanges;
        await db.write();
      }
      if (mode === 'all') {
        counts[location] = merged.counts;
        if (merged.hasSurplus) surplus.add(location);
        else surplus.delete(location);
      }
    } catch (error) {
      trouble ??= error;
    }
    await yieldToEventLoop();
  }
  if (trouble !== undefined) throw trouble;
  return { ...before, merged: number, counts, surplus: [...surplus] };
}

async function dropSurplus(
  root: string,
  location: string,
  { counts }: MergeState,
  { rules }: MergeOptions,
): Promise<void> {
  const db = openFile(join(root, location));
  await db.read();
  db.data.exchanges = withoutSurplus(db.data.exchanges, counts[location] ?? {}, keysBy(rules));
  await db.write();
}

/** The same for exchanges of one request, as the rules have it, in one session. */
export function keysBy(rules: MatchRules): KeyOf {
  return ({ request, meta }) =>
    Buffer.from(requestKey(request, rules), 'latin1').toString('base64url') + (meta.session ?? '');
}

function byLocation(frames: readonly PlainExchange[]): Map<string, PlainExchange[]> {
  const groups = new Map<string, PlainExchange[]>();
  for (const frame of frames) {
    const location = locationOf(frame.request.method, frame.request.path);
    const group = groups.get(location);
    if (group) group.push(frame);
    else groups.set(location, [frame]);
  }
  return groups;
}

/** Of the build alone: sources and tests merge in their own thread. */
const WORKER = fileURLToPath(new URL('./merge-worker.js', import.meta.url));
/** Less than this is merged before a thread would have started. */
const WORTH_A_THREAD = 262_144;

/** What is given to the thread. */
export interface MergeWork {
  root: string;
  state: string;
  settings: MatchRules['settings'];
  ends: boolean;
}

/** What comes back: of an error, what can be sent. */
export interface WorkDone {
  state: string;
  trouble?: Pick<PatchgateError, 'code' | 'message' | 'hint' | 'details'>;
}

/** The same as `mergeSegments`, in a thread where that is worth it, so that requests do not wait. */
export async function mergeBeside(root: string, state: string, options: MergeOptions): Promise<MergeResult> {
  const { rules, ends, signal } = options;
  // A function of the config stays in its thread.
  if (rules.normalize || !existsSync(WORKER) || isSmall(root, state))
    return mergeSegments(root, state, options);
  const work: MergeWork = { root, state, settings: rules.settings, ends };
  const worker = new Worker(WORKER, { workerData: work, execArgv: [] });
  signal?.addEventListener('abort', () => void worker.terminate(), { once: true });
  try {
    const done = await new Promise<WorkDone>((resolve, reject) => {
      worker.once('message', resolve).once('error', reject);
      worker.once('exit', () => reject(new Error('the thread that merges has ended')));
    });
    if (!done.trouble) return { state: done.state };
    const { code, message, hint, details } = done.trouble;
    const trouble = new PatchgateError(code, message, { ...(hint && { hint }), ...(details && { details }) });
    return { state: done.state, trouble };
  } catch (error) {
    return { state, trouble: error as Error };
  }
}

/** Of the state, the segments, and the files that they go into. */
function isSmall(root: string, state: string): boolean {
  const folder = join(root, HIDDEN);
  const names = segmentNumbers(folder).map((number) => segmentFile(folder, number));
  if (bytesOf(names) + state.length > WORTH_A_THREAD) return false;
  try {
    const frames = readSegments(folder).flatMap((segment) => segment.frames);
    return bytesOf([...byLocation(frames).keys()].map((location) => join(root, location))) < WORTH_A_THREAD;
  } catch {
    // Merging says what is wrong.
    return true;
  }
}

function bytesOf(files: readonly string[]): number {
  return files.reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0);
}
