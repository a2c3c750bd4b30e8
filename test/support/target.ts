/** A target that keeps what it receives. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import {
  type AddressInfo,
  createServer as createSocketServer,
  type Socket,
  type Server as SocketServer,
} from 'node:net';
import type { Pair } from './certificates.ts';
import { cleanUpLater } from './clean-up.ts';

export interface Received {
  method: string;
  url: string;
  /** Name, value, name, value, … as they came. */
  rawHeaders: readonly string[];
  /** By name in lower case. */
  headers: IncomingMessage['headers'];
  body: Buffer;
}

export interface Target {
  /** `http://127.0.0.1:40123`, or `https://…` */
  url: string;
  port: number;
  server: Server;
  /** Whole requests, oldest first. */
  received: Received[];
  close(): Promise<void>;
}

export type Answer = (req: IncomingMessage, res: ServerResponse, body: Buffer) => void;

/**
 * @param answer called once a request is there whole; without it, each is answered with `{"ok":true}`
 * @param tls speaks TLS, with that certificate
 */
export async function startTarget(answer: Answer = answerOk, tls?: Pair): Promise<Target> {
  const received: Received[] = [];
  const onRequest = async (req: IncomingMessage, res: ServerResponse) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of req) chunks.push(chunk as Buffer);
    } catch {
      return;
    }
    const body = Buffer.concat(chunks);
    const { method = '', url = '', rawHeaders, headers } = req;
    received.push({ method, url, rawHeaders, headers, body });
    answer(req, res, body);
  };
  return serve(received, onRequest, tls);
}

/** A target that is handed each request as soon as its head is there, and keeps nothing. */
export function startStreamingTarget(
  answer: (req: IncomingMessage, res: ServerResponse) => void,
): Promise<Target> {
  return serve([], answer);
}

function serve(
  received: Received[],
  onRequest: (req: IncomingMessage, res: ServerResponse) => void,
  tls?: Pair,
): Promise<Target> {
  // Nothing is cut off here: it is the proxy that is tested.
  const options = { requestTimeout: 0, maxHeaderSize: 65_536 };
  const server: Server = tls
    ? createSecureServer({ ...options, ...tls }, onRequest)
    : createServer(options, onRequest);
  server.maxHeadersCount = 0;
  return listening(server, tls ? 'https' : 'http', { server, received }, () => server.closeAllConnections());
}

export interface RawTarget {
  url: string;
  port: number;
  /** Connections made so far. */
  sockets: Socket[];
  close(): Promise<void>;
}

/** A target without any HTTP of its own: for answers that no well-behaved server gives. */
export function startRawTarget(onSocket: (socket: Socket) => void): Promise<RawTarget> {
  const sockets: Socket[] = [];
  const server = createSocketServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    onSocket(socket);
  });
  return listening(server, 'http', { sockets }, () => {
    for (const socket of sockets) socket.destroy();
  });
}

/** @param cut ends its connections */
async function listening<T extends object>(server: SocketServer, scheme: string, more: T, cut: () => void) {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      cut();
    });
  cleanUpLater(close);
  return { ...more, url: `${scheme}://127.0.0.1:${port}`, port, close };
}

let lastPort = Math.floor(Math.random() * 12_000);

/** A port of 127.0.0.1 on which nobody listens. No system gives it to those who ask for any: it stays free. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + (++lastPort % 12_000);
    const server = createSocketServer();
    const isFree = new Promise((resolve) => {
      server.once('error', () => resolve(false)).once('listening', () => server.close(() => resolve(true)));
    });
    server.listen(port, '127.0.0.1');
    if (await isFree) return port;
  }
}

function answerOk(_req: IncomingMessage, res: ServerResponse): void {
  res.setHeader('content-type', 'application/json');
  res.end('{"ok":true}');
}
