import {
  createServer,
  type IncomingMessage,
  maxHeaderSize,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { PatchgateError, systemCode } from '../../errors.ts';
import type { ServerTls } from '../../http/tls.ts';
import { amount } from '../../reporters/wording.ts';
import { isLoopback } from '../access.ts';
import { cutByStop } from '../connections.ts';
import { problemText } from '../problem.ts';
import { refuseOwnTarget } from './own-target.ts';
import { isWebSocket, readAgain, whenAnswered } from './read-again.ts';

export interface Handlers {
  request(req: IncomingMessage, res: ServerResponse): void;
  /** A WebSocket's handshake: GET with `Upgrade: websocket`. Where it answers false, or is not there, that is a request
   *  like any other. */
  upgrade?: ((req: IncomingMessage, socket: Duplex, head: Buffer) => boolean) | undefined;
  /** Told of what could not be read as a request, or asks for a tunnel, and was answered with this error. */
  unread(error: PatchgateError): void;
}

export interface ListenOptions {
  host: string;
  /** 0 takes a free one. */
  port: number;
  /** What gives the port. Default `--port`. */
  portFlag?: string;
  /** Milliseconds that a client may take for a request's head. */
  clientTimeout: number;
  /** Milliseconds that requests in flight have once the server is to close. Default 5,000. */
  stopTimeout?: number;
  /** Takes one notice for people: who keeps it from closing. */
  notice(text: string): void;
  /** What it proves itself with; without it, it speaks plain HTTP. */
  tls?: ServerTls | undefined;
  /** URL that requests are forwarded to. */
  target?: string | undefined;
}

export interface Listening {
  /** `http://127.0.0.1:4010`, or `https://…` where it speaks TLS. */
  url: string;
  /** Whether it can be reached from this machine only. */
  isLoopback: boolean;
  /** Takes no new connection, lets what is in flight finish until the timeout, then cuts off the rest. Each request's
   *  handler knows of its end by then. */
  close(): Promise<void>;
}

/** Milliseconds that clients have to take a last answer. */
const GRACE = 5000;
/** Milliseconds that a close takes before it says what it waits for. */
const UNSAID = 250;

/** @throws PatchgateError `cannot-listen`, naming the address and what to do; `bad-usage` where the target is this server */
export async function listen(handlers: Handlers, options: ListenOptions): Promise<Listening> {
  const { host, port, portFlag = '--port', clientTimeout, stopTimeout = 5000, notice, tls, target } = options;
  const limits = {
    keepAliveTimeout: 65_000,
    headersTimeout: clientTimeout,
    // A body has its own limits, in the data path: a long upload is no slow client.
    requestTimeout: 0,
    // Node would answer without a word; the data path and the control API look for it themselves.
    requireHostHeader: false,
    connectionsCheckingInterval: Math.ceil(clientTimeout / 4),
  };
  const server: Server = tls
    ? createSecureServer({ ...limits, handshakeTimeout: clientTimeout, ...tls }, handlers.request)
    : createServer(limits, handlers.request);
  // By default those past some thousand are dropped: one that gives a body its length could hide there.
  server.maxHeadersCount = 0;
  answerClientErrors(server, handlers.unread);
  const connections = socketsOf(server, tls ? 'secureConnection' : 'connection');
  /** Below TLS: those that shake hands yet are known to nobody else. */
  const carriers = tls ? socketsOf(server, 'connection') : new Set<Socket>();
  /** Node has let go of them. */
  const upgraded = new Set<Duplex>();
  const hold = (socket: Duplex) =>
    upgraded.add(socket) && socket.once('close', () => upgraded.delete(socket));
  server.on('connect', (_, socket: Duplex) => {
    hold(socket);
    whenAnswered(socket, () => {
      handlers.unread(NO_TUNNELS);
      endWith(socket, NO_TUNNELS);
    });
  });
  // Without a listener Node would take such a request for any other, but lose what the client has sent right behind it.
  server.on('upgrade', (req: IncomingMessage, socket: Duplex, head: Buffer) => {
    whenAnswered(socket, () => {
      if (isWebSocket(req) && handlers.upgrade?.(req, socket, head)) hold(socket);
      else readAgain(server, req, socket, head);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(cannotListen(error, host, port, portFlag)));
    server.listen(port, host, resolve);
  });
  const at = server.address() as AddressInfo;
  const waiting = () => [...connections].filter((socket) => (socket as Connection)._httpMessage).length;
  const close = async () => {
    const limit = `${stopTimeout / 1000}s`;
    const say = setTimeout(() => {
      if (waiting() > 0) notice(`waiting for ${amount(waiting(), 'request')}, ${limit} at most`);
    }, UNSAID);
    const force = setTimeout(() => {
      if (waiting() > 0) notice(`${amount(waiting(), 'request')} cut off: not over within ${limit}`);
      for (const socket of connections) cutByStop(socket);
    }, stopTimeout);
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of upgraded) cutByStop(socket);
    const all = [...connections].map((socket) => new Promise((resolve) => socket.once('close', resolve)));
    for (const socket of connections) {
      const answer = (socket as Connection)._httpMessage;
      if (answer && !answer.headersSent) answer.shouldKeepAlive = false;
      // Node leaves those open that never sent a request, and those that are answered from now on.
      whenAnswered(socket, () => socket.destroySoon());
    }
    // The server does not wait until a request that was cut is told of.
    await Promise.all(all);
    for (const socket of carriers) cutByStop(socket);
    await closed;
    clearTimeout(say);
    clearTimeout(force);
  };
  try {
    if (target !== undefined) await refuseOwnTarget(target, at);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    url: urlOf(at, host, tls ? 'https' : 'http'),
    isLoopback: isLoopback(at.address),
    close,
  };
}

/** The sockets that are open. */
function socketsOf(server: Server, event: 'connection' | 'secureConnection'): ReadonlySet<Socket> {
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

function urlOf({ address, family, port }: AddressInfo, host: string, scheme: 'http' | 'https'): string {
  const name = host === 'localhost' ? host : family === 'IPv6' ? `[${address}]` : address;
  return `${scheme}://${name}:${port}`;
}

function cannotListen(cause: Error, host: string, port: number, portFlag: string): PatchgateError {
  const isInUse = systemCode(cause) === 'EADDRINUSE';
  const reason = isInUse ? 'the port is in use' : cause.message;
  return new PatchgateError('cannot-listen', `cannot listen on ${host}:${port}: ${reason}`, {
    hint: isInUse
      ? `end what uses it, or choose another with ${portFlag} (0 takes a free one)`
      : `choose an address of this machine with --host, and a port above 1023 with ${portFlag}`,
    cause,
  });
}

const NO_TUNNELS = new PatchgateError(
  'not-allowed',
  'the gate opens no tunnels: it forwards to its one target',
  { hint: "give Patchgate's address as the base URL of the client, not as its HTTP proxy" },
);

/** The last answer of a connection. What else the client sends goes nowhere. */
function endWith(socket: Duplex, error: PatchgateError): void {
  const end = setTimeout(() => socket.destroy(), GRACE).unref();
  socket.once('close', () => clearTimeout(end));
  socket.end(problemText(error)).resume();
}

/** Node's own parts of a connection, as far as they are needed here. */
interface Connection extends Socket {
  _httpMessage?: ServerResponse | null;
  parser?: { incoming?: IncomingMessage | null } | null;
}

/**
 * Answers what Node's parser could not read as a request, or waited for in vain, behind the answers to earlier requests.
 *
 * @param onUnread told of each that has no handler of its own to report it
 */
function answerClientErrors(server: Server, onUnread: (error: PatchgateError) => void): void {
  const answered = new WeakSet<Socket>();
  server.on('clientError', (thrown: Error, socket: Connection) => {
    // The parser says so again of everything that is still to come.
    if (answered.has(socket)) return;
    answered.add(socket);
    const error = errorOf(thrown);
    // Browsers connect in advance: one that has not sent a byte asks for nothing.
    if (error === undefined || !socket.writable || socket.bytesRead === 0) {
      socket.destroy();
      return;
    }
    const { incoming } = socket.parser ?? {};
    const broken = incoming && !incoming.complete ? incoming : undefined;
    // One whose turn has not come never gets to a handler.
    if (!broken || (socket._httpMessage && socket._httpMessage.req !== broken)) onUnread(error);
    const answer = () => {
      const { _httpMessage: response } = socket;
      if (socket.destroyed) return;
      const isOfEarlier = response && response.req !== broken;
      // Node takes a client that has closed its end for gone, but not where that was within a further request. A client that has
      // its answer, or a part of it, would take another for the next one's.
      if (isOfEarlier && !socket.readableEnded) response.once('close', answer);
      else if (isOfEarlier || (broken && (!response || response.headersSent))) socket.destroy();
      else endWith(socket, error);
    };
    answer();
  });
}

/** Undefined where the connection itself broke, and no client is there to be told. */
function errorOf(thrown: Error): PatchgateError | undefined {
  const code = systemCode(thrown) ?? '';
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new PatchgateError('client-timeout', "the client did not send its request's head in time", {
      hint: 'send it sooner',
    });
  if (code === 'HPE_HEADER_OVERFLOW')
    return new PatchgateError(
      'head-too-large',
      `the request's head or trailers have more than ${maxHeaderSize} bytes`,
    );
  // The parser's own words, from a fixed list: nothing of the request stands in them.
  const reason = 'reason' in thrown && typeof thrown.reason === 'string' ? `: ${thrown.reason}` : '';
  return code.startsWith('HPE_')
    ? new PatchgateError('malformed-request', `the request is not well-formed HTTP/1.1${reason}`)
    : undefined;
}
