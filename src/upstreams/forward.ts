import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ForwardOptions } from './forward-options.ts';
import { createPooledClient } from './pooled-client.ts';
import { stopped } from './stopped.ts';
import { createStreamingProxy, type UpgradeOutcome } from './streaming-proxy.ts';
import type { Upstream } from './upstream.ts';

export interface Forward extends Upstream {
  /** Whether nobody makes sure that it is the target which answers. */
  isInsecure: boolean;
  upgrade(
    incoming: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    done: (outcome: UpgradeOutcome) => void,
  ): void;
}

/** The target as an upstream: bytes that are in hand through the pooled client, everything else through http-proxy. */
export function forward(options: ForwardOptions): Forward {
  const client = createPooledClient(options);
  const proxy = createStreamingProxy(options);
  let isClosed = false;
  return {
    isInsecure: !options.tls.rejectUnauthorized,
    handle(request, sink) {
      if (!isClosed)
        return request.body === undefined
          ? proxy.send(request, sink)
          : client.send(request, request.body, sink);
      sink.fail(stopped());
      return () => undefined;
    },
    upgrade: proxy.upgrade,
    async close() {
      isClosed = true;
      proxy.close();
      await client.close();
    },
  };
}
