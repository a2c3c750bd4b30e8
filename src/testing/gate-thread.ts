import { Worker } from 'node:worker_threads';
import { type ErrorCode, PatchgateError } from '../errors.ts';
import { noticeText } from '../reporters/wording.ts';
import type { GateCalls, Start } from './running-gate.ts';
import { misuse, withHint } from './with-hint.ts';

/** A message to the thread; each has one answer. */
export type Asking =
  | { id: number; gate: number; name: 'start'; args: [Start] }
  | { id: number; gate: number; name: keyof GateCalls; args: unknown[] };

export interface ErrorSent {
  code?: ErrorCode;
  message: string;
  hint?: string | undefined;
  details?: Readonly<Record<string, unknown>> | undefined;
}

/** What comes back: an answer, or a notice for people. */
export type Reply = { id: number; value: unknown } | { id: number; error: ErrorSent } | { notice: string };

let thread: Worker | undefined;
let lastId = 0;
const waiting = new Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>();

/** Numbers a gate of the thread. */
export function nextGate(): number {
  return ++lastId;
}

export function startInThread(gate: number, start: Start): Promise<string> {
  return ask({ id: nextGate(), gate, name: 'start', args: [start] }) as Promise<string>;
}

/** Calls a gate in its thread. */
export function callGate<Name extends keyof GateCalls>(
  gate: number,
  name: Name,
  ...args: Parameters<GateCalls[Name]>
): Promise<Awaited<ReturnType<GateCalls[Name]>>> {
  return ask({ id: nextGate(), gate, name, args }) as Promise<Awaited<ReturnType<GateCalls[Name]>>>;
}

/** The process ends although a gate is open, but not while an answer is waited for. */
async function ask(asking: Asking): Promise<unknown> {
  // The frames of the test: those of the answer's event say nothing.
  const { stack: asked = '' } = new Error();
  thread ??= startThread();
  const own = thread;
  try {
    return await new Promise((resolve, reject) => {
      own.postMessage(asking);
      waiting.set(asking.id, { resolve, reject });
      own.ref();
    });
  } catch (error) {
    if ((error as Error).name === 'DataCloneError')
      throw misuse(
        `what is given is no plain data: ${(error as Error).message}`,
        'rules belong into a config file',
      );
    if (error instanceof Error)
      error.stack = [`${error.name}: ${error.message}`, ...asked.split('\n').slice(1)].join('\n');
    throw error;
  } finally {
    waiting.delete(asking.id);
    if (waiting.size === 0) own.unref();
  }
}

function startThread(): Worker {
  // The flags of a test runner are not for it: one may load mocks.
  const worker = new Worker(new URL('./gate-worker.js', import.meta.url), { execArgv: [] });
  worker.on('message', (reply: Reply) => {
    if ('notice' in reply) process.stderr.write(noticeText(reply.notice));
    else if ('error' in reply) waiting.get(reply.id)?.reject(errorOf(reply.error));
    else waiting.get(reply.id)?.resolve(reply.value);
  });
  let cause: unknown;
  worker.once('error', (error) => {
    cause = error;
  });
  worker.once('exit', () => {
    thread = undefined;
    const ended = new PatchgateError('internal', 'the thread of the gates has ended', { cause });
    for (const { reject } of waiting.values()) reject(ended);
  });
  worker.unref();
  return worker;
}

function errorOf({ code, message, hint, details }: ErrorSent): unknown {
  if (code === undefined) return new Error(message);
  return withHint(
    new PatchgateError(code, message, { ...(hint !== undefined && { hint }), ...(details && { details }) }),
  );
}
