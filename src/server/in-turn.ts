import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Handler } from './data-path.ts';

/** Requests of one connection that may wait; whoever sends more without reading an answer is hung up on. */
const WAITING_AT_MOST = 1000;

/**
 * Starts each request when those before it on its connection have been answered. A client may send many at once
 * (RFC 9112 9.3.2), and Node hands them all on: they would be acted on in any order, each with a connection to the
 * target, and Node does not tell those whose turn has not come that their client is gone. A body waits unread.
 */
export function inTurn(handler: Handler): Handler {
  const waiting = new WeakMap<Socket, number>();

  const wait = (req: IncomingMessage, res: ServerResponse) => {
    const { socket } = req;
    const before = waiting.get(socket) ?? 0;
    if (before === WAITING_AT_MOST) {
      socket.destroy();
      return;
    }
    waiting.set(socket, before + 1);
    // Node gives the response its connection when its turn has come, and is not done with that yet.
    res.once('socket', () => {
      waiting.set(socket, (waiting.get(socket) ?? 1) - 1);
      process.nextTick(() => {
        if (!socket.destroyed && socket.writable) handler(req, res);
      });
    });
  };

  return (req, res) => {
    if (res.socket === null) wait(req, res);
    else handler(req, res);
  };
}
