/** The thread in which a recording is merged while its process goes on answering. An error ends it. */

import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { workerData } from 'node:worker_threads';
import { HIDDEN } from './disk.ts';
import { segmentNumbers } from './journal.ts';
import { matchRules } from './match.ts';
import { mergeSegments } from './merge-files.ts';

/** Past so many segments, merging is as urgent as answering. */
const MANY = 2;

const { root, settings, ends } = workerData;

// Where there is one core, requests come first. On Linux this is of the thread alone, elsewhere of the process.
if (process.platform === 'linux' && !ends && segmentNumbers(join(root, HIDDEN)).length <= MANY)
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

await mergeSegments(root, { rules: matchRules(settings), ends });
