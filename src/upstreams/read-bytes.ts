import type { IncomingMessage } from 'node:http';

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
  const chunks: Buffer[] = [];
  let size = 0;
  // Taking listeners off costs more than asking.
  let isDone = false;
  const finish = (bytes: BytesRead) => {
    if (isDone) return;
    isDone = true;
    done(bytes);
  };
  const onData = (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    if (size <= limit) return;
    message.pause().off('data', onData);
    message.unshift(Buffer.concat(chunks, size));
    finish('too-large');
  };
  message.on('data', onData);
  message.on('end', () => finish(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size)));
  message.on('close', () => finish(undefined));
}
