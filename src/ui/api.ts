import type { Approval } from '../model/approval.ts';
import type { ShownExchange } from '../server/show-exchange.ts';
import { setToken, token } from './token.ts';

const ROOT = '/__patchgate/';

/** What the control API answers where it cannot do what was asked: a problem (RFC 9457). */
export class ApiError extends Error {
  /** 0: there was no answer. */
  readonly status: number;
  readonly hint: string | undefined;

  constructor(status: number, message: string, hint?: string) {
    super(message);
    this.status = status;
    this.hint = hint;
  }
}

/** @param path behind `/__patchgate/`: `exchanges/12` */
export const get = <T>(path: string, signal?: AbortSignal) => ask<T>('GET', path, undefined, signal);
/** @param bearer another token than the page's */
export const post = <T>(path: string, body?: unknown, signal?: AbortSignal, bearer?: string) =>
  ask<T>('POST', path, body, signal, bearer);

async function ask<T>(
  method: string,
  path: string,
  body?: unknown,
  signal?: AbortSignal,
  bearer?: string,
): Promise<T> {
  const init = {
    method,
    ...(body !== undefined && {
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json' },
    }),
    ...(signal && { signal }),
  };
  const res = await send(path, init, bearer);
  return (await res.json()) as T;
}

/** @throws ApiError */
async function send(path: string, init: RequestInit, bearer = token()): Promise<Response> {
  const res = await fetch(ROOT + path, {
    ...init,
    headers: { ...init.headers, Authorization: `Bearer ${bearer}` },
  }).catch((error: Error) => {
    if (error.name === 'AbortError') throw error;
    throw new ApiError(0, 'Patchgate does not answer', 'it may have been stopped: start it again');
  });
  if (res.ok) return res;
  // Another one may have been given meanwhile.
  if (res.status === 401 && bearer === token()) setToken(null);
  const problem = (await res.json().catch(() => ({}))) as Partial<
    Record<'detail' | 'title' | 'hint', string>
  >;
  throw new ApiError(res.status, problem.detail ?? problem.title ?? `HTTP ${res.status}`, problem.hint);
}

/** What the stream of events tells, and whether it is there. */
export type LiveEvent =
  | { type: 'connected' }
  /** @param message why */
  | { type: 'disconnected'; message: string }
  | { type: 'exchange'; data: ShownExchange }
  | { type: 'approval'; data: Approval };

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 10_000;

/** Follows the server's events until the signal ends it, and connects anew where the connection is lost. What happened in between is
 *  not told again. An EventSource sends no bearer. */
export async function events(onEvent: (event: LiveEvent) => void, signal: AbortSignal): Promise<void> {
  let pause = FIRST_PAUSE;
  while (!signal.aborted) {
    let message = 'the connection ended';
    try {
      const { body } = await send('events', { signal });
      pause = FIRST_PAUSE;
      onEvent({ type: 'connected' });
      if (body) await readEvents(body, onEvent);
    } catch (error) {
      if (signal.aborted) return;
      message = error instanceof Error ? error.message : String(error);
      if (error instanceof ApiError && error.status === 401) return;
    }
    onEvent({ type: 'disconnected', message });
    await waitFor(pause, signal);
    pause = Math.min(2 * pause, LONGEST_PAUSE);
  }
}

/** Reads `event: NAME`, `data: JSON` and an empty line, again and again; other lines tell nothing. */
async function readEvents(
  body: ReadableStream<Uint8Array>,
  onEvent: (event: LiveEvent) => void,
): Promise<void> {
  const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const frames = (rest + value).split('\n\n');
    rest = frames.pop() ?? '';
    for (const frame of frames) {
      const type = /^event: (\w+)$/m.exec(frame)?.[1];
      const data = /^data: (.*)$/m.exec(frame)?.[1];
      if (data !== undefined && (type === 'exchange' || type === 'approval'))
        onEvent({ type, data: JSON.parse(data) });
    }
  }
}

function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
