import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { PatchgateError } from '../errors.ts';
import type { Gate } from '../gate/gate.ts';
import type { RequestHead } from '../http/http.ts';
import type { Forward } from '../upstreams/forward.ts';
import type { UpgradeOutcome } from '../upstreams/streams.ts';
import { STOPPED } from '../upstreams/upstream.ts';
import { clientOf } from './connections.ts';
import type { FinishedExchange } from './finished-exchange.ts';
import { problemText } from './problem.ts';
import { takeSession } from './sessions.ts';

interface UpgradePathOptions {
  gate: Gate;
  forward: Forward;
  nextId(): number;
  /** Called once for each handshake, when the target has answered it. */
  onFinished(exchange: FinishedExchange): void;
}

/** False: the request is none to upgrade, and is to be read like any other. */
type UpgradePath = (req: IncomingMessage, socket: Duplex, head: Buffer) => boolean;

/** Joins WebSockets with the target. What an operation of the contract could be meant by is judged instead. */
export function createUpgradePath({ gate, forward, nextId, onFinished }: UpgradePathOptions): UpgradePath {
  return (req, socket, head) => {
    const { method = '', url = '', rawHeaders: headers } = req;
    const request: RequestHead = { method, url, headers };
    let session: string | undefined;
    let wrong: PatchgateError | undefined;
    try {
      const asked = takeSession(url, headers);
      session = asked?.name;
      if (asked) request.url = asked.url;
    } catch (error) {
      wrong = error as PatchgateError;
    }
    if (gate.match(request)) return false;
    const id = nextId();
    const startedAt = Date.now();
    const started = performance.now();
    const over = (outcome: UpgradeOutcome) => {
      const error = 'error' in outcome ? outcome.error : undefined;
      // What the client sends on is thrown away, so that the answer is not lost with an unread rest.
      if (error) socket.end(problemText(error)).resume();
      onFinished({
        ...{ id, startedAt, durationMs: performance.now() - started, session, request },
        handedOnAfterMs: wrong ? undefined : 0,
        requestBody: undefined,
        verdict: undefined,
        answeredBy: error ? 'gate' : 'target',
        response: 'error' in outcome ? undefined : { ...outcome, body: undefined },
        failure: error && (clientOf(socket).isCutByStop ? STOPPED : error.message),
      });
    };
    if (wrong) over({ error: wrong });
    else {
      req.url = request.url;
      forward.upgrade(req, socket, head, over);
    }
    return true;
  };
}
