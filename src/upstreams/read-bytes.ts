import type { IncomingMessage } from 'node:http';
import { Pieces } from '../model/pieces.ts';

/** The whole body; `too-large` past the limit, with what was read put back; undefined where the client broke off. */
export type BytesRead = Buffer | 'too-large' | undefined;

/**
 * Reads a message's body up to a limit. Calls back once. Past the limit it stops: the message is as it came, paused,
 * and can still be streamed.
 *
 * @param limit bytes
 */
export function readBytes(message: IncomingMessage, limit: number, done: (bytes: BytesRead) => void): void {
  if (Number(message.headers['content-length'] ?? 0) > limit) {
    done('too-large');
    return;
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
    pieces.add(chunk);
    if (pieces.size <= limit) return;
    message.pause().off('data', onData);
    message.unshift(pieces.joined());
    finish('too-large');
  };
  message.on('data', onData);
  message.on('end', () => finish(pieces.joined()));
  message.on('close', () => finish(undefined));
}
