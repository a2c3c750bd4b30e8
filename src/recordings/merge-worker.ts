/** The thread in which a recording is merged while its process goes on answering. */

import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { messageOf, PatchgateError } from '../errors.ts';
import { HIDDEN } from './disk.ts';
import { segmentNumbers } from './journal.ts';
import { matchRules } from './match-rules.ts';
import { type MergeTrouble, type MergeWork, mergeSegments } from './merge-files.ts';

/** Past so many segments, merging is as urgent as answering. */
const MANY = 2;

const { root, settings, ends } = workerData as MergeWork;

// Where there is one core, requests come first. On Linux this is of the thread alone, elsewhere of the process.
if (process.platform === 'linux' && !ends && segmentNumbers(join(root, HIDDEN)).length <= MANY)
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

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
