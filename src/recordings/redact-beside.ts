import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import pLimit from 'p-limit';
import {
  type PlainExchange,
  plainExchangeOf,
  type RecordRules,
  type SeenExchange,
} from './plain-exchange.ts';
import type { Redaction } from './redact/redaction.ts';

/** Of the build alone: sources and tests redact in their own thread. */
const WORKER = fileURLToPath(new URL('./redact-worker.js', import.meta.url));

export interface RedactWork extends Pick<RecordRules, 'headers'>, Pick<Redaction, 'settings' | 'texts'> {
  seen: SeenExchange;
}

const oneByOne = pLimit(1);
/** One for the process, from the first large exchange on. */
let thread: Worker | undefined;

/** The same as `plainExchangeOf`, in a thread, so that requests do not wait for a large body. */
export function plainExchangeBeside(seen: SeenExchange, rules: RecordRules): Promise<PlainExchange> {
  const redact = existsSync(WORKER) ? inThread : plainExchangeOf;
  return oneByOne(() => redact(seen, rules));
}

async function inThread(seen: SeenExchange, { headers, redaction }: RecordRules): Promise<PlainExchange> {
  thread ??= new Worker(WORKER, { execArgv: [] }).on('error', () => {
    thread = undefined;
  });
  // An idle thread keeps no process running.
  thread.ref();
  const running = thread;
  const { settings, texts } = redaction;
  running.postMessage({ seen, headers, settings, texts } satisfies RedactWork);
  const [exchange] = (await once(running, 'message')) as [PlainExchange];
  running.unref();
  for (const message of [exchange.request, exchange.response]) message.body = bufferOf(message.body);
  return exchange;
}

/** A buffer that came from another thread. */
export function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
}
