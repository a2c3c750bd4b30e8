import type { IncomingMessage } from 'node:http';
import { Pieces } from '../http/pieces.ts';

/** The whole body; `too-large` past the limit, with what was read put back; undefined where the client broke off. */
export type BytesRead = Buffer | 'too-large' | undefined;

/**
 * Calls back with a body that came along with its head, as most do, and costs no listener; undefined where it is still to come.
 * A chunked one never counts as whole.
 *
 * @param most bytes
 */
export function bytesAtHand(
  message: IncomingMessage,
  most: number,
  done: (bytes: Buffer | undefined) => void,
): void {
  const length = Number(message.headers['content-length'] ?? 0);
  if (length === 0 || length > most) done(undefined);
  // Node hands the head over before it has looked at what stands behind.
  else process.nextTick(takeAtHand, message, length, done);
}

function takeAtHand(
  message: IncomingMessage,
  length: number,
  done: (bytes: Buffer | undefined) => void,
): void {
  if (message.readableLength !== length) {
    done(undefined);
    return;
  }
  const bytes = message.read() as Buffer;
  message.resume();
  done(bytes);
}

/**
 * Reads a message's body up to a limit. Calls back once. Past the limit it stops: the message is as it came, paused,
 * and can still be streamed.
 *
 * @param limit bytes
 * @returns forgets what was read, and does not call back any more
 */
export function readBytes(
  message: IncomingMessage,
  limit: number,
  done: (bytes: BytesRead) => void,
): () => void {
  let pieces: Pieces | undefined = new Pieces();
  // Taking listeners off costs more than asking.
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
  if (Number(message.headers['content-length'] ?? 0) > limit) finish('too-large');
  else
    bytesAtHand(message, limit, (bytes) => {
      if (bytes) finish(bytes);
      if (!pieces) return;
      message.on('data', onData);
      message.on('end', () => finish(pieces?.joined()));
      message.on('close', () => finish(undefined));
      // What was paused because it was too large for another limit.
      message.resume();
    });
  return () => {
    pieces = undefined;
  };
}
