import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { PatchgateError } from '../errors.ts';
import { isObject } from '../json/json.ts';
import { HIDDEN, readFileIfThere, writeFileAtomically } from './disk.ts';
import { openFile } from './files.ts';
import {
  type MergeMode,
  readSegment,
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

/** How far the run of mode `all` is whose answers the files have. It is on disk before a segment goes, also for who starts after a crash. */
interface RunState {
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
  if (!bytes) return { run: '', merged: 0, counts: {}, surplus: {} };
  try {
    const state = JSON.parse(bytes.toString()) as RunState;
    if (isObject(state.counts) && Number.isInteger(state.merged)) return state;
  } catch {
    // Told below.
  }
  throw new PatchgateError('bad-recording', `${file}:1:1: these are no counts of a run`, {
    hint: 'delete it: what waits in the journal may then take the places of what the same run recorded before',
    details: { file, line: 1, column: 1 },
  });
}

interface MergeOptions {
  rules: MatchRules;
  /** The run is over: the surplus of earlier ones goes. */
  ends: boolean;
  /** Ends it early: the segments that are left stay. */
  signal?: AbortSignal;
}

/**
 * Merges all segments of a recording into its files, and removes them. Interrupted at any moment, doing it again gives the same.
 *
 * @param root the recording's folder
 * @throws PatchgateError of the first file that could not be merged: all others are, and the segment stays with those behind it
 */
export async function mergeSegments(root: string, options: MergeOptions): Promise<void> {
  const folder = join(root, HIDDEN);
  let state = readState(folder);
  for (const number of segmentNumbers(folder).filter(Number.isFinite)) {
    const segment = readSegment(folder, number);
    if (segment && segment.head.run !== state.run)
      state = { run: segment.head.run, merged: 0, counts: {}, surplus: {} };
    if (segment && number > state.merged) {
      await mergeSegment(root, state, segment, options);
      state.merged = number;
      if (segment.head.mode === 'all') await writeFileAtomically(join(folder, STATE), JSON.stringify(state));
    }
    removeSegment(folder, number);
  }
  if (!options.ends) return;
  for (const [location, hasSurplus] of Object.entries(state.surplus)) {
    if (!hasSurplus) continue;
    const db = openFile(join(root, location));
    await db.read();
    db.data.exchanges = withoutSurplus(
      db.data.exchanges,
      state.counts[location] ?? {},
      keysBy(options.rules),
    );
    await db.write();
  }
  forgetState(folder);
}

/** Merges one segment, file by file. @param state is brought up to it */
async function mergeSegment(
  root: string,
  state: RunState,
  { head: { mode }, frames }: Segment,
  { rules, signal }: MergeOptions,
): Promise<void> {
  const keyOf = keysBy(rules);
  let trouble: unknown;
  for (const [location, batch] of byLocation(frames)) {
    signal?.throwIfAborted();
    try {
      const db = openFile(join(root, location), batch[0]?.request);
      await db.read();
      const before = db.data.exchanges;
      const own = state.counts[location] ?? {};
      const merged = merge(before, batch.map(toStoredExchange), mode, own, keyOf);
      db.data.exchanges = merged.exchanges;
      if (merged.exchanges !== before) await db.write();
      if (mode === 'all') {
        state.counts[location] = merged.counts;
        state.surplus[location] = merged.hasSurplus;
      }
    } catch (error) {
      trouble ??= error;
    }
    await yieldToEventLoop();
  }
  if (trouble !== undefined) throw trouble;
}

/** Merges the journal of a run that has ended. @returns whether it left exchanges */
export async function mergeLeft(root: string, rules: MatchRules): Promise<boolean> {
  const folder = join(root, HIDDEN);
  const numbers = segmentNumbers(folder);
  // A journal that is broken keeps its name.
  const isLeft = numbers.some((number) => readSegment(folder, number)?.frames.length);
  // A number up to that of the last merged segment would say that the files have it.
  const last = Math.max(readState(folder).merged, ...numbers.filter(Number.isFinite));
  if (numbers.includes(Number.POSITIVE_INFINITY))
    renameSync(segmentFile(folder, Number.POSITIVE_INFINITY), segmentFile(folder, last + 1));
  await mergeSegments(root, { rules, ends: false });
  forgetState(folder);
  return isLeft;
}

function forgetState(folder: string): void {
  for (const name of [STATE, `.${STATE}.tmp`]) rmSync(join(folder, name), { force: true });
}

/** Exchanges of a run that no file has. */
export interface WaitingRun {
  mode: MergeMode;
  /** Of the exchanges in files. */
  counts: Record<string, Counts>;
  /** By file. */
  frames: Map<string, PlainExchange[]>;
}

/** Reads the journal, all of which is of one run. @throws PatchgateError `cannot-read`, `bad-recording` */
export function readWaiting(root: string): WaitingRun {
  const folder = join(root, HIDDEN);
  const look = () => ({ numbers: segmentNumbers(folder), state: readState(folder) });
  for (let attempt = 0; ; attempt++) {
    const { numbers, state } = look();
    const segments = numbers.flatMap((number) => readSegment(folder, number) ?? []);
    const now = look();
    // Who records has merged meanwhile.
    const isSame = String(now.numbers) === String(numbers) && now.state.merged === state.merged;
    if (!isSame && attempt < 20) continue;
    const [first] = segments;
    const isOfState = first?.head.run === state.run;
    const left = segments.filter(({ number }) => !isOfState || number > state.merged);
    return {
      mode: first?.head.mode ?? 'append',
      counts: isOfState ? state.counts : {},
      frames: byLocation(left.flatMap(({ frames }) => frames)),
    };
  }
}

/** The same for exchanges of one request, as the rules have it, in one session. */
export function keysBy(rules: MatchRules): KeyOf {
  return ({ request, meta }) =>
    Buffer.from(requestKey(request, rules), 'latin1').toString('base64url') + (meta.session ?? '');
}

function byLocation(frames: readonly PlainExchange[]): Map<string, PlainExchange[]> {
  const groups = new Map<string, PlainExchange[]>();
  for (const frame of frames) {
    const key = `${frame.request.method} ${frame.request.path}`;
    if (groups.get(key)?.push(frame) === undefined) groups.set(key, [frame]);
  }
  const located = Array.from(groups.values(), (group) => {
    const { method, path } = (group[0] as PlainExchange).request;
    return [locationOf(method, path), group] as const;
  });
  return new Map(located);
}

/** Of the build alone: sources and tests merge in their own thread. */
const WORKER = fileURLToPath(new URL('./merge-worker.js', import.meta.url));

/** The thread's input. */
export interface MergeWork {
  root: string;
  settings: MatchRules['settings'];
  ends: boolean;
}

/** The parts of an error, which does not survive the way back. */
export type MergeTrouble = ConstructorParameters<typeof PatchgateError>;

/** The same as `mergeSegments`, in a thread, so that requests do not wait. */
export async function mergeBeside(root: string, options: MergeOptions): Promise<void> {
  const { rules, ends, signal } = options;
  if (!existsSync(WORKER)) return mergeSegments(root, options);
  const work: MergeWork = { root, settings: rules.settings, ends };
  const worker = new Worker(WORKER, { workerData: work, execArgv: [] });
  signal?.addEventListener('abort', () => void worker.terminate(), { once: true });
  const trouble = await new Promise<MergeTrouble | undefined>((resolve, reject) => {
    worker.once('message', resolve).once('error', reject);
    worker.once('exit', () => reject(new Error('the thread that merges has ended')));
  });
  if (trouble) throw new PatchgateError(...trouble);
}
