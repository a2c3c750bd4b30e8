import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { messageOf, PatchgateError } from '../errors.ts';
import type { ForwardOptions } from './outgoing.ts';
import type { PooledClient } from './pooled-client.ts';
import { stopped } from './stopped.ts';
import { createStreamingProxy, type UpgradeOutcome } from './streaming-proxy.ts';
import type { ResponseSink, Upstream, UpstreamRequest } from './upstream.ts';

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
  const proxy = createStreamingProxy(options);
  let client: PooledClient | undefined;
  let loading: Promise<void> | undefined;
  let isClosed = false;

  const load = async () => {
    const { createPooledClient } = await import('./pooled-client.ts');
    client = createPooledClient(options);
  };

  /** The client takes 50 ms to load: the first request that needs it waits for that, and no start does. */
  const sendOnceLoaded = (request: UpstreamRequest, body: Buffer, sink: ResponseSink): (() => void) => {
    let cancel: (() => void) | undefined;
    let isGone = false;
    loading ??= load();
    loading
      .then(() => {
        if (isClosed) sink.fail(stopped());
        else if (!isGone) cancel = client?.send(request, body, sink);
      })
      .catch((cause: unknown) => {
        sink.fail(new PatchgateError('internal', `the request was not sent: ${messageOf(cause)}`, { cause }));
      });
    return () => {
      isGone = true;
      cancel?.();
    };
  };

  return {
    isInsecure: !options.tls.rejectUnauthorized,
    handle(request, sink) {
      if (isClosed) {
        sink.fail(stopped());
        return () => undefined;
      }
      const { body } = request;
      if (body === undefined) return proxy.send(request, sink);
      return client ? client.send(request, body, sink) : sendOnceLoaded(request, body, sink);
    },
    upgrade: proxy.upgrade,
    async close() {
      isClosed = true;
      proxy.close();
      // Where it failed, the requests that waited for it were told.
      await loading?.catch(() => undefined);
      await client?.close();
    },
  };
}
