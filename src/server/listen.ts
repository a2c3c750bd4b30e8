import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  maxHeaderSize,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { PatchgateError, systemCode } from '../errors.ts';
import { headerValues, withoutHeaders } from '../http/http.ts';
import type { KeyPair } from '../http/tls.ts';
import { addressOf } from '../upstreams/target.ts';
import { isLoopback } from './access.ts';
import { type Client, clientOf, type Handler } from './connections.ts';
import { unclearFraming } from './framing.ts';
import { ownFault, problemOfError, problemText, sendProblem } from './problem.ts';

export interface Handlers {
  request: Handler;
  /** A WebSocket's handshake: GET with `Upgrade: websocket`. If it answers false, that is a request like any other. */
  upgrade?: ((req: IncomingMessage, socket: Duplex, head: Buffer) => boolean) | undefined;
  /** Told of what could not be read as a request, or asks for a tunnel, and is answered with this error. */
  unread(error: PatchgateError): void;
}

export interface ListenOptions {
  host: string;
  port: number;
  /** Milliseconds that a client may take for a request's head; for all of the request, five times that. Default a minute. */
  clientTimeout?: number | undefined;
  /** Without it, the server speaks plain HTTP. */
  tls?: KeyPair | undefined;
  target?: string | undefined;
}

export interface Listening {
  url: string;
  /** Whether it can be reached from this machine only. */
  isLoopback: boolean;
  /** Takes no new connection, lets requests in flight finish for five seconds, then cuts them off. Their handlers know of it by then. */
  close(): Promise<void>;
}

/** Milliseconds that requests in flight have once the server is to close, and that clients have to take a last answer. */
const GRACE = 5000;

/** @throws PatchgateError `cannot-listen`, naming the address and what to do; `bad-usage` if the target is this server */
export async function listen(handlers: Handlers, options: ListenOptions): Promise<Listening> {
  const { host, port, clientTimeout = 60_000, tls, target } = options;
  if (target !== undefined && leadsHere(target, host, port)) {
    const message = `the target ${target} is this server itself: it leads to port ${port} of this machine`;
    const hint = 'give the address of the service, or listen elsewhere with --port';
    throw new PatchgateError('bad-usage', message, { hint });
  }
  const request: Handler = (req, res) =>
    clientOf(req.socket).inTurn(() => begin(handlers.request, req, res), res);
  const limits = {
    keepAliveTimeout: 65_000,
    headersTimeout: clientTimeout,
    requestTimeout: 5 * clientTimeout,
    // Node would answer without a word; the data path and the control API look for it themselves.
    requireHostHeader: false,
    connectionsCheckingInterval: Math.ceil(clientTimeout / 4),
  };
  const secure = { ...limits, handshakeTimeout: clientTimeout, ...tls };
  const server: Server = tls
    ? (await import('node:https')).createServer(secure, request)
    : createServer(limits, request);
  // By default those past some thousand are dropped: one that gives a body its length could hide there.
  server.maxHeadersCount = 0;
  /** Below TLS, those that shake hands yet are no clients. */
  const carriers = openOf(server, 'connection');
  const sockets = tls ? openOf(server, 'secureConnection') : carriers;
  answerRest(server, handlers);
  await once(server.listen(port, host), 'listening').catch((error: Error) => {
    throw cannotListen(error, options);
  });
  const close = async () => {
    const clients = [...sockets].map(clientOf);
    const force = setTimeout(() => clients.forEach(cutOff), GRACE);
    const closed = once(server.close(), 'close');
    // The server does not wait until a cut request is in the log.
    await Promise.all(clients.map(closeOnceAnswered));
    for (const socket of carriers) socket.destroy();
    await closed;
    clearTimeout(force);
  };
  const at = server.address() as AddressInfo;
  const name = host === 'localhost' ? host : at.family === 'IPv6' ? `[${at.address}]` : at.address;
  return { url: `${tls ? 'https' : 'http'}://${name}:${at.port}`, isLoopback: isLoopback(at.address), close };
}

/** A handler that throws is a fault of ours: the request goes nowhere, and others go on. */
function begin(handler: Handler, req: IncomingMessage, res: ServerResponse): void {
  try {
    handler(req, res);
  } catch (error) {
    res.shouldKeepAlive = false;
    if (res.headersSent) res.destroy();
    else sendProblem(res, problemOfError(ownFault(error)));
  }
}

function openOf(server: Server, event: 'connection' | 'secureConnection'): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on(event, (socket: Socket) => {
    // One that is read again comes a second time.
    if (sockets.has(socket)) return;
    sockets.add(socket);
    // The other end may vanish at any time, also while nobody else listens.
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
  });
  return sockets;
}

function cutOff(client: Client): void {
  client.isCutByStop = true;
  client.socket.destroy();
}

function closeOnceAnswered(client: Client): Promise<unknown> {
  const { socket, last } = client;
  const closed = new Promise((resolve) => socket.once('close', resolve));
  // Nobody knows when that ends.
  if (client.isTaken) cutOff(client);
  if (last && !last.headersSent) last.shouldKeepAlive = false;
  // Node leaves those open that never sent a request, and those that are answered from now on.
  client.inTurn(() => (socket as Socket).destroySoon());
  return closed;
}

/** A target that is this server would be asked by itself, again and again. */
function leadsHere(target: string, ownHost: string, own: number): boolean {
  const { host, port } = addressOf(new URL(target));
  return port === own && ([ownHost, 'localhost', '0.0.0.0', '::'].includes(host) || isLoopback(host));
}

function cannotListen(cause: Error, { host, port }: ListenOptions): PatchgateError {
  const isInUse = systemCode(cause) === 'EADDRINUSE';
  const reason = isInUse ? 'the port is in use' : cause.message;
  const hint = isInUse
    ? `end what uses it, or choose another with --port or --ui (0 takes a free one)`
    : `choose an address of this machine with --host, and a port above 1023 with --port or --ui`;
  return new PatchgateError('cannot-listen', `cannot listen on ${host}:${port}: ${reason}`, { hint, cause });
}

const NO_TUNNELS = new PatchgateError(
  'not-allowed',
  'the gate opens no tunnels: it forwards to its one target',
  { hint: "give Patchgate's address as the base URL of the client, not as its HTTP proxy" },
);

/** Answers what Node gives to no handler of requests: tunnels, upgrades, and what its parser could not read. */
function answerRest(server: Server, { upgrade, unread }: Handlers): void {
  const refused = new WeakSet<Client>();
  server.on('connect', (_, socket: Duplex) => {
    const client = clientOf(socket);
    client.inTurn(() => {
      client.isTaken = true;
      unread(NO_TUNNELS);
      endWith(socket, NO_TUNNELS);
    });
  });
  // Without a listener Node would take such a request for any other, but lose what the client has sent right behind it.
  server.on('upgrade', (req: IncomingMessage, socket: Duplex, head: Buffer) => {
    const client = clientOf(socket);
    client.inTurn(() => {
      client.isTaken = isWebSocket(req) && upgrade?.(req, socket, head) === true;
      if (!client.isTaken) readAgain(server, req, socket, head);
    });
  });
  server.on('clientError', (thrown: Error, socket: Socket) => {
    const client = clientOf(socket);
    // The parser says so again of everything that is still to come.
    if (refused.has(client)) return;
    refused.add(client);
    const { last, current, isAnswered } = client;
    const broken = last?.req.complete ? undefined : last;
    const error = errorOf(thrown, broken ? 'body' : 'head');
    // Browsers connect in advance: one that has not sent a byte asks for nothing.
    if (error === undefined || !socket.writable || socket.bytesRead === 0) return void socket.destroy();
    const isFirst = isAnswered || current === broken;
    // One whose turn has not come never gets to a handler.
    if (!broken || !isFirst) unread(error);
    // A client that has its answer, or a part of it, would take another for the next one's.
    const answer = () => (broken?.headersSent ? socket.destroy() : endWith(socket, error));
    if (isFirst) {
      answer();
      // One that has closed its end has broken off its request.
      client.giveUp(socket.readableEnded ? undefined : error);
    }
    // Node takes a client that has closed its end for gone, but not within a further request.
    else if (socket.readableEnded) socket.destroy();
    else if (broken) client.instead = answer;
    else client.inTurn(answer);
  });
}

/** The last answer of a connection. What else the client sends goes nowhere. */
function endWith(socket: Duplex, error: PatchgateError): void {
  const end = setTimeout(() => socket.destroy(), GRACE).unref();
  socket.once('close', () => clearTimeout(end));
  socket.end(problemText(error)).resume();
}

/** Whether a request to upgrade asks for a WebSocket, and for nothing else. */
function isWebSocket(req: IncomingMessage): boolean {
  const { method, headers, rawHeaders } = req;
  const isFramed = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  const upgrades = headerValues(rawHeaders, 'upgrade').map((value) => value.trim().toLowerCase());
  return method === 'GET' && !isFramed && !unclearFraming(req) && upgrades.join() === 'websocket';
}

/** Has a request judged without its `Upgrade`: Node's parser is off the connection. Java's client asks for h2c with each request. */
function readAgain(server: Server, req: IncomingMessage, socket: Duplex, head: Buffer): void {
  const headers = withoutHeaders(req.rawHeaders, (name) => name === 'upgrade' || name === 'http2-settings');
  let text = `${req.method} ${req.url} HTTP/${req.httpVersion}\r\n`;
  for (let i = 0; i + 1 < headers.length; i += 2) text += `${headers[i]}: ${headers[i + 1]}\r\n`;
  // Set when the connection was idle last; the server's own idea of it is gone.
  (socket as Socket).setTimeout(0);
  socket.unshift(Buffer.concat([Buffer.from(`${text}\r\n`, 'latin1'), head]));
  server.emit('encrypted' in socket ? 'secureConnection' : 'connection', socket);
}

/** Undefined if the connection itself broke, and no client is there to be told. */
function errorOf(thrown: Error, part: 'head' | 'body'): PatchgateError | undefined {
  const code = systemCode(thrown) ?? '';
  const late = `the client did not send its request's ${part} in time`;
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new PatchgateError('client-timeout', late, { hint: 'send it sooner' });
  const long = `the request's head or trailers have more than ${maxHeaderSize} bytes`;
  if (code === 'HPE_HEADER_OVERFLOW') return new PatchgateError('head-too-large', long);
  if (!code.startsWith('HPE_')) return undefined;
  // The parser's own words, from a fixed list: nothing of the request stands in them.
  const reason = 'reason' in thrown && typeof thrown.reason === 'string' ? `: ${thrown.reason}` : '';
  return new PatchgateError('malformed-request', `the request is not well-formed HTTP/1.1${reason}`);
}
