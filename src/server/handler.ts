import type { IncomingMessage, ServerResponse } from 'node:http';
import { ownFault, problemOfError, sendProblem } from './problem.ts';

/** A plain handler of requests: it can be a server's only listener, or middleware of an Express app. */
export type Handler = (req: IncomingMessage, res: ServerResponse) => void;

/**
 * Starts each request when those before it on its connection have been answered. A client may send many at once
 * (RFC 9112 9.3.2), and Node hands them all on: they would be acted on in any order, each with a connection to the
 * target, and Node does not tell those whose turn has not come that their client is gone. A body waits unread.
 */
export function inTurn(handler: Handler): Handler {
  const begin: Handler = (req, res) => {
    if (!req.socket.destroyed && req.socket.writable) handler(req, res);
  };
  return (req, res) => {
    if (res.socket !== null) handler(req, res);
    // Node gives the response its connection when its turn has come, and is not done with that yet.
    else res.once('socket', () => process.nextTick(begin, req, res));
  };
}

/** What throws while it takes a request is a fault of ours: the request goes nowhere, and others go on. */
export function failClosed(handler: Handler): Handler {
  return (req, res) => {
    try {
      handler(req, res);
    } catch (error) {
      if (res.headersSent) {
        res.destroy();
        return;
      }
      res.shouldKeepAlive = false;
      sendProblem(res, problemOfError(ownFault(error)));
    }
  };
}
