/** The thread of the gates, as a test sees it. */
import { Worker } from 'node:worker_threads';
import { type ErrorCode, PatchgateError } from '../errors.ts';
import { noticeText } from '../reporters/wording.ts';
import { misuse, withHint } from './misuse.ts';

/** A call of a gate by its number; each has one answer. */
export interface Call {
  id: number;
  gate: number;
  name: string;
  args: unknown[];
}

/** An answer, or a notice for people. */
export type Reply = { id: number; value?: unknown; error?: ErrorSent } | { notice: string };

export interface ErrorSent {
  code?: ErrorCode;
  message: string;
  hint?: string | undefined;
  details?: Readonly<Record<string, unknown>> | undefined;
}

let thread: Worker | undefined;
let lastId = 0;
const waiting = new Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>();

export function nextId(): number {
  return ++lastId;
}

/** Calls a gate. The process ends although a gate is open, but not while an answer is waited for. */
export async function ask(gate: number, name: string, ...args: unknown[]): Promise<unknown> {
  // The frames of the test: those of the answer's event say nothing.
  const { stack: asked = '' } = new Error();
  thread ??= startThread();
  const own = thread;
  const id = nextId();
  try {
    return await new Promise((resolve, reject) => {
      own.postMessage({ id, gate, name, args } satisfies Call);
      waiting.set(id, { resolve, reject });
      own.ref();
    });
  } catch (error) {
    if ((error as Error).name === 'DataCloneError')
      throw misuse(
        `it takes plain data alone: ${(error as Error).message}`,
        'rules belong into a config file',
      );
    if (error instanceof Error)
      error.stack = [`${error.name}: ${error.message}`, ...asked.split('\n').slice(1)].join('\n');
    throw error;
  } finally {
    waiting.delete(id);
    if (waiting.size === 0) own.unref();
  }
}

function startThread(): Worker {
  // The flags of a test runner are not for it: one may load mocks.
  const worker = new Worker(new URL('./gate-worker.js', import.meta.url), { execArgv: [] });
  worker.on('message', (reply: Reply) => {
    if ('notice' in reply) process.stderr.write(noticeText(reply.notice));
    else if (reply.error) waiting.get(reply.id)?.reject(errorOf(reply.error));
    else waiting.get(reply.id)?.resolve(reply.value);
  });
  worker.once('error', (cause) => {
    thread = undefined;
    const ended = new PatchgateError('internal', 'the thread of the gates has ended', { cause });
    for (const { reject } of waiting.values()) reject(ended);
  });
  worker.unref();
  return worker;
}

function errorOf({ code, message, hint, details }: ErrorSent): unknown {
  if (code === undefined) return new Error(message);
  const more = { ...(hint !== undefined && { hint }), ...(details && { details }) };
  return withHint(new PatchgateError(code, message, more));
}
