import type { IncomingMessage } from 'node:http';
import { Pieces } from '../http/pieces.ts';

/** The whole body; `too-large` past the limit, with what was read put back; undefined where the client broke off. */
export type BytesRead = Buffer | 'too-large' | undefined;

/** The memory that a body may have, besides its limit. */
export interface Room {
  share: {
    /** Whether there is room for so many bytes more. */
    takes(bytes: number): boolean;
  };
  /** Called instead of what is called back otherwise, where there is none. */
  onFull(): void;
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
  room?: Room,
): () => void {
  if (Number(message.headers['content-length'] ?? 0) > limit) {
    done('too-large');
    return () => {};
  }
  const pieces = new Pieces();
  // Taking listeners off costs more than asking.
  let isDone = false;
  const finish = (bytes: BytesRead) => {
    if (isDone) return;
    isDone = true;
    done(bytes);
  };
  const onData = (chunk: Buffer) => {
    if (isDone) return;
    if (room && !room.share.takes(chunk.length)) {
      isDone = true;
      pieces.clear();
      room.onFull();
      return;
    }
    pieces.add(chunk);
    if (pieces.size <= limit) return;
    message.pause().off('data', onData);
    message.unshift(pieces.joined());
    pieces.clear();
    finish('too-large');
  };
  message.on('data', onData);
  message.on('end', () => finish(pieces.joined()));
  message.on('close', () => finish(undefined));
  return () => {
    isDone = true;
    pieces.clear();
  };
}
