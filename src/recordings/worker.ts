/** The thread in which recordings are merged and large exchanges redacted, while its process goes on answering. An error ends it. */
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { parentPort } from 'node:worker_threads';
import { bufferOf, type Task } from './beside.ts';
import { HIDDEN } from './disk.ts';
import { segmentNumbers } from './journal.ts';
import { matchRules } from './match.ts';
import { mergeSegments } from './merge-files.ts';
import { plainExchangeOf } from './plain-exchange.ts';
import { hidingTexts, redactionOf } from './redact/redaction.ts';

/** Past so many segments, merging is as urgent as answering. */
const MANY = 2;

parentPort?.on('message', async ({ settings, merge, redact }: Task) => {
  const rules = matchRules(settings, hidingTexts(redactionOf(settings), settings.texts));
  if (merge) {
    const { root, ...how } = merge;
    const isUrgent = how.run === 'ends' || segmentNumbers(join(root, HIDDEN), how.below).length > MANY;
    // Where there is one core, requests come first. On Linux this is of the thread alone, elsewhere of the process.
    if (process.platform === 'linux' && !isUrgent) setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
    parentPort?.postMessage(await mergeSegments(root, { ...how, rules }));
  }
  if (redact) {
    const { request, response } = redact;
    request.body = bufferOf(request.body);
    if (response.body instanceof Uint8Array) response.body = bufferOf(response.body);
    parentPort?.postMessage(plainExchangeOf(redact, rules));
  }
});
