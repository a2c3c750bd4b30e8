import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Gate } from '../gate/gate.ts';
import type { Forward } from '../upstreams/forward.ts';
import { STOPPED } from '../upstreams/upstream.ts';
import { clientOf } from './connections.ts';
import type { Run } from './exchange.ts';
import { problemText } from './problem.ts';
import { sessionNameOf } from './sessions.ts';

interface UpgradePathOptions extends Pick<Run, 'nextId' | 'onFinished'> {
  gate: Gate;
  forward: Forward;
}

/** False: the request is to be read like any other, and is judged or refused then. */
type UpgradePath = (req: IncomingMessage, socket: Duplex, head: Buffer) => boolean;

/** Joins WebSockets with the target, unless an operation of the contract could be meant. */
export function createUpgradePath({ gate, forward, nextId, onFinished }: UpgradePathOptions): UpgradePath {
  return (req, socket, head) => {
    const { method = '', rawHeaders: headers } = req;
    const request = { method, url: req.url as string, headers };
    let name: string;
    try {
      name = sessionNameOf(headers);
    } catch {
      return false;
    }
    if (gate.match(request)) return false;
    const id = nextId();
    const client = clientOf(socket);
    const startedAt = Date.now();
    const started = performance.now();
    forward.upgrade(req, socket, head, (outcome) => {
      const error = 'error' in outcome ? outcome.error : undefined;
      // What the client sends on is thrown away, so that the answer is not lost with an unread rest.
      if (error) socket.end(problemText(error)).resume();
      onFinished({
        ...{ id, startedAt, durationMs: performance.now() - started, handedOnAfterMs: 0 },
        ...{ client, session: { name }, request },
        answeredBy: error ? 'gate' : 'target',
        response: 'error' in outcome ? undefined : outcome,
        failure: error && (client.isCutByStop ? STOPPED : error.message),
      });
    });
    return true;
  };
}
