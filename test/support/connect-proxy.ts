/** A forward proxy that takes CONNECT alone. It knows each name that ends in `.test`: it leads to this machine. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Pair } from './certificates.ts';
import { cleanUpLater } from './clean-up.ts';

export interface ConnectProxy {
  /** `http://127.0.0.1:40123` */
  url: string;
  port: number;
  /** `staging.test:443`, oldest first. */
  asked: string[];
  /** Its sockets that are open, to clients and to targets. */
  sockets: ReadonlySet<Socket>;
  /** Cuts all connections, and takes no more. */
  close(): Promise<void>;
}

export interface ConnectProxyOptions {
  /** Speaks TLS, with that certificate. */
  tls?: Pair;
  /** The only ones that it takes: `me:secret`. */
  credentials?: string;
  /** What it does instead. */
  instead?: (req: IncomingMessage, socket: Socket) => void;
  port?: number;
}

export async function startConnectProxy(options: ConnectProxyOptions = {}): Promise<ConnectProxy> {
  const { tls, credentials, instead, port: wanted = 0 } = options;
  const server: Server = tls ? createSecureServer(tls) : createServer();
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket.on('error', () => undefined).once('close', () => sockets.delete(socket)));
    return socket;
  };
  const expected = credentials && `Basic ${Buffer.from(credentials).toString('base64')}`;
  server.on('connection', keep);
  server.on('connect', (req: IncomingMessage, client: Socket) => {
    asked.push(req.url as string);
    keep(client);
    if (expected && req.headers['proxy-authorization'] !== expected)
      return client.end('HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n');
    // Node leaves its own half open.
    if (instead)
      return instead(
        req,
        client.resume().once('end', () => client.destroy()),
      );
    const { hostname, port } = new URL(`http://${req.url}`);
    const host = hostname.endsWith('.test') ? '127.0.0.1' : hostname;
    const other = keep(connect(Number(port) || 80, host));
    other.once('error', () => client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'));
    other.once('connect', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      client.pipe(other).pipe(client);
    });
    client.once('close', () => other.destroy());
    return other.once('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(wanted, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  cleanUpLater(close);
  return { url: `http${tls ? 's' : ''}://127.0.0.1:${port}`, port, asked, sockets, close };
}
