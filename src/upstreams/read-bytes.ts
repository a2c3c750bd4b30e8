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
  const finish = (bytes: BytesRead) => {
    message.off('data', onData).off('end', onEnd).off('close', onClose);
    done(bytes);
  };
  const onData = (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    if (size <= limit) return;
    message.pause();
    message.unshift(Buffer.concat(chunks, size));
    finish('too-large');
  };
  const onEnd = () => finish(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size));
  const onClose = () => finish(undefined);
  message.on('data', onData).on('end', onEnd).on('close', onClose);
}
