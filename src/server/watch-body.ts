import type { IncomingMessage, ServerResponse } from 'node:http';
import { PatchgateError } from '../errors.ts';

interface Watched {
  req: IncomingMessage;
  res: ServerResponse;
  /** The whole body must be there within the limit. Otherwise the client must not be silent for longer. */
  isReading?: boolean;
}

/** How often it is looked at within the limit. A client that falls silent has up to a look more than the limit. */
const LOOKS = 4;

/** Calls back once if the client is too slow with a body. Time in which it is not read, or its answer is on the way, is not the client's. */
export function watchBody(watched: Watched, limit: number, onLate: (error: PatchgateError) => void): void {
  // A body that came along with its head is there by then, and costs no timer.
  if (hasBody(watched.req)) process.nextTick(start, watched, limit, onLate);
}

function start(watched: Watched, limit: number, onLate: (error: PatchgateError) => void): void {
  const { req, res } = watched;
  if (req.complete || req.destroyed) return;
  let waited = 0;
  let bytesRead = req.socket.bytesRead;
  const timer = setInterval(() => {
    const before = bytesRead;
    bytesRead = req.socket.bytesRead;
    const isAnswering = res.headersSent && !res.writableFinished;
    const isSilent = bytesRead === before && req.readableFlowing === true && !isAnswering;
    waited = watched.isReading || isSilent ? waited + 1 : 0;
    // A request whose response is over is not told that its connection has closed.
    const isOver = req.complete || req.socket.destroyed;
    if (!isOver && waited < LOOKS) return;
    clearInterval(timer);
    if (isOver) return;
    const how = watched.isReading
      ? `did not send its request's body within ${limit} ms`
      : `fell silent for ${limit} ms before its request's body had ended`;
    onLate(new PatchgateError('client-timeout', `the client ${how}`, { hint: 'send it sooner' }));
  }, limit / LOOKS).unref();
  req.once('close', () => clearInterval(timer));
}

/** Whether a request announces a body (RFC 9112 6.3). */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
