import type { Agent, ClientRequest, IncomingMessage, RequestOptions, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import httpProxy from 'http-proxy';
import { PatchgateError, systemCode } from '../errors.ts';
import { announcesBody } from '../model/http.ts';
import { type ForwardOptions, outgoingHeaders, outgoingPath } from './outgoing.ts';
import { Relay } from './relay.ts';
import { targetError } from './target.ts';
import type { ResponseSink, UpstreamRequest } from './upstream.ts';

/** What became of a WebSocket's handshake: the target's answer, 101 or a refusal, or why there is none. */
export type UpgradeOutcome = { status: number; headers: readonly string[] } | { error: PatchgateError };

/** What makes connections to the target. */
type Connecting = Agent & { addRequest(outgoing: ClientRequest, options: RequestOptions): void };

/**
 * Streams requests that are not judged, and WebSockets, through http-proxy. Of that library the routing is used and
 * the sending; what it would change on the way (doubled slashes, headers, a chunked DELETE's framing) is kept as sent.
 *
 * @param pool keeps connections
 * @param fresh makes a new one for each request
 */
export function createStreamingProxy(
  options: ForwardOptions,
  where: RequestOptions & { host: string },
  pool: Agent,
  fresh: Agent,
) {
  const { target, timeout } = options;
  /** Called with the request that http-proxy makes, before anything of it is on the wire. */
  let prepare: (outgoing: ClientRequest) => void;
  const preparing = (agent: Agent): Agent =>
    Object.assign(Object.create(agent) as Agent, {
      addRequest(outgoing: ClientRequest) {
        prepare(outgoing);
        // What http-proxy adds says nothing more, and is copied for each request.
        (agent as Connecting).addRequest(outgoing, where);
      },
    });
  const [pooled, single] = [{ agent: preparing(pool) }, { agent: preparing(fresh) }];
  const proxy = httpProxy.createProxyServer({
    target: { ...where, hostname: where.host } as httpProxy.ServerOptions['target'] & object,
    // The path is set where the headers are.
    ...{ toProxy: true, ignorePath: true },
    selfHandleResponse: true,
  });
  // Gives a chunked DELETE the length 0 and sends its chunks all the same: a way to smuggle a request in.
  const passes = proxy as unknown as { webPasses: { name: string }[] };
  passes.webPasses = passes.webPasses.filter(({ name }) => name !== 'deleteLength');
  proxy.on('proxyRes', (response, _request, relay) => (relay as unknown as Relay).answer(response));

  return {
    send(request: UpstreamRequest, sink: ResponseSink): () => void {
      const relay = new Relay(sink, options, request);
      const incoming = request.stream as IncomingMessage;
      const hasBody = announcesBody(request.headers);
      const headers = outgoingHeaders(request, options);
      // The framing is this connection's own, but what the client chose is kept: a chunked upload stays chunked.
      if (hasBody && incoming.headers['transfer-encoding'] !== undefined)
        headers.push('transfer-encoding', 'chunked');
      if (hasBody) incoming.prependListener('data', () => relay.heard());
      // Of other requests nobody knows whether the target has acted on them already (RFC 9110 9.2.2).
      let mayRepeat = !hasBody && REPEATABLE.has(request.method);
      const fail = (error: Error) => {
        // The target may have closed a connection that was idle just when it was to be used again: that is no failure of
        // its. One that is new says whether it was.
        const wasIdle = isReset(error) && relay.outgoing?.reusedSocket && relay.hasSeenNothing;
        if (!mayRepeat || !wasIdle || relay.isAnswered || relay.isDone) return relay.fail(error);
        mayRepeat = false;
        start(single);
      };
      const start = (settings: { agent: Agent }) => {
        prepare = (outgoing) => {
          outgoing.path = outgoingPath(target.path, request.url);
          setHeaders(outgoing, headers);
          relay.sends(outgoing);
          outgoing.once('close', () => {
            // A target may answer and close without reading all: the rest of the body is then nobody's.
            if (hasBody) incoming.unpipe(outgoing).resume();
            // http-proxy keeps to itself that it ended because of the client.
            if (outgoing === relay.outgoing && !relay.isAnswered)
              relay.fail(new PatchgateError('target-unreachable', 'the client broke off its request'));
          });
        };
        withHeaders(incoming, {}, () =>
          proxy.web(incoming, relay as unknown as ServerResponse, settings, fail),
        );
      };
      start(pooled);
      return relay.cancel;
    },

    /** Joins the client's socket with one to the target, if the target agrees. */
    upgrade(
      incoming: IncomingMessage,
      socket: Duplex,
      head: Buffer,
      done: (outcome: UpgradeOutcome) => void,
    ): void {
      let report: typeof done | undefined = done;
      const once: typeof done = (outcome) => {
        report?.(outcome);
        report = undefined;
      };
      const asked = { headers: incoming.rawHeaders, stream: incoming };
      const headers = [...outgoingHeaders(asked, options), 'connection', 'Upgrade'];
      prepare = (outgoing) => {
        outgoing.path = outgoingPath(target.path, incoming.url as string);
        setHeaders(outgoing, headers);
        const silent = () => outgoing.destroy(Object.assign(new Error('silent'), { code: 'ETIMEDOUT' }));
        const silence = timeout === 0 ? undefined : setTimeout(silent, timeout).unref();
        const answered = (answer: IncomingMessage) => {
          clearTimeout(silence);
          once({ status: answer.statusCode as number, headers: answer.rawHeaders });
        };
        outgoing.once('close', () => clearTimeout(silence));
        socket.once('close', () => {
          once({
            error: new PatchgateError(
              'target-unreachable',
              'the client went away before the target answered',
            ),
          });
          outgoing.destroy();
        });
        outgoing.once('upgrade', (answer, other) => {
          answered(answer);
          // http-proxy ends it only where the client's socket ends in good order.
          socket.once('close', () => other.destroy());
        });
        outgoing.once('response', (answer) => {
          answered(answer);
          // It is no upgrade: the answer goes out with its chunks put together, and ends with the connection.
          delete answer.headers['transfer-encoding'];
          delete answer.headers['keep-alive'];
          answer.headers.connection = 'close';
          answer.once('close', () => socket.end().resume());
        });
      };
      withHeaders(incoming, { upgrade: 'websocket' }, () =>
        proxy.ws(incoming, socket, head, pooled, (error: Error) =>
          once({ error: targetError(target, error, timeout) }),
        ),
      );
    },
  };
}

const REPEATABLE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

function isReset(error: unknown): boolean {
  const code = systemCode(error);
  return code === 'ECONNRESET' || code === 'EPIPE';
}

function setHeaders(outgoing: ClientRequest, headers: readonly string[]): void {
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const [name, value] = [headers[i] as string, headers[i + 1] as string];
    // The first one may be what Node has made of the address: `host` comes first.
    if (i > 0 && outgoing.hasHeader(name)) outgoing.appendHeader(name, value);
    else outgoing.setHeader(name, value);
  }
}

/** http-proxy copies the headers that it finds, and calls util._extend, of which Node 22 and newer would warn. */
function withHeaders(incoming: IncomingMessage, headers: IncomingMessage['headers'], call: () => void): void {
  const { headers: own } = incoming;
  const { noDeprecation = false } = process;
  process.noDeprecation = true;
  incoming.headers = headers;
  try {
    call();
  } finally {
    incoming.headers = own;
    process.noDeprecation = noDeprecation;
  }
}
