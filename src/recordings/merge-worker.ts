/** The thread in which a recording is merged while its process goes on answering. */
import { parentPort, workerData } from 'node:worker_threads';
import { PatchgateError } from '../errors.ts';
import { matchRules } from './match-rules.ts';
import { type MergeWork, mergeSegments, type WorkDone } from './merge-segments.ts';

const { root, state, settings, ends } = workerData as MergeWork;

void mergeSegments(root, state, { rules: matchRules(settings), ends }).then(({ state, trouble }) => {
  const done: WorkDone = { state };
  if (trouble) {
    const { code, hint, details } =
      trouble instanceof PatchgateError ? trouble : new PatchgateError('internal', '');
    done.trouble = { code, message: trouble.message, hint, details };
  }
  parentPort?.postMessage(done);
});
