import { Agent, type ClientRequest, type IncomingMessage, ServerResponse } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import type { Socket } from 'node:net';
import { type Duplex, Stream } from 'node:stream';
import httpProxy from 'http-proxy';
import { PatchgateError, systemCode } from '../errors.ts';
import { announcesBody } from '../http/http.ts';
import { CONNECTIONS_AT_MOST, type ForwardOptions, outgoingHeaders, outgoingPath } from './outgoing.ts';
import { Receiver } from './receiver.ts';
import { addressOf, asUnconnected, targetError, timedOut } from './target.ts';
import { type Answer, stopped, type UpstreamRequest } from './upstream.ts';

/** What became of a WebSocket's handshake: the target's answer, 101 or a refusal, or why there is none. */
export type UpgradeOutcome = { status: number; headers: readonly string[] } | { error: PatchgateError };

/** Milliseconds that a connection may be idle, unless the target's `Keep-Alive` says less: it might close just when it is used. */
const IDLE_AT_MOST = 4000;
/** The target may have acted on any other already (RFC 9110 9.2.2). */
const REPEATABLE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
const RESETS: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE']);

/** Requests that stream, and WebSockets, through http-proxy. Headers and path are set as they were sent. */
export class Streams {
  readonly #options: ForwardOptions;
  readonly #proxy: httpProxy<IncomingMessage, ServerResponse>;
  readonly #pool: Agent;
  /** Each request gets a connection of its own. */
  readonly #fresh: Agent;

  constructor(options: ForwardOptions) {
    const { target, tls } = options;
    const where = { protocol: target.url.protocol, ...addressOf(target.url) };
    this.#options = options;
    this.#pool = agentOf(options, true);
    this.#fresh = agentOf(options, false);
    this.#proxy = httpProxy.createProxyServer({
      target: { ...where, hostname: where.host } as httpProxy.ServerOptions['target'] & object,
      ...{ ignorePath: true, selfHandleResponse: true, secure: tls.rejectUnauthorized },
    });
  }

  send(request: UpstreamRequest, signal: AbortSignal, agent = this.#pool): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const { method, url, headers, stream: incoming } = request;
      const hasBody = announcesBody(headers);
      const receiver = new Receiver(request, this.#options, signal, resolve, reject);
      const list = outgoingHeaders(request, this.#options);
      // The framing is this connection's own, but what the client chose is kept: a chunked upload stays chunked.
      if (incoming.headers['transfer-encoding'] !== undefined) list.push('transfer-encoding', 'chunked');
      let sent: Sent | undefined;
      const begin = (outgoing: ClientRequest) => {
        setRequest(outgoing, outgoingPath(this.#options.target.path, url), list);
        sent = new Sent(outgoing, receiver, fail);
        if (!hasBody) outgoing.end();
        else sent.pipe(incoming);
      };
      const fail = (error: Error) => {
        // The target may have closed an idle connection just when it was to be used again: that is no failure of its.
        if (agent === this.#pool && !hasBody && REPEATABLE.has(method) && sent?.wasIdle(error)) {
          if (receiver.dismiss()) resolve(this.send(request, signal, this.#fresh));
        } else if (!sent?.response?.complete)
          receiver.fail(sent?.isConnected === false ? asUnconnected(error) : error);
      };
      incoming.headers = {};
      this.#proxy.web(incoming, new ServerResponse(incoming), { agent, buffer: new Hook(begin) }, fail);
    });
  }

  /** Joins the client's socket with one to the target, if the target agrees. */
  upgrade(
    incoming: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    done: (outcome: UpgradeOutcome) => void,
  ): void {
    const { target, timeout } = this.#options;
    let report: typeof done | undefined = done;
    const once: typeof done = (outcome) => {
      report?.(outcome);
      report = undefined;
    };
    const asked = { headers: incoming.rawHeaders, stream: incoming };
    const headers = [...outgoingHeaders(asked, this.#options), 'connection', 'Upgrade'];
    this.#proxy.once('proxyReqWs', (outgoing) => {
      setRequest(outgoing, outgoingPath(target.path, incoming.url as string), headers);
      const giveUp = () => outgoing.destroy(outgoing.socket ? timedOut() : asUnconnected(timedOut()));
      const silence = timeout === 0 ? undefined : setTimeout(giveUp, timeout).unref();
      const answered = (answer: IncomingMessage) => {
        clearTimeout(silence);
        once({ status: answer.statusCode as number, headers: answer.rawHeaders });
      };
      outgoing.once('close', () => clearTimeout(silence));
      socket.once('close', () => {
        const message = 'the client went away before the target answered';
        once({ error: new PatchgateError('target-unreachable', message) });
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
    });
    incoming.headers = { upgrade: 'websocket' };
    this.#proxy.ws(incoming, socket, head, { agent: this.#pool }, (error: Error) =>
      once({ error: targetError(target, error, timeout) }),
    );
  }

  close(): void {
    for (const agent of [this.#pool, this.#fresh]) {
      for (const socket of Object.values(agent.sockets).flat()) socket?.destroy(stopped());
      agent.destroy();
    }
  }
}

function agentOf({ target, tls, tunnel }: ForwardOptions, keepAlive: boolean): Agent {
  const connections = { keepAlive, maxSockets: CONNECTIONS_AT_MOST, timeout: IDLE_AT_MOST };
  const isSecure = target.url.protocol === 'https:';
  const agent = isSecure ? new SecureAgent({ ...connections, ...tls }) : new Agent(connections);
  if (tunnel)
    agent.createConnection = (_, done) => {
      tunnel.open((error, socket) => done?.(error, socket as Socket));
      return undefined as unknown as Socket;
    };
  return agent;
}

/** http-proxy pipes the body into the request that it has made: nothing of that is on the wire yet. */
class Hook extends Stream {
  readonly #begin: (outgoing: ClientRequest) => void;

  constructor(begin: (outgoing: ClientRequest) => void) {
    super();
    this.#begin = begin;
  }

  override pipe<Destination extends NodeJS.WritableStream>(outgoing: Destination): Destination {
    this.#begin(outgoing as unknown as ClientRequest);
    return outgoing;
  }
}

function setRequest(outgoing: ClientRequest, path: string, headers: readonly string[]): void {
  outgoing.path = path;
  // http-proxy gives a chunked DELETE the length 0 and sends its chunks all the same: a way to smuggle a request in.
  outgoing.removeHeader('content-length');
  // By default those of an answer past some thousand are dropped.
  outgoing.maxHeadersCount = 0;
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const [name, value] = [headers[i] as string, headers[i + 1] as string];
    // The first one may be what Node has made of the address: `host` comes first.
    if (i > 0 && outgoing.hasHeader(name)) outgoing.appendHeader(name, value);
    else outgoing.setHeader(name, value);
  }
}

/** A request on its way to the target, and its answer. */
class Sent {
  isConnected = false;
  response: IncomingMessage | undefined;
  readonly #outgoing: ClientRequest;
  readonly #receiver: Receiver;
  #bytesBefore = 0;

  constructor(outgoing: ClientRequest, receiver: Receiver, fail: (error: Error) => void) {
    this.#outgoing = outgoing;
    this.#receiver = receiver;
    receiver.source = {
      pause: () => this.response?.pause(),
      resume: () => this.response?.resume(),
      abort: (reason) => outgoing.destroy(reason),
    };
    outgoing.once('socket', (socket: Socket) => this.#goesOver(socket));
    outgoing.once('response', (response) => this.#answered(response));
    // Without a listener Node would drop the connection without a word.
    outgoing.once('upgrade', (_, socket) => {
      socket.destroy();
      fail(new Error('it switched protocols unasked'));
    });
    // http-proxy keeps to itself that it ended because of the client.
    outgoing.once('close', () => {
      if (!this.response) fail(new PatchgateError('target-unreachable', 'the client broke off its request'));
    });
  }

  /** Sends a body as it comes. */
  pipe(incoming: IncomingMessage): void {
    const outgoing = this.#outgoing;
    this.#receiver.isClientAtWork = () =>
      !incoming.complete && !incoming.destroyed && !outgoing.writableNeedDrain;
    // A target may answer and close without reading all: the rest of the body is then thrown away.
    outgoing.once('close', () => incoming.unpipe(outgoing).resume());
    incoming.on('data', () => this.#receiver.heard());
    incoming.pipe(outgoing);
  }

  /** Whether it failed because its connection was closed while that was idle: the target has not seen it. */
  wasIdle(error: Error): boolean {
    const { reusedSocket, socket } = this.#outgoing;
    return reusedSocket && RESETS.has(systemCode(error) ?? '') && socket?.bytesRead === this.#bytesBefore;
  }

  #goesOver(socket: Socket): void {
    this.isConnected = !socket.connecting;
    this.#bytesBefore = socket.bytesRead;
    if (this.isConnected) return;
    socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => {
      this.isConnected = true;
    });
  }

  #answered(response: IncomingMessage): void {
    const receiver = this.#receiver;
    this.response = response;
    receiver.head(response.statusCode ?? 0, response.statusMessage ?? '', response.rawHeaders);
    response.on('data', (chunk: Buffer) => receiver.data(chunk));
    response.on('end', () => receiver.end());
    response.on('error', (error) => receiver.fail(error));
  }
}
