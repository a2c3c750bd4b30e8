import type { Verdict } from '../model/finding.ts';
import type { KeptBody, Seen } from './seen.ts';
import { type ShownExchange, showExchange, showExchangeHead } from './show-exchange.ts';

/** The exchanges seen last, whatever became of them. Held as they came, redacted whenever they are shown. */
export interface ExchangeList {
  /** Constant time; nothing is redacted here. */
  add(seen: Seen): void;
  /** Newest first. Each is redacted when the iterator gets to it; what is added meanwhile does not show up. */
  list(filter?: ExchangeFilter): Iterable<ShownExchange>;
  get(id: number): ShownExchange | undefined;
  /** The listener is called with each exchange added from now on, without bodies. The function returned ends that. */
  subscribe(listener: (shown: ShownExchange) => void): () => void;
  /** Forgets the exchanges; the listeners stay. */
  reset(): void;
}

export interface ExchangeFilter {
  /** At most so many. */
  limit?: number | undefined;
  /** Only the judged ones with this outcome. */
  outcome?: Verdict['outcome'] | undefined;
}

export const EXCHANGES_KEPT = 1000;
const BYTES_KEPT = 32 * 1_048_576;
/** What an exchange's objects take, beside its texts and bodies. */
const OVERHEAD = 1024;
const CHUNKS_KEPT = 16;

/** @param bytesKept what the exchanges held may take in all: bodies, headers, URLs and findings */
export function createExchangeList(bytesKept: number = BYTES_KEPT): ExchangeList {
  const ring: (Seen | undefined)[] = new Array(EXCHANGES_KEPT).fill(undefined);
  const listeners = new Set<(shown: ShownExchange) => void>();
  let next = 0;
  let count = 0;
  let bytes = 0;

  const at = (age: number) => (next - 1 - age + 2 * EXCHANGES_KEPT) % EXCHANGES_KEPT;
  const dropOldest = () => {
    const index = at(count - 1);
    bytes -= sizeOf(ring[index] as Seen);
    ring[index] = undefined;
    count--;
  };
  const newestFirst = () => Array.from({ length: count }, (_, age) => ring[at(age)] as Seen);

  return {
    add(seen) {
      if (count === EXCHANGES_KEPT) dropOldest();
      const held = withBodiesOfItsOwn(seen);
      ring[next] = held;
      next = (next + 1) % EXCHANGES_KEPT;
      count++;
      bytes += sizeOf(held);
      while (bytes > bytesKept) dropOldest();
      if (listeners.size > 0) {
        const shown = showExchangeHead(seen);
        for (const listener of listeners) listener(shown);
      }
    },
    *list({ limit = EXCHANGES_KEPT, outcome } = {}) {
      const wanted = newestFirst().filter(
        (seen) => outcome === undefined || seen.verdict?.outcome === outcome,
      );
      for (const seen of wanted.slice(0, limit)) yield showExchange(seen);
    },
    get(id) {
      const seen = newestFirst().find((candidate) => candidate.id === id);
      return seen && showExchange(seen);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    reset() {
      ring.fill(undefined);
      next = count = bytes = 0;
    },
  };
}

/** Bytes that an exchange holds, roughly: never less than its bodies. */
function sizeOf({ request, requestBody, response, verdict }: Seen): number {
  let size = OVERHEAD + request.url.length + lengthOf(request.headers) + lengthOf(requestBody.chunks);
  if (response !== undefined) size += lengthOf(response.headers) + lengthOf(response.body.chunks);
  if (verdict !== undefined) {
    for (const { pointer, message, hint } of verdict.findings)
      size += 200 + 2 * (pointer.length + message.length + (hint?.length ?? 0));
  }
  return size;
}

function lengthOf(parts: readonly { length: number }[]): number {
  let length = 0;
  for (const part of parts) length += part.length;
  return length;
}

/** What is shown and counted is what had gone by when the exchange was seen, though an upload may still be going on. */
function withBodiesOfItsOwn(seen: Seen): Seen {
  const { requestBody, response } = seen;
  return {
    ...seen,
    requestBody: ofItsOwn(requestBody),
    response: response && { ...response, body: ofItsOwn(response.body) },
  };
}

/**
 * A slice keeps the whole memory that it was cut from: the first 64 KiB of a large upload would hold all of it. And a
 * body that came byte by byte takes a hundred times its length.
 */
function ofItsOwn({ chunks, size, cut }: KeptBody): KeptBody {
  const asTheyAre = chunks.length <= CHUNKS_KEPT && !chunks.some(isSmallSlice);
  return { chunks: asTheyAre ? chunks.slice() : [Buffer.concat(chunks)], size, cut };
}

/** Node's own pool (8 KiB, shared by many) is no matter. */
function isSmallSlice(chunk: Buffer): boolean {
  const whole = chunk.buffer.byteLength;
  return whole > 16_384 && chunk.length < whole / 2;
}
