import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** A client's connection, and what is under way on it. */
export class Client {
  exchange: { gone(): void } | undefined;
  readonly #controller = new AbortController();

  constructor(socket: Duplex) {
    socket.once('close', () => {
      this.exchange?.gone();
      this.#controller.abort();
    });
  }

  /** Aborted when it is gone. One for all of its requests: most of them need none. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abort(): void {
    this.#controller.abort();
  }
}

const clients = new WeakMap<Duplex, Client>();

export function clientOf(socket: Duplex): Client {
  let client = clients.get(socket);
  if (!client) {
    client = new Client(socket);
    clients.set(socket, client);
  }
  return client;
}

/** The address of a client; it is not known any more once the client has gone. */
export function addressOf({ socket }: IncomingMessage): string | undefined {
  return socket.remoteAddress?.replace(/^::ffff:(?=\d+\.)/, '');
}

const cut = new WeakSet<Duplex>();

/** Closes a client's connection because the server is to stop. */
export function cutByStop(socket: Duplex): void {
  cut.add(socket);
  socket.destroy();
}

/** Whether it was the server that ended the connection, and not the client. */
export function isCutByStop(socket: Duplex): boolean {
  return cut.has(socket);
}

/** Breaks a connection with a TCP reset, which tells the client that nothing more comes; over TLS it is closed without a word. */
export function resetConnection(socket: Socket): void {
  if ('encrypted' in socket) socket.destroy();
  else socket.resetAndDestroy();
}
