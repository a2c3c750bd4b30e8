import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DEFAULT_REDACTION } from '../../src/recordings/redact/redaction.ts';
import { attempt, gone } from '../../src/server/answer.ts';
import { type Exchange, newExchange } from '../../src/server/exchange.ts';
import { Sessions, sessionNameOf } from '../../src/server/sessions.ts';
import { readBytes } from '../../src/upstreams/bodies.ts';
import type { Upstream } from '../../src/upstreams/upstream.ts';

export interface ServedUpstream {
  url: string;
  port: number;
  /** What the server says of each request when it is over: undefined, or what went wrong. */
  ends: (string | undefined)[];
  /** Those that requests were of. */
  sessions: Sessions;
  close(): Promise<void>;
}

/**
 * An upstream behind a real server, without a gate in front.
 *
 * @param judged read each body first, as for a request that the gate judges
 */
export async function serveUpstream(upstream: Upstream, judged = false): Promise<ServedUpstream> {
  const ends: (string | undefined)[] = [];
  const sessions = new Sessions();
  const server = createServer((req, res) => {
    const head = { method: req.method as string, url: req.url as string, headers: req.rawHeaders };
    const pass = (body: Buffer | undefined) => {
      const exchange: Exchange = newExchange(req, res, {
        ...{ redaction: DEFAULT_REDACTION, nextId: () => 1 },
        onFinished: ({ failure }) => ends.push(failure),
      });
      exchange.client.onGone = () => gone(exchange);
      exchange.handedOnAfterMs = 0;
      const session = sessions.enter(sessionNameOf(head.headers));
      const request = { ...head, body, json: body && null, stream: req, session };
      attempt(exchange, () => upstream.handle(request, exchange.client.gone.signal));
    };
    if (judged) readBytes(req, 1024 * 1024, (bytes) => pass(bytes === 'too-large' ? undefined : bytes));
    else pass(undefined);
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    ends,
    sessions,
    close: () => closeServer(server),
  };
}

export async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

export async function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
