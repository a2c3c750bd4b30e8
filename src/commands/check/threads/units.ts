import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { RECORDING_NAME } from '../inputs/input-kind.ts';
import { RecordingGroups } from './recording-groups.ts';

/** Files that are judged together: each by itself, or as a recording, whose files are one history. */
export interface Unit {
  /** Their numbers, in their order. */
  files: number[];
  /** Milliseconds that it takes, about. */
  cost: number;
}

/** Milliseconds, as measured: of a file, of a byte, and of a byte of an HTTP archive, most of which nobody asks for. */
const COST = { file: 0.15, byte: 1 / 8000, harByte: 1 / 130_000 };
/** Of files that are handed over at once: to hand over each of thousands takes as long as to judge it. */
const BATCH = 100;
/** Below that, further threads take nearly as long to be ready as they save. */
const WORTHWHILE = 3000;
/** What there must be beside the largest unit. */
const REST = 1000;

/**
 * The units that files are to be judged in side by side, the largest first; undefined where that does not pay.
 *
 * @param files as `findInputs` gives them, without standard input
 */
export function parallelUnits(files: readonly string[], cwd: string): Unit[] | undefined {
  const paths = files.map((file) => resolve(cwd, file));
  const costs = paths.map(costOf);
  const total = costs.reduce((sum, cost) => sum + cost, 0);
  if (total < WORTHWHILE) return undefined;
  const groups = new RecordingGroups();
  const recordings = new Map<string, Unit>();
  const units: Unit[] = [];
  let batch: Unit | undefined;
  for (const [number, path] of paths.entries()) {
    let unit: Unit | undefined;
    if (RECORDING_NAME.test(path)) {
      const root = groups.rootOf(path);
      unit = recordings.get(root) ?? newUnit(units);
      recordings.set(root, unit);
    } else {
      if (!batch || batch.cost >= BATCH) batch = newUnit(units);
      unit = batch;
    }
    unit.files.push(number);
    unit.cost += costs[number] as number;
  }
  units.sort((a, b) => b.cost - a.cost);
  return total - (units[0]?.cost ?? 0) < REST ? undefined : units;
}

function newUnit(units: Unit[]): Unit {
  const unit = { files: [], cost: 0 };
  units.push(unit);
  return unit;
}

function costOf(path: string): number {
  const size = sizeOf(path);
  return COST.file + size * (/\.har$/i.test(path) ? COST.harByte : COST.byte);
}

/** Nothing of what cannot be read: whoever reads it says so. */
function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}
