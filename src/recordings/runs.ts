import { appendFile, mkdir, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Exchange } from '../model/exchange.ts';
import { HIDDEN, hideFromGit } from './store/hidden-folder.ts';

/** A run that replayed a recording, and what it served of it. */
export interface Run {
  /** ISO 8601, UTC. */
  startedAt: string;
  endedAt: string;
  served: ServedPath[];
  /** It may have ended before it asked for all. */
  failed?: true;
  /** More was served than a run keeps track of: what is not listed may have been served. */
  isCut?: true;
}

/** Of one file of the recording. */
export interface ServedPath {
  method: string;
  path: string;
  /** Places of exchanges in the file's order, from 0; ascending. */
  indexes: number[];
}

/** In the hidden folder: a run is one line that is appended, so that runs that end at once lose nothing of one another. */
const RUNS = 'runs.ndjson';
/** The runs before those, when they became many; what was here before is forgotten. */
const FORMER_RUNS = 'runs.1.ndjson';
const MOST_BYTES = 4 * 1024 * 1024;

/** Adds a run. Where that cannot be done, because the folder may only be read, nothing is said. @param root the recording's folder */
export async function leaveRun(root: string, run: Run): Promise<void> {
  try {
    const folder = join(root, HIDDEN);
    // A recording that is not there is not begun by this: what follows fails then.
    await mkdir(folder).catch(() => undefined);
    hideFromGit(folder);
    const file = join(folder, RUNS);
    const { size } = await stat(file).catch(() => ({ size: 0 }));
    if (size > MOST_BYTES) await rename(file, join(folder, FORMER_RUNS));
    await appendFile(file, `${JSON.stringify(run)}\n`);
  } catch {
    // It is only a hint.
  }
}

/** What the runs of a recording say together. */
export interface Runs {
  /** The last one did. */
  hasFailed: boolean;
  /** Some served more than they kept track of. */
  isCut: boolean;
  /** Whether no run has asked for an exchange, given its place in its file. */
  isUnused(exchange: Exchange, index: number): boolean;
}

/**
 * @param root the recording's folder
 * @param changedAt when the recording was changed last, in milliseconds since the epoch: runs that had ended by then do not count
 * @returns undefined where there is none that counts
 */
export async function readRuns(root: string, changedAt: number): Promise<Runs | undefined> {
  const texts = [FORMER_RUNS, RUNS].map((name) => readFile(join(root, HIDDEN, name), 'utf8').catch(() => ''));
  const runs = (await Promise.all(texts))
    .flatMap((text) => text.split('\n'))
    .flatMap(readRun)
    .filter(({ endedAt }) => Date.parse(endedAt) >= Math.floor(changedAt));
  const last = runs.at(-1);
  if (last === undefined) return undefined;
  // What was recorded since was asked for by the run that recorded it.
  const since = Math.min(...runs.map(({ startedAt }) => Date.parse(startedAt)));
  const served = new Map<string, Set<number>>();
  for (const { method, path, indexes } of runs.flatMap((run) => run.served)) {
    const name = `${method} ${path}`;
    const known = served.get(name) ?? new Set();
    for (const index of indexes) known.add(index);
    served.set(name, known);
  }
  return {
    hasFailed: last.failed ?? false,
    isCut: runs.some(({ isCut }) => isCut),
    isUnused: ({ request, meta }, index) =>
      !served.get(`${request.method} ${request.path}`)?.has(index) && !(Date.parse(meta.recordedAt) >= since),
  };
}

/** Nothing where the line was not written whole. */
function readRun(line: string): Run[] {
  try {
    const run = JSON.parse(line) as Partial<Run> | null;
    return Array.isArray(run?.served) ? [run as Run] : [];
  } catch {
    return [];
  }
}
