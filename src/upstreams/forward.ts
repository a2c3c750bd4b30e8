import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { messageOf, PatchgateError } from '../errors.ts';
import { announcesBody } from '../http/http.ts';
import type { ForwardOptions } from './outgoing.ts';
import type { PooledClient } from './pooled-client.ts';
import { createStreamingProxy, type UpgradeOutcome } from './streaming-proxy.ts';
import type { Target } from './target.ts';
import { type ResponseSink, stopped, type Upstream, type UpstreamRequest } from './upstream.ts';

export interface Forward extends Upstream {
  /** Whether the target's certificate is not verified. */
  isInsecure: boolean;
  target: Target;
  upgrade(
    incoming: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    done: (outcome: UpgradeOutcome) => void,
  ): void;
}

const NO_BODY = Buffer.alloc(0);
/** Methods whose requests may go without a word about a body: undici says of the others that it has none. */
const BODILESS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'DELETE']);
/** The target may have acted on any other already (RFC 9110 9.2.2). */
const REPEATABLE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

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

  const send = (loaded: PooledClient, request: UpstreamRequest, body: Buffer, sink: ResponseSink) => {
    if (request.body || !REPEATABLE.has(request.method)) return loaded.send(request, body, sink);
    // The target may have closed an idle connection just when it was to be used again: that is no failure of its.
    let cancel = loaded.send(request, body, sink, () => {
      cancel = proxy.send(request, sink, true);
    });
    return () => cancel();
  };

  /** The client takes 50 ms to load: the first request that needs it waits for that, and no start does. */
  const sendOnceLoaded = (request: UpstreamRequest, body: Buffer, sink: ResponseSink): (() => void) => {
    let isGone = false;
    let cancel = () => {
      isGone = true;
    };
    loading ??= load();
    loading
      .then(() => {
        if (isClosed) sink.fail(stopped());
        else if (!isGone) cancel = send(client as PooledClient, request, body, sink);
      })
      .catch((cause: unknown) => {
        sink.fail(new PatchgateError('internal', `the request was not sent: ${messageOf(cause)}`, { cause }));
      });
    return () => cancel();
  };

  return {
    target: options.target,
    isInsecure: !options.tls.rejectUnauthorized,
    handle(request, sink) {
      if (isClosed) {
        sink.fail(stopped());
        return () => undefined;
      }
      const body = request.body ?? (isBodiless(request) ? NO_BODY : undefined);
      if (body === undefined || request.url === '*') return proxy.send(request, sink);
      return client ? send(client, request, body, sink) : sendOnceLoaded(request, body, sink);
    },
    upgrade: proxy.upgrade,
    async close() {
      isClosed = true;
      options.tunnels?.close();
      proxy.close();
      // Where it failed, the requests that waited for it were told.
      await loading?.catch(() => undefined);
      await client?.close();
    },
  };
}

function isBodiless({ method, headers }: UpstreamRequest): boolean {
  return BODILESS.has(method) && !announcesBody(headers);
}
