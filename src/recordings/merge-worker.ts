/** The thread in which a recording is merged while its process goes on answering. */
import { parentPort, workerData } from 'node:worker_threads';
import { messageOf, PatchgateError } from '../errors.ts';
import { matchRules } from './match-rules.ts';
import { type MergeTrouble, type MergeWork, mergeSegments } from './merge-files.ts';

const { root, settings, ends } = workerData as MergeWork;

mergeSegments(root, { rules: matchRules(settings), ends }).then(
  () => parentPort?.postMessage(undefined),
  (error: unknown) => {
    const { code, hint, details } =
      error instanceof PatchgateError ? error : new PatchgateError('internal', '');
    const trouble: MergeTrouble = [
      code,
      messageOf(error),
      { ...(hint && { hint }), ...(details && { details }) },
    ];
    parentPort?.postMessage(trouble);
  },
);
