import type { Gate } from '../../../gate/gate.ts';
import type { CheckedFile } from '../../../reporters/report.ts';
import type { Beforehand } from '../history/beforehand.ts';
import { STDIN } from '../inputs/find-inputs.ts';
import type { InputIo } from '../inputs/read-input.ts';
import type { ProgressIo } from '../report/progress.ts';
import type { JudgeWorker } from '../threads/judge-in-parallel.ts';
import type { JudgedAs } from './body-targets.ts';
import { judgeAll } from './judge-all.ts';

export interface JudgeIo extends InputIo, ProgressIo {
  /** Gives what starts a thread that judges as this one would; absent: there is none. */
  workers?: () => Promise<() => JudgeWorker>;
}

/** Judges files, side by side where that pays. @throws PatchgateError as `judgeAll` */
export async function judgeFiles(
  gate: Gate,
  files: readonly string[],
  as: JudgedAs,
  beforehand: Beforehand,
  io: JudgeIo,
): Promise<CheckedFile[]> {
  // Standard input is this thread's.
  if (io.workers && files.length > 1 && !files.includes(STDIN)) {
    const { parallelUnits } = await import('../threads/units.ts');
    const units = parallelUnits(files, io.cwd);
    if (units) {
      const { judgeInParallel } = await import('../threads/judge-in-parallel.ts');
      return judgeInParallel(files, units, await io.workers(), io);
    }
  }
  return judgeAll(gate, files, as, beforehand, io);
}
