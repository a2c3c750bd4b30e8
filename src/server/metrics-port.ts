import type { IncomingMessage, ServerResponse } from 'node:http';
import { messageOf, PatchgateError } from '../errors.ts';
import { CONTROL_ROOT } from './control/control-path.ts';
import { type Listening, type ListenOptions, listen } from './listen/listen.ts';
import { problem, problemOfError, sendProblem } from './problem.ts';

/** Where Prometheus looks unless it is told otherwise, and where the control API has the same. */
const PATHS: ReadonlySet<string> = new Set(['/metrics', `${CONTROL_ROOT}/metrics`]);

/** Serves the metrics alone, to everybody who can reach the port. @throws PatchgateError `cannot-listen` */
export function listenForMetrics(
  metrics: (req: IncomingMessage, res: ServerResponse) => Promise<void>,
  options: ListenOptions,
): Promise<Listening> {
  const answer = async (req: IncomingMessage, res: ServerResponse) => {
    req.resume();
    const [path = ''] = (req.url ?? '').split('?', 1);
    if (!PATHS.has(path))
      sendProblem(
        res,
        problem('not-found', 404, { detail: 'this port has the metrics alone', hint: 'GET /metrics' }),
      );
    else if (req.method !== 'GET' && req.method !== 'HEAD') {
      res.setHeader('Allow', 'GET, HEAD');
      sendProblem(
        res,
        problem('bad-usage', 405, { detail: `${path} does not take ${req.method}`, hint: 'use GET' }),
      );
    } else
      try {
        await metrics(req, res);
      } catch (cause) {
        const message = `the metrics cannot be written: ${messageOf(cause)}`;
        sendProblem(res, problemOfError(new PatchgateError('internal', message, { cause })));
      }
  };
  return listen({ request: (req, res) => void answer(req, res), unread: () => undefined }, options);
}
