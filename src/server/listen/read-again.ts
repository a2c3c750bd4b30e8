import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Server as TlsServer } from 'node:tls';
import { headerValues, withoutHeaders } from '../../http/http.ts';
import { unclearFraming } from '../framing.ts';

/** Whether a request to upgrade asks for a WebSocket, and for nothing else. */
export function isWebSocket(req: IncomingMessage): boolean {
  const upgrades = headerValues(req.rawHeaders, 'upgrade');
  const framed =
    req.headers['content-length'] !== undefined || req.headers['transfer-encoding'] !== undefined;
  return (
    req.method === 'GET' &&
    !framed &&
    unclearFraming(req) === undefined &&
    upgrades.length === 1 &&
    upgrades[0]?.trim().toLowerCase() === 'websocket'
  );
}

/** Waits for the answers to earlier requests of the connection: a client may have sent all of them at once. */
export function whenAnswered(socket: Duplex, done: () => void): void {
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
export function readAgain(server: Server, req: IncomingMessage, socket: Duplex, head: Buffer): void {
  const headers = withoutHeaders(req.rawHeaders, (name) => name === 'upgrade' || name === 'http2-settings');
  let text = `${req.method} ${req.url} HTTP/${req.httpVersion}\r\n`;
  for (let i = 0; i + 1 < headers.length; i += 2) text += `${headers[i]}: ${headers[i + 1]}\r\n`;
  // Set when the connection was idle last; the server's own idea of it is gone.
  (socket as Socket).setTimeout(0);
  socket.unshift(Buffer.concat([Buffer.from(`${text}\r\n`, 'latin1'), head]));
  server.emit(server instanceof TlsServer ? 'secureConnection' : 'connection', socket);
}
