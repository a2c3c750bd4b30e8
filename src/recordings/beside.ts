/** Work that a thread does, so that requests do not wait. */
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import pLimit from 'p-limit';
import { PatchgateError } from '../errors.ts';
import { HIDDEN } from './disk.ts';
import { segmentFile, segmentNumbers } from './journal.ts';
import type { MatchRules } from './match.ts';
import { type MergeOptions, mergeSegments } from './merge-files.ts';
import { type PlainExchange, plainExchangeOf, type SeenExchange } from './plain-exchange.ts';

/** Of the build alone: sources and tests have no thread. */
const WORKER = fileURLToPath(new URL('./recording-worker.js', import.meta.url));

/** What a thread can be asked for, as far as it can be sent there. */
export interface Task {
  settings: MatchRules['settings'];
  merge?: Omit<MergeOptions, 'rules' | 'signal'> & { root: string };
  redact?: SeenExchange;
}

/** One task at a time. @throws what the task does, which ends the thread; AbortError */
async function ask<T>(thread: Worker, task: Task, signal?: AbortSignal): Promise<T> {
  // An idle thread keeps no process running.
  thread.ref();
  try {
    thread.postMessage(task);
    const [answer] = await once(thread, 'message', { signal });
    return answer as T;
  } catch (error) {
    // It loses its class on its way out of a thread.
    if ((error as Error).name === 'PatchgateError') Object.setPrototypeOf(error, PatchgateError.prototype);
    throw error;
  } finally {
    thread.unref();
  }
}

/** At the end nobody waits: so few bytes are merged before a thread would have started. */
const WORTH_A_THREAD = 1024 * 1024;

/** The same as `mergeSegments`. */
export async function mergeBeside(root: string, options: MergeOptions): Promise<void> {
  const { rules, signal, ...how } = options;
  const folder = join(root, HIDDEN);
  const sizes = segmentNumbers(folder).map((number) => statSync(segmentFile(folder, number)).size);
  const isSmall = how.run === 'ends' && sizes.reduce((sum, size) => sum + size, 0) < WORTH_A_THREAD;
  if (isSmall || !existsSync(WORKER)) return void (await mergeSegments(root, options));
  const thread = new Worker(WORKER, { execArgv: [] }).on('error', () => undefined);
  try {
    await ask(thread, { settings: rules.settings, merge: { root, ...how } }, signal);
  } finally {
    await thread.terminate();
  }
}

const oneByOne = pLimit(1);
/** One for the process, from the first large exchange on. */
let redacting: Worker | undefined;
/** Milliseconds that one exchange may take: others wait behind it, their answers too. */
const LONGEST_MS = 8000;

/** The same as `plainExchangeOf`. @throws PatchgateError `bad-input`, too, if it takes too long */
export async function plainExchangeBeside(seen: SeenExchange, rules: MatchRules): Promise<PlainExchange> {
  if (!existsSync(WORKER)) return plainExchangeOf(seen, rules);
  const exchange = await oneByOne(async () => {
    redacting ??= new Worker(WORKER, { execArgv: [] }).on('error', () => undefined);
    try {
      const task = { settings: rules.settings, redact: seen };
      return await ask<PlainExchange>(redacting, task, AbortSignal.timeout(LONGEST_MS));
    } catch (error) {
      void redacting.terminate();
      redacting = undefined;
      const isLate = (error as Error).name === 'AbortError';
      throw isLate
        ? new PatchgateError('bad-input', `its redaction took longer than ${LONGEST_MS} ms`)
        : error;
    }
  });
  for (const message of [exchange.request, exchange.response]) message.body = bufferOf(message.body);
  return exchange;
}

/** A buffer that came from another thread. */
export function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
}
