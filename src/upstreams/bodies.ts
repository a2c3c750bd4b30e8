import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { PatchgateError } from '../errors.ts';
import { announcesBody } from '../http/http.ts';
import { Pieces } from '../http/pieces.ts';
import type { Answer, UpstreamRequest } from './upstream.ts';

export const NO_BODY: Buffer = Buffer.alloc(0);

/** The whole body; `too-large` past the limit, with what was read put back; undefined if the client broke off. */
export type BytesRead = Buffer | 'too-large' | undefined;

/**
 * Calls back with a body that came along with its head, as most do, and costs no listener; undefined if it is still to come.
 * A chunked one never counts as whole.
 */
export function bytesAtHand(
  message: IncomingMessage,
  most: number,
  done: (bytes: Buffer | undefined) => void,
): void {
  const length = Number(message.headers['content-length'] ?? 0);
  if (length === 0 || length > most) return void done(undefined);
  // Node hands the head over before it has looked at what stands behind.
  process.nextTick(() => {
    const isHere = message.readableLength === length;
    const bytes = isHere ? (message.read() as Buffer) : undefined;
    if (isHere) message.resume();
    done(bytes);
  });
}

/** Reads a request's body up to a limit, and calls back once. Past the limit the message is as it came, paused. */
export function readBytes(message: IncomingMessage, limit: number, done: (bytes: BytesRead) => void): void {
  if (Number(message.headers['content-length'] ?? 0) > limit) done('too-large');
  else bytesAtHand(message, limit, (bytes) => (bytes ? done(bytes) : readPieces(message, limit, done)));
}

function readPieces(message: IncomingMessage, limit: number, done: (bytes: BytesRead) => void): void {
  let pieces: Pieces | undefined = new Pieces();
  const finish = (bytes: BytesRead) => {
    if (!pieces) return;
    pieces = undefined;
    done(bytes);
  };
  const onData = (chunk: Buffer) => {
    pieces?.add(chunk);
    if (!pieces || pieces.size <= limit) return;
    message.pause().off('data', onData);
    message.unshift(pieces.joined());
    finish('too-large');
  };
  message.on('data', onData);
  message.on('end', () => finish(pieces?.joined()));
  message.on('close', () => finish(undefined));
  // What was paused because it was too large for another limit.
  message.resume();
}

/**
 * The body of a request: at once if it is in hand, or there is none.
 *
 * @throws PatchgateError `request-too-large`, or `malformed-request` if the client broke off
 */
export function bodyOfRequest(
  { body, headers, stream }: UpstreamRequest,
  limit = 64 * 1024 * 1024,
): Buffer | Promise<Buffer> {
  if (body || !announcesBody(headers)) return body ?? NO_BODY;
  return new Promise<BytesRead>((resolve) => readBytes(stream, limit, resolve)).then((bytes) => {
    if (Buffer.isBuffer(bytes)) return bytes;
    if (bytes === undefined) throw new PatchgateError('malformed-request', 'broken off');
    const message = `the request's body has more than ${limit} bytes`;
    const hint = 'only a request whose body fits into memory can be answered here';
    throw new PatchgateError('request-too-large', message, { hint });
  });
}

export interface CollectedBody {
  bytes: Buffer;
  /** There were more than may be kept: so many. `bytes` is then empty. */
  omitted?: number;
}

export function bounded(bytes: Buffer, limit: number): CollectedBody {
  return bytes.length > limit ? { bytes: NO_BODY, omitted: bytes.length } : { bytes };
}

/** Keeps the chunks of a body up to a limit; past it none, but it goes on counting. */
export class BodyCollector {
  #pieces = new Pieces();
  #size = 0;

  constructor(readonly limit: number) {}

  /** @returns whether all of it is kept by now */
  add(chunk: Buffer): boolean {
    this.#size += chunk.length;
    const isKept = this.#size <= this.limit;
    if (isKept) this.#pieces.add(chunk);
    else this.#pieces = new Pieces();
    return isKept;
  }

  body(): CollectedBody {
    if (this.#size > this.limit) return { bytes: NO_BODY, omitted: this.#size };
    return { bytes: this.#pieces.joined() };
  }
}

/**
 * The same body, which tells before its end what all of it was.
 *
 * @param limit bytes that are kept at most @param left called if nobody reads it to its end
 */
export function readAlong(
  body: Readable,
  limit: number,
  over: (body: CollectedBody) => unknown,
  left: () => unknown = () => body.destroy(),
): Readable {
  let isOver = false;
  async function* chunks() {
    const collected = new BodyCollector(limit);
    for await (const chunk of body.iterator({ destroyOnReturn: false })) {
      collected.add(chunk as Buffer);
      yield chunk;
    }
    isOver = true;
    await over(collected.body());
  }
  const along = Readable.from(chunks(), { objectMode: false, highWaterMark: 65_536 });
  // It may break before anybody listens.
  along.on('error', () => undefined);
  return along.once('close', () => isOver || left());
}

/** All of an answer's body; of one past the limit, the rest is not waited for. @param timeout milliseconds that it may take; 0: for ever */
export function wholeBody({ body }: Answer, limit: number, timeout: number) {
  return Buffer.isBuffer(body) ? bounded(body, limit) : collect(body, limit, timeout);
}

async function collect(body: Readable, limit: number, timeout: number): Promise<CollectedBody> {
  const collected = new BodyCollector(limit);
  const giveUp = () => body.destroy(new Error(`the answer took longer than ${timeout} ms`));
  const timer = timeout > 0 ? setTimeout(giveUp, timeout) : undefined;
  try {
    for await (const chunk of body) if (!collected.add(chunk as Buffer)) break;
    return collected.body();
  } finally {
    clearTimeout(timer);
  }
}
