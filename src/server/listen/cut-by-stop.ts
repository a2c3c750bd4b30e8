import type { Duplex } from 'node:stream';

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
