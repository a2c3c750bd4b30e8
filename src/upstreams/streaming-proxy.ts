import { Agent, type ClientRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import httpProxy from 'http-proxy';
import { PatchgateError, systemCode } from '../errors.ts';
import { CONNECTIONS_AT_MOST, type ForwardOptions } from './forward-options.ts';
import { headersObject, outgoingHeaders, outgoingPath } from './outgoing.ts';
import { Relay } from './relay.ts';
import { stopped } from './stopped.ts';
import { targetError } from './target.ts';
import { asUnconnected } from './target-failure.ts';
import type { ResponseSink, UpstreamRequest } from './upstream.ts';

/** What became of a WebSocket's handshake: the target's answer, 101 or a refusal, or why there is none. */
export type UpgradeOutcome = { status: number; headers: readonly string[] } | { error: PatchgateError };

/**
 * Streams requests that are not judged, and WebSockets, through http-proxy. Of that library the routing is used and
 * the sending; what it would change on the way (doubled slashes, headers, a chunked DELETE's framing) is kept as sent.
 */
export function createStreamingProxy(options: ForwardOptions) {
  const { target, timeout } = options;
  const isSecure = target.url.protocol === 'https:';
  // What it is told of TLS stands above what http-proxy tells a request.
  const agentOf = (keepAlive: boolean): Agent => {
    const connections = { keepAlive, maxSockets: CONNECTIONS_AT_MOST };
    return isSecure ? new SecureAgent({ ...connections, ...options.tls }) : new Agent(connections);
  };
  const pool = agentOf(true);
  /** Each request gets a connection of its own. */
  const fresh = agentOf(false);
  const where = {
    protocol: target.url.protocol,
    hostname: target.url.hostname.replace(/^\[|\]$/g, ''),
    host: target.url.host,
    port: target.url.port,
  };
  const proxy = httpProxy.createProxyServer({ toProxy: true, selfHandleResponse: true });
  // Gives a chunked DELETE the length 0 and sends its chunks all the same: a way to smuggle a request in.
  const passes = proxy as unknown as { webPasses: { name: string }[] };
  passes.webPasses = passes.webPasses.filter(({ name }) => name !== 'deleteLength');
  proxy.on('proxyRes', (response, _request, context) => (context as unknown as Context).onResponse(response));

  /** An agent for one request: sees it before http-proxy's path and headers are on the wire. */
  const agentFor = (
    { headers }: IncomingMessage,
    prepare: (outgoing: ClientRequest) => void,
    agent = pool,
  ): Agent =>
    Object.assign(Object.create(agent) as Agent, {
      addRequest(outgoing: ClientRequest, ...rest: unknown[]) {
        // http-proxy copies them by assignment, which one of this name does not survive.
        const value = headers[PROTO];
        if (value !== undefined) outgoing.setHeader(PROTO, value);
        prepare(outgoing);
        (agent as unknown as { addRequest(...all: unknown[]): void }).addRequest(outgoing, ...rest);
      },
    });

  /** A timeout of 0 is none, as it is for the pooled client. */
  const afterTimeout = (end: () => void) => (timeout === 0 ? undefined : setTimeout(end, timeout).unref());

  return {
    send(request: UpstreamRequest, sink: ResponseSink): () => void {
      const relay = new Relay(sink, options, request);
      const incoming = request.stream as IncomingMessage;
      let outgoing: ClientRequest | undefined;
      let answer: IncomingMessage | undefined;
      let isOver = false;
      let isConnected = false;
      const isRepeatable = mayRepeat(incoming);
      /** Bytes that had come on its connection before the request was sent. */
      let bytesBefore = 0;
      const silence = afterTimeout(() => {
        const isClients = !incoming.complete && !incoming.destroyed && !outgoing?.writableNeedDrain;
        if (isClients) {
          silence?.refresh();
          return;
        }
        const error = timedOut();
        outgoing?.destroy(error);
        // One that waits for a connection says nothing of its end.
        fail(error);
      });
      incoming.prependListener('data', () => silence?.refresh());
      const fail = (error: Error) => {
        // The target may have closed a connection that was idle just when it was to be used again: that is no failure of
        // its. One that is new says whether it was.
        if (!isOver && isRepeatable && isReset(error) && outgoing?.reusedSocket && !hasBegun(outgoing)) {
          start(fresh);
          return;
        }
        // What it sends behind a whole answer is nobody's.
        if (answer?.complete) return;
        clearTimeout(silence);
        relay.fail(isConnected ? error : asUnconnected(error));
      };
      /** A byte of an answer has come: the target has acted on the request. */
      const hasBegun = ({ socket }: ClientRequest) => (socket?.bytesRead ?? 0) > bytesBefore;
      const context: Context = {
        onResponse(response) {
          isOver = true;
          answer = response;
          clearTimeout(silence);
          const flow = { resume: () => response.resume() };
          const { statusCode = 0, statusMessage = '', rawHeaders } = response;
          if (!relay.head(statusCode, statusMessage, rawHeaders, flow)) response.destroy();
          response.on('data', (chunk: Buffer) => {
            if (!relay.data(chunk)) response.pause();
          });
          response.on('end', () => relay.end());
          response.on('error', (error) => relay.fail(error));
        },
      };
      setHeaders(incoming, [...outgoingHeaders(request, options), ...framingOf(incoming)]);
      const prepare = (made: ClientRequest) => {
        outgoing = made;
        made.path = outgoingPath(target.path, request.url);
        made.once('socket', (socket) => {
          bytesBefore = socket.bytesRead;
          isConnected = !socket.connecting;
          if (isConnected) return;
          socket.once(isSecure ? 'secureConnect' : 'connect', () => {
            isConnected = true;
          });
        });
        // By default those of an answer past some thousand are dropped.
        made.maxHeadersCount = 0;
        // A target may answer and close without reading all: the rest of the body is then nobody's.
        made.once('close', () => {
          incoming.unpipe(made).resume();
          // http-proxy keeps to itself that it ended because of the client.
          if (made === outgoing && !answer)
            fail(new PatchgateError('target-unreachable', 'the client broke off its request'));
        });
        // Without a listener Node would drop the connection and tell nobody.
        made.once('upgrade', (_, socket) => {
          isOver = true;
          socket.destroy();
          fail(new Error('it switched protocols unasked'));
        });
      };
      const start = (agent: Agent) => {
        const settings = { target: where, agent: agentFor(incoming, prepare, agent) };
        withoutDeprecations(() => proxy.web(incoming, context as unknown as ServerResponse, settings, fail));
      };
      start(pool);
      return () => {
        isOver = true;
        clearTimeout(silence);
        relay.abandon();
        outgoing?.destroy();
      };
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
      const handshake = ['connection', 'Upgrade', 'upgrade', 'websocket'];
      setHeaders(incoming, [...outgoingHeaders(asked, options), ...handshake]);
      const prepare = (outgoing: ClientRequest) => {
        outgoing.path = outgoingPath(target.path, incoming.url as string);
        const silence = afterTimeout(() => outgoing.destroy(timedOut()));
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
      const settings = { target: where, agent: agentFor(incoming, prepare) };
      withoutDeprecations(() =>
        proxy.ws(incoming, socket, head, settings, (error: Error) =>
          once({ error: targetError(target, error, timeout) }),
        ),
      );
    },

    close() {
      for (const agent of [pool, fresh]) {
        for (const socket of Object.values(agent.sockets).flat()) socket?.destroy(stopped());
        agent.destroy();
      }
    },
  };
}

/** http-proxy calls util._extend, of which Node 22 and newer would warn. */
function withoutDeprecations(call: () => void): void {
  const { noDeprecation = false } = process;
  process.noDeprecation = true;
  try {
    call();
  } finally {
    process.noDeprecation = noDeprecation;
  }
}

const PROTO = '__proto__';

/** Of other requests nobody knows whether the target has acted on them already (RFC 9110 9.2.2). */
function mayRepeat({ method, headers }: IncomingMessage): boolean {
  const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  return !hasBody && (method === 'GET' || method === 'HEAD' || method === 'OPTIONS');
}

function isReset(error: unknown): boolean {
  const code = systemCode(error);
  return code === 'ECONNRESET' || code === 'EPIPE';
}

function timedOut(): Error {
  return Object.assign(new Error('silent'), { code: 'ETIMEDOUT' });
}

/** Stands in for http-proxy's response object, which it only hands back to us. */
interface Context {
  onResponse(response: IncomingMessage): void;
}

/** http-proxy sends what stands in `headers`. */
function setHeaders(incoming: IncomingMessage, headers: readonly string[]): void {
  incoming.headers = headersObject(headers) as typeof incoming.headers;
}

/** The framing is this connection's own, but what the client chose is kept: a chunked upload stays chunked. */
function framingOf(incoming: IncomingMessage): string[] {
  return incoming.headers['transfer-encoding'] === undefined ? [] : ['transfer-encoding', 'chunked'];
}
