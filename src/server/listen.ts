import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, BlockList, isIPv6, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { PatchgateError, systemCode } from '../errors.ts';
import { headerValues, withoutHeaders } from '../model/http.ts';

export interface Handlers {
  request(req: IncomingMessage, res: ServerResponse): void;
  /** A WebSocket's handshake: GET with `Upgrade: websocket`. Where it answers false, or is not there, that is a request
   *  like any other. */
  upgrade?: ((req: IncomingMessage, socket: Duplex, head: Buffer) => boolean) | undefined;
}

export interface Listening {
  /** `http://127.0.0.1:4010` */
  url: string;
  /** Takes no new connection, lets what is in flight finish for a while, then closes everything. */
  close(): Promise<void>;
}

/** How long requests in flight may take once the server is to close, in milliseconds. */
const GRACE = 5000;

/** @throws PatchgateError `cannot-listen`, naming the address and what to do */
export async function listen(handlers: Handlers, host: string, port: number): Promise<Listening> {
  const server = createServer({ keepAliveTimeout: 65_000 }, handlers.request);
  // By default those past some thousand are dropped: one that gives a body its length could hide there.
  server.maxHeadersCount = 0;
  const upgraded = new Set<Duplex>();
  const { upgrade } = handlers;
  if (upgrade) {
    server.on('upgrade', (req: IncomingMessage, socket: Duplex, head: Buffer) => {
      // Whoever is at the other end of it may vanish at any time.
      const onError = () => socket.destroy();
      const onClose = () => upgraded.delete(socket);
      socket.on('error', onError).on('close', onClose);
      upgraded.add(socket);
      whenAnswered(socket, () => {
        if (isWebSocket(req) && upgrade(req, socket, head)) return;
        upgraded.delete(socket);
        socket.off('error', onError).off('close', onClose);
        readAgain(server, req, socket, head);
      });
    });
  }
  await start(server, host, port);
  return {
    url: urlOf(server.address() as AddressInfo, host),
    close: () =>
      new Promise((resolve) => {
        const force = setTimeout(() => server.closeAllConnections(), GRACE);
        server.close(() => {
          clearTimeout(force);
          resolve();
        });
        server.closeIdleConnections();
        for (const socket of upgraded) socket.destroy();
      }),
  };
}

function start(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(cannotListen(error, host, port)));
    server.listen(port, host, resolve);
  });
}

function cannotListen(error: Error, host: string, port: number): PatchgateError {
  const reasons: Record<string, [string, string]> = {
    EADDRINUSE: [
      'the port is in use',
      'end what uses it, or choose another with --port (0 takes a free one)',
    ],
    EACCES: ['the port needs more rights', 'choose one above 1023 with --port'],
    EADDRNOTAVAIL: ['this machine has no such address', 'choose one of its own with --host: 127.0.0.1'],
    ENOTFOUND: ['the host name is not known', 'choose an address of this machine with --host: 127.0.0.1'],
  };
  const [reason, hint] = reasons[systemCode(error) ?? ''] ?? [
    error.message,
    'choose another with --host and --port',
  ];
  return new PatchgateError('cannot-listen', `cannot listen on ${host}:${port}: ${reason}`, {
    hint,
    cause: error,
  });
}

function urlOf({ address, port }: AddressInfo, host: string): string {
  const name = host === 'localhost' ? host : isIPv6(address) ? `[${address}]` : address;
  return `http://${name}:${port}`;
}

function isWebSocket(req: IncomingMessage): boolean {
  const upgrades = headerValues(req.rawHeaders, 'upgrade');
  const framed =
    req.headers['content-length'] !== undefined || req.headers['transfer-encoding'] !== undefined;
  return (
    req.method === 'GET' &&
    !framed &&
    upgrades.length === 1 &&
    upgrades[0]?.trim().toLowerCase() === 'websocket'
  );
}

/** Waits for the answers to earlier requests of the connection: a client may have sent all of them at once. */
function whenAnswered(socket: Duplex, done: () => void): void {
  if (socket.destroyed) return;
  // The response that Node is writing to the connection; the next in line takes its place before it closes.
  const { _httpMessage: response } = socket as { _httpMessage?: ServerResponse | null };
  if (response) response.once('close', () => whenAnswered(socket, done));
  else done();
}

/**
 * Node hands every request with `Upgrade` past the handler once there is a listener for upgrades, and takes its parser
 * off the connection. One that asks for anything but a WebSocket (Java's client asks for h2c) is a request like any
 * other: it is read again from its own bytes, without the header, so that it is judged.
 */
function readAgain(server: Server, req: IncomingMessage, socket: Duplex, head: Buffer): void {
  const headers = withoutHeaders(req.rawHeaders, (name) => name === 'upgrade' || name === 'http2-settings');
  let text = `${req.method} ${req.url} HTTP/${req.httpVersion}\r\n`;
  for (let i = 0; i + 1 < headers.length; i += 2) text += `${headers[i]}: ${headers[i + 1]}\r\n`;
  // Set when the connection was idle last; the server's own idea of it is gone.
  (socket as Socket).setTimeout(0);
  socket.unshift(Buffer.concat([Buffer.from(`${text}\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);
LOOPBACK.addAddress('::1', 'ipv6');

/** Whether an address to listen on is reachable from this machine only. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || LOOPBACK.check(host, isIPv6(host) ? 'ipv6' : 'ipv4');
}
