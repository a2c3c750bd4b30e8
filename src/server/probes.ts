import type { IncomingMessage, ServerResponse } from 'node:http';
import { CONTROL_ROOT } from './control/control-path.ts';
import type { Handler } from './handler.ts';

/** Milliseconds for which the target counts as it was found: probes of many cost it one connection. */
const REMEMBERED = 1000;

export const LIVE = 'health/live';
export const READY = 'health/ready';

/** Answers the two questions of an orchestrator: everybody may ask, and is told no more than yes or no. */
export interface Probes {
  live: Handler;
  ready: Handler;
  /** The one that a request asks for by its very path. */
  of(req: IncomingMessage): Handler | undefined;
}

/** @param isReady whether all is well within the gate @param canReach the target; asked once for all that ask at a time */
export function createProbes(isReady: () => boolean, canReach: () => Promise<boolean>): Probes {
  const reached = remembered(canReach);
  const live = probe(() => true);
  const ready = probe(() => isReady() && reached());
  return {
    live,
    ready,
    of({ url = '' }) {
      if (!url.startsWith(`${CONTROL_ROOT}/health/`)) return undefined;
      const [path] = url.slice(CONTROL_ROOT.length + 1).split('?', 1);
      return path === LIVE ? live : path === READY ? ready : undefined;
    },
  };
}

function remembered(canReach: () => Promise<boolean>): () => Promise<boolean> {
  let answer: Promise<boolean> | undefined;
  let until = 0;
  const ask = async () => {
    const found = await canReach();
    until = performance.now() + REMEMBERED;
    return found;
  };
  return () => {
    if (performance.now() >= until) {
      // Until it is known.
      until = Number.POSITIVE_INFINITY;
      answer = ask();
    }
    return answer as Promise<boolean>;
  };
}

function probe(isOk: () => boolean | Promise<boolean>): Handler {
  return async (req: IncomingMessage, res: ServerResponse) => {
    req.resume();
    res.setHeader('Cache-Control', 'no-store');
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      res.writeHead(405, { Allow: 'GET, HEAD' }).end();
      return;
    }
    const ok = await isOk();
    res.writeHead(ok ? 200 : 503, { 'Content-Type': 'application/json' });
    res.end(ok ? '{"status":"ok"}' : '{"status":"not ready"}');
  };
}
