import type { IncomingMessage, ServerResponse } from 'node:http';
import { clientOf } from './connections.ts';
import { ownFault, problemOfError, sendProblem } from './problem.ts';

/** A plain handler of requests: it can be a server's only listener, or middleware of an Express app. */
export type Handler = (req: IncomingMessage, res: ServerResponse) => void;

/**
 * Handles each request in its turn: Node hands on all that a client sends at once, and they would be acted on in any order. A handler that
 * throws is a fault of ours: the request goes nowhere, and others go on.
 */
export function inTurn(handler: Handler): Handler {
  return (req, res) => {
    clientOf(req.socket).inTurn(() => {
      try {
        handler(req, res);
      } catch (error) {
        if (res.headersSent) return res.destroy();
        res.shouldKeepAlive = false;
        sendProblem(res, problemOfError(ownFault(error)));
      }
    }, res);
  };
}
