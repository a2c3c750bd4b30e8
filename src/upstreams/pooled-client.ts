import type { Socket } from 'node:net';
import { buildConnector, Client, type Dispatcher, Pool } from 'undici';
import { systemCode } from '../errors.ts';
import { CONNECTIONS_AT_MOST, type ForwardOptions, outgoingHeaders, outgoingPath } from './outgoing.ts';
import { Relay } from './relay.ts';
import { asUnconnected, timedOut } from './target.ts';
import { type ResponseSink, stopped, type UpstreamRequest } from './upstream.ts';

export type PooledClient = ReturnType<typeof createPooledClient>;

type Connector = ReturnType<typeof buildConnector>;

/** A request for undici. */
interface Asked extends Dispatcher.DispatchOptions {
  /** What it goes over, once that is known. */
  over?: Connection;
}

/** A connection that tells each request that it is the one. */
class Connection extends Client {
  socket: Socket | undefined;

  constructor(origin: URL, options: object, connect: Connector) {
    super(origin, {
      ...options,
      connect: (options, done) =>
        connect(options, (...result) => {
          this.socket = result[1] ?? undefined;
          done(...result);
        }),
    });
  }

  override dispatch(asked: Asked, handler: Dispatcher.DispatchHandler): boolean {
    asked.over = this;
    return super.dispatch(asked, handler);
  }
}

/**
 * Sends requests whose bytes are in hand, each once, over a pool of connections. (undici takes half the CPU of node:http for
 * each; it cannot stream what http-proxy does.)
 */
export function createPooledClient(options: ForwardOptions) {
  const { target, tls, timeout, tunnels } = options;
  const build = buildConnector({ timeout, ...tls });
  // Whatever name a request's `Host` has made of it, it is that of the target.
  const direct: Connector = (options, done) =>
    build({ ...options, servername: tls.servername }, (error, socket) =>
      error ? done(asUnconnected(error), null) : done(null, socket),
    );
  const connect: Connector = tunnels ? (_, done) => tunnels.open(done) : direct;
  const pool = new Pool(target.origin, {
    factory: (origin, options) => new Connection(origin, options, connect),
    connections: CONNECTIONS_AT_MOST,
    pipelining: 1,
    // Its own timers are half a second late. Once it answers, a target may be silent for hours: a stream of events.
    headersTimeout: 0,
    bodyTimeout: 0,
  });

  return {
    /** @param onIdleClosed called where the target closed the connection while that was idle, and has not seen the request */
    send(request: UpstreamRequest, body: Buffer, sink: ResponseSink, onIdleClosed?: () => void): () => void {
      const relay = new Relay(sink, options, request);
      let isOver = false;
      let socket: Socket | undefined;
      let bytesBefore = 0;
      const drop = (why: Error) => {
        clearTimeout(silence);
        // Where undici ends it, it makes a connection for it once more.
        if (!isOver) socket?.destroy(why);
      };
      const giveUp = () => {
        const error = socket ? timedOut() : asUnconnected(timedOut());
        relay.fail(error);
        drop(error);
      };
      const silence = timeout === 0 ? undefined : setTimeout(giveUp, timeout).unref();
      const asked: Asked = {
        method: request.method as Dispatcher.HttpMethod,
        path: outgoingPath(target.path, request.url),
        headers: outgoingHeaders(request, options),
        // Else undici makes it of `Host`, and opens a new connection for each other one.
        ...{ servername: target.url.hostname },
        body,
      };
      try {
        pool.dispatch(asked, {
          onRequestStart(controller) {
            if (relay.isDone) return controller.abort(new Error('the client is gone'));
            socket = asked.over?.socket;
            bytesBefore = socket?.bytesRead ?? 0;
          },
          onResponseStart(controller, status, headers, message) {
            if (status >= 100 && status < 200) {
              silence?.refresh();
              return;
            }
            clearTimeout(silence);
            const raw = controller.rawHeaders ?? Object.entries(headers).flat(2);
            if (!relay.head(status, message ?? '', textsOf(raw), controller))
              controller.abort(new Error('no answer'));
            // To undici a 304 that says how long its body would be is cut off.
            else if (relay.isBodiless) relay.end();
          },
          onResponseData: (_, chunk) => relay.data(chunk),
          onResponseEnd() {
            isOver = true;
            relay.end();
          },
          onResponseError(_, error) {
            isOver = true;
            clearTimeout(silence);
            const wasIdle = bytesBefore > 0 && socket !== undefined && socket.bytesRead <= bytesBefore;
            if (onIdleClosed && wasIdle && !relay.isDone && RESETS.has(systemCode(error) ?? ''))
              onIdleClosed();
            else relay.fail(error);
          },
        });
      } catch (error) {
        clearTimeout(silence);
        relay.fail(error);
      }
      return () => {
        relay.abandon();
        drop(new Error('the client is gone'));
      };
    },
    close: () => pool.destroy(stopped()),
  };
}

const RESETS: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

function textsOf(headers: unknown): string[] {
  return (headers as (Buffer | string)[]).map((text) =>
    typeof text === 'string' ? text : text.toString('latin1'),
  );
}
