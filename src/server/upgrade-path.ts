import type { Gate } from '../gate/gate.ts';
import type { Forward } from '../upstreams/forward.ts';
import { STOPPED } from '../upstreams/upstream.ts';
import { clientOf } from './connections.ts';
import type { Run } from './exchange.ts';
import type { Handlers } from './listen.ts';
import { problemText } from './problem.ts';
import { sessionNameOf } from './sessions.ts';

/** Joins WebSockets with the target. What an operation of the contract could mean, or names no session well, is judged or refused. */
export function createUpgradePath(gate: Gate, forward: Forward, run: Run): NonNullable<Handlers['upgrade']> {
  return (req, socket, head) => {
    const { method = '', url = '', rawHeaders: headers } = req;
    const request = { method, url, headers };
    let name: string;
    try {
      name = sessionNameOf(headers);
    } catch {
      return false;
    }
    if (gate.match(request)) return false;
    const [id, startedAt, started] = [run.nextId(), Date.now(), performance.now()];
    const client = clientOf(socket);
    forward.upgrade(req, socket, head, (outcome) => {
      const error = 'error' in outcome ? outcome.error : undefined;
      // What the client sends on is thrown away, so that the answer is not lost with an unread rest.
      if (error) socket.end(problemText(error)).resume();
      run.onFinished({
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
