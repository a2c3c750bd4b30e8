import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { type PlainExchange, plainExchangeOf, type SeenExchange } from './plain-exchange.ts';
import {
  type FoundSecret,
  type OnFound,
  type Redaction,
  type RedactionSettings,
  rememberGiven,
} from './redact/redaction.ts';

/** Of the build alone: sources and tests redact in their own thread. */
const WORKER = fileURLToPath(new URL('./redact-worker.js', import.meta.url));

export interface RedactWork {
  id: number;
  seen: SeenExchange;
  settings: RedactionSettings;
  texts: readonly string[];
  given: string[];
  keepHeaders: string[];
}

export interface RedactDone {
  id: number;
  exchange: PlainExchange;
  found: FoundSecret[];
}

interface Waiting {
  resolve(done: RedactDone): void;
  reject(error: Error): void;
}

/** One for the process, from the first large exchange on. */
let thread: Worker | undefined;
let last = 0;
const waiting = new Map<number, Waiting>();

/** The same as `plainExchangeOf`, in a thread, so that requests do not wait for a large body. One after the other. */
export async function plainExchangeBeside(
  { request, response, ...seen }: SeenExchange,
  redaction: Redaction,
  keepHeaders: ReadonlySet<string>,
  onFound?: OnFound,
): Promise<PlainExchange> {
  const { method, url, headers } = request;
  const { status, message, headers: answered } = response;
  // What cannot be sent to a thread stays behind.
  const sent = {
    request: { method, url, headers },
    response: { status, message, headers: answered },
    requestBody: seen.requestBody,
    responseBody: seen.responseBody,
    startedAt: seen.startedAt,
    endedAt: seen.endedAt,
    session: seen.session,
  };
  if (!existsSync(WORKER)) return plainExchangeOf(sent, redaction, keepHeaders, onFound);
  const { settings, texts, given } = redaction;
  const work = { id: ++last, seen: sent, settings, texts, given: [...given], keepHeaders: [...keepHeaders] };
  const { exchange, found } = await inThread(work);
  for (const one of found) {
    rememberGiven(redaction, one);
    onFound?.(one);
  }
  exchange.request.body = bufferOf(exchange.request.body);
  exchange.response.body = bufferOf(exchange.response.body);
  return exchange;
}

/** A buffer that came from another thread. */
export function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
}

function inThread(work: RedactWork): Promise<RedactDone> {
  thread ??= startThread();
  thread.ref();
  const running = thread;
  return new Promise((resolve, reject) => {
    waiting.set(work.id, { resolve, reject });
    running.postMessage(work);
  });
}

function startThread(): Worker {
  const started = new Worker(WORKER, { execArgv: [] });
  const fail = (error: Error) => {
    thread = undefined;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  return started
    .on('message', (done: RedactDone) => {
      waiting.get(done.id)?.resolve(done);
      waiting.delete(done.id);
      // An idle thread keeps no process running.
      if (waiting.size === 0) started.unref();
    })
    .on('error', fail)
    .on('exit', () => fail(new Error('the thread that redacts has ended')));
}
