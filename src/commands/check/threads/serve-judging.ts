import { PatchgateError } from '../../../errors.ts';
import type { Gate } from '../../../gate/gate.ts';
import type { Beforehand } from '../history/beforehand.ts';
import type { JudgedAs } from '../judging/body-targets.ts';
import { judgeAll } from '../judging/judge-all.ts';
import type { WorkerAnswer, WorkerTask } from './judge-in-parallel.ts';

/** What a worker judges by. */
export interface WorkerMeans {
  gate: Gate;
  as: JudgedAs;
  beforehand: Beforehand;
}

/** The thread that asks. */
export interface Asker {
  on(event: 'message', listener: (task: WorkerTask) => void): unknown;
  postMessage(answer: WorkerAnswer): void;
}

/** Requests between two messages that say how far it is. */
const STEP = 200;

/** Judges what it is asked to, one task after the other. @param prepare begins when the first task has come */
export function serveJudging(asker: Asker, prepare: () => Promise<WorkerMeans>, cwd: string): void {
  let means: Promise<WorkerMeans> | undefined;
  asker.on('message', async (task) => {
    try {
      means ??= prepare();
      const { gate, as, beforehand } = await means;
      const progress = telling(asker);
      const checked = await judgeAll(gate, task, as, beforehand, { cwd, stdin: NOTHING, progress });
      asker.postMessage({ checked });
    } catch (error) {
      if (!(error instanceof PatchgateError)) throw error;
      const { code, message, hint } = error;
      asker.postMessage({ error: { code, message, hint } });
    }
  });
}

function telling(asker: Asker) {
  let told = 0;
  return {
    tell({ judged }: { judged: number }) {
      if (judged - told < STEP) return;
      asker.postMessage({ judged: judged - told });
      told = judged;
    },
    clear: () => undefined,
  };
}

/** Standard input is the asking thread's. */
const NOTHING: AsyncIterable<Buffer> = (async function* () {})();
