import { useEffect, useRef, useState } from 'preact/hooks';
import type { Approval } from '../model/approval.ts';
import type { ShownExchange } from '../server/show-exchange.ts';
import { createStore } from './store.ts';
import { pageToken } from './tokens.ts';

/** A refusal of the control API (RFC 9457), or no answer at all: status 0. */
export class ApiError extends Error {
  readonly status: number;

  constructor(status: number, message: string, hint?: string) {
    super(hint === undefined ? message : `${message}: ${hint}`);
    this.status = status;
  }
}

/** The gate refused the last token of the page. */
export const isRefused = createStore(false);

/** @param path below `/__patchgate/`: `exchanges/12` @throws ApiError */
export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await send(path, { signal: signal ?? null })).json() as Promise<T>;
}

/** @param bearer another token than the page's @throws ApiError */
export async function post<T>(path: string, body: unknown, bearer?: string | null): Promise<T> {
  const res = await send(path, { method: 'POST', body: JSON.stringify(body) }, bearer);
  return res.json() as Promise<T>;
}

async function send(path: string, init: RequestInit, bearer?: string | null): Promise<Response> {
  const token = bearer ?? pageToken.read();
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const res = await fetch(`/__patchgate/${path}`, { ...init, headers }).catch((error: Error) => {
    if (error.name === 'AbortError') throw error;
    throw new ApiError(0, 'Patchgate does not answer', 'it may have stopped');
  });
  if (res.ok) return res;
  if (res.status === 401 && token === pageToken.read()) {
    isRefused.set(true);
    pageToken.set(null);
  }
  const problem = (await res.json().catch(() => ({}))) as { detail?: string; hint?: string };
  throw new ApiError(res.status, problem.detail ?? `HTTP ${res.status}`, problem.hint);
}

/** The value that is loaded for a key. The former one stays until the next one is there. */
export function useLoaded<T>(key: unknown, load: () => Promise<T>): { data?: T; error?: Error } {
  const [state, setState] = useState<{ data?: T; error?: Error }>({});
  const latest = useRef(key);
  latest.current = key;
  useEffect(() => {
    load().then(
      (data) => latest.current === key && setState({ data }),
      (error: Error) => latest.current === key && setState({ error }),
    );
  }, [key]);
  return state;
}

export const loadExchange = (id: string | number): Promise<ShownExchange> =>
  get(`exchanges/${encodeURIComponent(id)}`);

export type LiveEvent =
  | { type: 'connected' }
  /** @param message why */
  | { type: 'disconnected'; message: string }
  | { type: 'exchange'; data: ShownExchange }
  | { type: 'approval'; data: Approval };

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 10_000;

/** Follows the server's events until the signal ends it, and connects again after a loss. (`EventSource` sends no bearer.) */
export async function followEvents(onEvent: (event: LiveEvent) => void, signal: AbortSignal): Promise<void> {
  let pause = FIRST_PAUSE;
  while (!signal.aborted) {
    let message = 'the connection ended';
    try {
      const { body } = await send('events', { signal });
      pause = FIRST_PAUSE;
      onEvent({ type: 'connected' });
      if (body) await readEvents(body, onEvent);
    } catch (error) {
      if (signal.aborted || (error instanceof ApiError && error.status === 401)) return;
      message = (error as Error).message;
    }
    onEvent({ type: 'disconnected', message });
    await new Promise((resolve) => setTimeout(resolve, pause));
    pause = Math.min(2 * pause, LONGEST_PAUSE);
  }
}

/** Reads frames of `event: NAME`, `data: JSON` and an empty line; skips all others. */
async function readEvents(body: ReadableStream<Uint8Array>, onEvent: (event: LiveEvent) => void) {
  const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const frames = (rest + value).split('\n\n');
    rest = frames.pop() ?? '';
    for (const frame of frames) {
      const [, type, data = ''] = /^event: (exchange|approval)\n(?:.*\n)*?data: (.*)$/m.exec(frame) ?? [];
      if (type) onEvent({ type, data: JSON.parse(data) } as LiveEvent);
    }
  }
}
