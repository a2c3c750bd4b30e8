import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

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

/** The connection that a TLS socket runs over: only that one can be reset. */
const carriers = new WeakMap<Socket, Socket>();

export function carriedBy(socket: Socket, carrier: Socket): void {
  carriers.set(socket, carrier);
}

/** Breaks a connection with a TCP reset, which tells the client that nothing more comes. Where another server has done the TLS,
 *  it is closed without a word. */
export function resetConnection(socket: Socket): void {
  const carrier = carriers.get(socket);
  if (carrier === undefined && 'encrypted' in socket) socket.destroy();
  else (carrier ?? socket).resetAndDestroy();
}
