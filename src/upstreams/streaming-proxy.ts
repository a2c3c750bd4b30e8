import {
  Agent,
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
  type ServerResponse,
} from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import type { Socket } from 'node:net';
import { type Duplex, Readable } from 'node:stream';
import httpProxy from 'http-proxy';
import { PatchgateError } from '../errors.ts';
import { announcesBody } from '../http/http.ts';
import { CONNECTIONS_AT_MOST, type ForwardOptions, outgoingHeaders, outgoingPath } from './outgoing.ts';
import { Relay } from './relay.ts';
import { addressOf, asUnconnected, targetError, timedOut } from './target.ts';
import { type ResponseSink, stopped, type UpstreamRequest } from './upstream.ts';

/** What became of a WebSocket's handshake: the target's answer, 101 or a refusal, or why there is none. */
export type UpgradeOutcome = { status: number; headers: readonly string[] } | { error: PatchgateError };

/** What makes connections to the target. */
type Connecting = Agent & { addRequest(outgoing: ClientRequest, options: RequestOptions): void };

/** Milliseconds that a connection may be idle, unless the target's `Keep-Alive` says less: it might close just when it is used. */
const IDLE_AT_MOST = 4000;

/**
 * Streams requests that are not judged, and WebSockets, through http-proxy. Of that library the routing is used and
 * the sending; what it would change on the way (doubled slashes, headers, a chunked DELETE's framing) is kept as sent.
 */
export function createStreamingProxy(options: ForwardOptions) {
  const { target, tls, timeout, tunnels } = options;
  const isSecure = target.url.protocol === 'https:';
  const where = {
    protocol: target.url.protocol,
    ...addressOf(target.url),
  };
  /** Called with the request that http-proxy makes, before anything of it is on the wire. */
  let prepare: (outgoing: ClientRequest) => void;
  const agentOf = (keepAlive: boolean): Agent => {
    const connections = { keepAlive, maxSockets: CONNECTIONS_AT_MOST, timeout: IDLE_AT_MOST };
    const agent = (
      isSecure ? new SecureAgent({ ...connections, ...tls }) : new Agent(connections)
    ) as Connecting;
    // All its connections lead to one place.
    agent.getName = () => target.origin;
    if (tunnels)
      agent.createConnection = (_, done) => {
        // Node counts a connection only once it is there.
        agent.maxSockets--;
        tunnels.open((...result) => {
          agent.maxSockets++;
          done?.(result[0], result[1] as Socket);
        });
      };
    const addRequest = agent.addRequest.bind(agent);
    agent.addRequest = (outgoing) => {
      prepare(outgoing);
      // What http-proxy adds says nothing more, and is copied for each request.
      addRequest(outgoing, where);
    };
    return agent;
  };
  const pool = agentOf(true);
  /** Each request gets a connection of its own. */
  const fresh = agentOf(false);
  const proxy = httpProxy.createProxyServer({
    target: { ...where, hostname: where.host } as httpProxy.ServerOptions['target'] & object,
    // The path is set where the headers are.
    ...{ toProxy: true, ignorePath: true },
    selfHandleResponse: true,
  });
  // Gives a chunked DELETE the length 0 and sends its chunks all the same: a way to smuggle a request in.
  const passes = proxy as unknown as { webPasses: { name: string }[] };
  passes.webPasses = passes.webPasses.filter(({ name }) => name !== 'deleteLength');
  proxy.on('proxyRes', (response, _request, sent) => (sent as unknown as SentRequest).answer(response));

  return {
    /** @param isFresh it gets a connection of its own */
    send(request: UpstreamRequest, sink: ResponseSink, isFresh = false): () => void {
      const sent = new SentRequest(request, sink, options);
      const incoming = request.stream as IncomingMessage;
      const hasBody = announcesBody(request.headers);
      const headers = outgoingHeaders(request, options);
      // The framing is this connection's own, but what the client chose is kept: a chunked upload stays chunked.
      if (hasBody && incoming.headers['transfer-encoding'] !== undefined)
        headers.push('transfer-encoding', 'chunked');
      if (hasBody) incoming.prependListener('data', () => sent.heard());
      prepare = (outgoing) => {
        outgoing.path = outgoingPath(target.path, request.url);
        setHeaders(outgoing, headers);
        sent.on(outgoing);
        // A target may answer and close without reading all: the rest of the body is then thrown away.
        if (hasBody) outgoing.once('close', () => incoming.unpipe(outgoing).resume());
      };
      const agent = isFresh ? fresh : pool;
      // A body that was read for judging does not come again.
      const buffer = request.body && Readable.from([request.body]);
      withHeaders(incoming, {}, () =>
        proxy.web(incoming, sent as unknown as ServerResponse, { agent, buffer }, (error) =>
          sent.fail(error),
        ),
      );
      return sent.cancel;
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
        const giveUp = () => outgoing.destroy(outgoing.socket ? timedOut() : asUnconnected(timedOut()));
        const silence = timeout === 0 ? undefined : setTimeout(giveUp, timeout).unref();
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
        proxy.ws(incoming, socket, head, { agent: pool }, (error: Error) =>
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

/** A request on its way through http-proxy, and its answer. */
class SentRequest {
  readonly #incoming: IncomingMessage;
  readonly #relay: Relay;
  readonly #silence: NodeJS.Timeout | undefined;
  #outgoing: ClientRequest | undefined;
  #isConnected = false;
  #response: IncomingMessage | undefined;

  constructor(request: UpstreamRequest, sink: ResponseSink, options: ForwardOptions) {
    this.#incoming = request.stream as IncomingMessage;
    this.#relay = new Relay(sink, options, request);
    const { timeout } = options;
    if (timeout > 0) this.#silence = setTimeout(() => this.#silent(), timeout).unref();
  }

  /** Takes the request that is made to the target, before it is on the wire. */
  on(outgoing: ClientRequest): void {
    this.#outgoing = outgoing;
    // By default those of an answer past some thousand are dropped.
    outgoing.maxHeadersCount = 0;
    outgoing.once('socket', (socket: Socket) => {
      this.#isConnected = !socket.connecting;
      if (this.#isConnected) return;
      socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => {
        this.#isConnected = true;
      });
    });
    // Without a listener Node would drop the connection without a word.
    outgoing.once('upgrade', (_, socket) => {
      socket.destroy();
      this.fail(new Error('it switched protocols unasked'));
    });
    outgoing.once('close', () => {
      // http-proxy keeps to itself that it ended because of the client.
      if (!this.#response)
        this.fail(new PatchgateError('target-unreachable', 'the client broke off its request'));
    });
  }

  /** The client is at work. */
  heard(): void {
    if (!this.#response && !this.#relay.isDone) this.#silence?.refresh();
  }

  answer(response: IncomingMessage): void {
    clearTimeout(this.#silence);
    this.#response = response;
    const { statusCode = 0, statusMessage = '', rawHeaders } = response;
    if (!this.#relay.head(statusCode, statusMessage, rawHeaders, response)) response.destroy();
    response.on('data', (chunk: Buffer) => this.#relay.data(chunk));
    response.on('end', () => this.#relay.end());
    response.on('error', (error) => this.#relay.fail(error));
  }

  fail(error: Error): void {
    // What the target sends behind a whole answer is no part of it.
    if (this.#response?.complete) return;
    clearTimeout(this.#silence);
    this.#relay.fail(this.#isConnected ? error : asUnconnected(error));
  }

  readonly cancel = (): void => {
    clearTimeout(this.#silence);
    this.#relay.abandon();
    this.#outgoing?.destroy();
  };

  #silent(): void {
    const { complete, destroyed } = this.#incoming;
    // The client is at work, not the target.
    if (!complete && !destroyed && !this.#outgoing?.writableNeedDrain) {
      this.heard();
      return;
    }
    const error = timedOut();
    this.#outgoing?.destroy(error);
    // One that waits for a connection says nothing of its end.
    this.fail(error);
  }
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
