import { buildConnector, Pool } from 'undici';
import { CONNECTIONS_AT_MOST, type ForwardOptions, outgoingHeaders, outgoingPath } from './outgoing.ts';
import { Relay } from './relay.ts';
import { stopped } from './stopped.ts';
import { asUnconnected } from './target-failure.ts';
import type { ResponseSink, UpstreamRequest } from './upstream.ts';

export type PooledClient = ReturnType<typeof createPooledClient>;

/**
 * Sends requests whose bytes are in hand, each once, over a pool of connections. (undici takes half the CPU of node:http for
 * each; it cannot stream what http-proxy does.)
 */
export function createPooledClient(options: ForwardOptions) {
  const { target, tls, timeout } = options;
  const connect = buildConnector({ timeout, ...tls });
  const pool = new Pool(target.origin, {
    connections: CONNECTIONS_AT_MOST,
    pipelining: 1,
    headersTimeout: timeout,
    // Once it answers, a target may take its time: a stream of events can be silent for hours.
    bodyTimeout: 0,
    // Whatever name a request's `Host` has made of it, it is that of the target.
    connect: (options, done) =>
      connect({ ...options, servername: tls.servername }, (error, socket) =>
        error ? done(asUnconnected(error), null) : done(null, socket),
      ),
  });

  return {
    send(request: UpstreamRequest, body: Buffer, sink: ResponseSink): () => void {
      const relay = new Relay(sink, options, request);
      let abort: (() => void) | undefined;
      const asked = {
        method: request.method,
        path: outgoingPath(target.path, request.url),
        headers: outgoingHeaders(request, options),
        // Else undici makes it of `Host`, and opens a new connection for each other one.
        servername: target.url.hostname,
        body,
      };
      try {
        pool.dispatch(asked, {
          onRequestStart(controller) {
            abort = () => controller.abort(new Error('the client is gone'));
            if (relay.isDone) abort();
          },
          onResponseStart(controller, status, headers, message) {
            if (status >= 100 && status < 200) return;
            const raw = controller.rawHeaders ?? Object.entries(headers).flat(2);
            if (!relay.head(status, message ?? '', textsOf(raw), controller))
              controller.abort(new Error('no answer'));
          },
          onResponseData: (_, chunk) => relay.data(chunk),
          onResponseEnd: () => relay.end(),
          onResponseError: (_, error) => relay.fail(error),
        });
      } catch (error) {
        relay.fail(error);
      }
      return () => {
        relay.abandon();
        abort?.();
      };
    },
    close: () => pool.destroy(stopped()),
  };
}

function textsOf(headers: unknown): string[] {
  return (headers as (Buffer | string)[]).map((text) =>
    typeof text === 'string' ? text : text.toString('latin1'),
  );
}
