/** Work that a thread does, so that requests do not wait. The thread runs this file, too. */
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import pLimit from 'p-limit';
import { PatchgateError } from '../errors.ts';
import { HIDDEN } from './disk.ts';
import { segmentFiles } from './journal.ts';
import { type MatchRules, matchRules } from './match.ts';
import { type MergeOptions, mergeSegments } from './merge.ts';
import { type PlainExchange, plainExchangeOf, type SeenExchange } from './plain-exchange.ts';
import { hidingTexts, redactionOf } from './redact/redaction.ts';

/** Of the build alone: sources and tests have no thread. */
const WORKER = fileURLToPath(new URL('./recording-worker.js', import.meta.url));
const OURS = 'recordings';

/** What a thread can be asked for, as far as it can be sent there. */
interface Task {
  settings: MatchRules['settings'];
  merge?: Omit<MergeOptions, 'rules' | 'signal'> & { root: string; isUrgent: boolean };
  redact?: SeenExchange;
}

const startThread = () => new Worker(WORKER, { execArgv: [], workerData: OURS }).on('error', () => undefined);

/** One task at a time. @throws what the task does, which ends the thread; AbortError */
async function ask<T>(thread: Worker, task: Task, signal?: AbortSignal): Promise<T> {
  // An idle thread keeps no process running.
  thread.ref();
  try {
    thread.postMessage(task);
    const [answer] = await once(thread, 'message', { signal });
    return answer as T;
  } catch (error) {
    await thread.terminate();
    // It loses its class on its way out of a thread.
    if ((error as Error).name === 'PatchgateError') Object.setPrototypeOf(error, PatchgateError.prototype);
    throw error;
  } finally {
    thread.unref();
  }
}

if (workerData === OURS) parentPort?.on('message', async (task) => parentPort?.postMessage(await done(task)));

async function done({ settings, merge, redact }: Task): Promise<unknown> {
  const rules = matchRules(settings, hidingTexts(redactionOf(settings), settings.texts));
  if (redact) return plainExchangeOf(withBuffers(redact), rules);
  const { root, isUrgent, ...how } = merge as NonNullable<Task['merge']>;
  // Where there is one core, requests come first. On Linux this is of the thread alone, elsewhere of the process.
  if (process.platform === 'linux' && !isUrgent) setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  return mergeSegments(root, { ...how, rules });
}

/** Past so many segments, merging is as urgent as answering. */
const MANY = 2;
/** At the end nobody waits: so few bytes are merged before a thread would have started. */
const WORTH_A_THREAD = 1024 * 1024;

export async function mergeBeside(root: string, options: MergeOptions): Promise<void> {
  const { rules, signal, ...how } = options;
  const sizes = segmentFiles(join(root, HIDDEN), how.below).map((file) => statSync(file).size);
  const isSmall = sizes.reduce((sum, size) => sum + size, 0) < WORTH_A_THREAD;
  const isUrgent = how.run === 'ends' || sizes.length > MANY;
  if ((isSmall && how.run === 'ends') || !existsSync(WORKER))
    return void (await mergeSegments(root, options));
  const thread = startThread();
  await ask(thread, { settings: rules.settings, merge: { root, isUrgent, ...how } }, signal);
  await thread.terminate();
}

const oneByOne = pLimit(1);
/** One for the process, from the first large exchange on. */
let redacting: Worker | undefined;

export async function plainExchangeBeside(seen: SeenExchange, rules: MatchRules): Promise<PlainExchange> {
  if (!existsSync(WORKER)) return plainExchangeOf(seen, rules);
  return oneByOne(async () => {
    redacting ??= startThread();
    try {
      return withBuffers(await ask<PlainExchange>(redacting, { settings: rules.settings, redact: seen }));
    } catch (error) {
      redacting = undefined;
      throw error;
    }
  });
}

/** An exchange that came from another thread: bytes lose their class on the way. */
function withBuffers<T extends PlainExchange | SeenExchange>(exchange: T): T {
  for (const message of [exchange.request, exchange.response])
    if (message.body instanceof Uint8Array) {
      const { buffer, byteOffset, byteLength } = message.body;
      message.body = Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
    }
  return exchange;
}
