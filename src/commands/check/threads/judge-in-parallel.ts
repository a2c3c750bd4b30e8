import { availableParallelism } from 'node:os';
import { type ErrorCode, PatchgateError } from '../../../errors.ts';
import type { CheckedFile } from '../../../reporters/report.ts';
import { MOST_TO_SAY, shareRoom, sizeOfAll } from '../judging/subject-list.ts';
import type { ProgressIo } from '../report/progress.ts';
import type { Unit } from './units.ts';

/** What is asked of a worker: to judge files, by their names. */
export type WorkerTask = readonly string[];

/** What a worker says: that it has judged so many requests since it last said so, and last what became of the task. */
export type WorkerAnswer =
  | { judged: number }
  | { checked: CheckedFile[] }
  | { error: { code: ErrorCode; message: string; hint: string | undefined } };

/** A thread that judges one task after the other. */
export interface JudgeWorker {
  postMessage(task: WorkerTask): void;
  on(event: 'message', listener: (answer: WorkerAnswer) => void): unknown;
  /** It has failed, not what it judged. */
  on(event: 'error', listener: (error: unknown) => void): unknown;
  /** It is over, whoever ended it: what is asked of it from then on is never answered. */
  on(event: 'exit', listener: () => void): unknown;
  terminate(): unknown;
}

/** Each holds a gate of its own, and the files that it reads. */
const MOST = 4;

/**
 * Judges units side by side, and reports their files in the order given.
 *
 * @throws PatchgateError as `judgeAll`, for the first unit of which something cannot be judged
 */
export async function judgeInParallel(
  files: readonly string[],
  units: readonly Unit[],
  start: () => JudgeWorker,
  { progress }: ProgressIo,
): Promise<CheckedFile[]> {
  let checked: CheckedFile[] = [];
  let size = 0;
  const errors: { file: number; error: unknown }[] = [];
  const queue = [...units];
  const shown = { files: 0, of: files.length, judged: 0 };
  const work = async () => {
    const worker = start();
    const ask = asking(worker, (judged) => {
      shown.judged += judged;
      progress?.tell(shown);
    });
    try {
      for (let unit = queue.shift(); unit; unit = queue.shift()) {
        const numbers = unit.files;
        try {
          const done = await ask(numbers.map((number) => files[number] as string));
          for (const [index, number] of numbers.entries()) checked[number] = done[index] as CheckedFile;
          size += sizeOfAll(done);
          if (size > 2 * MOST_TO_SAY) {
            checked = shareRoom(checked);
            size = sizeOfAll(checked);
          }
        } catch (error) {
          errors.push({ file: numbers[0] as number, error });
        }
        shown.files += numbers.length;
      }
    } finally {
      await worker.terminate();
    }
  };
  const count = Math.min(units.length, MOST, Math.max(2, availableParallelism()));
  await Promise.all(Array.from({ length: count }, work));
  const [first] = errors.sort((a, b) => a.file - b.file);
  if (first) throw first.error;
  return shareRoom(checked);
}

function asking(worker: JudgeWorker, onJudged: (count: number) => void) {
  let settle: { resolve(files: CheckedFile[]): void; reject(error: unknown): void } | undefined;
  worker.on('message', (answer) => {
    if ('judged' in answer) onJudged(answer.judged);
    else if ('checked' in answer) settle?.resolve(answer.checked);
    else settle?.reject(errorOf(answer.error));
  });
  let failure: unknown;
  const fail = (error: unknown) => {
    failure ??= error;
    settle?.reject(failure);
  };
  worker.on('error', fail);
  worker.on('exit', () =>
    fail(new PatchgateError('internal', 'a thread of the check was ended from within')),
  );
  return (task: WorkerTask) =>
    new Promise<CheckedFile[]>((resolve, reject) => {
      settle = { resolve, reject };
      if (failure === undefined) worker.postMessage(task);
      else reject(failure);
    });
}

function errorOf({ code, message, hint }: { code: ErrorCode; message: string; hint: string | undefined }) {
  return new PatchgateError(code, message, hint === undefined ? {} : { hint });
}
