import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { PatchgateError } from '../errors.ts';

/** Handles the requests of a server. */
export type Handler = (req: IncomingMessage, res: ServerResponse) => void;

/** A client's connection. Its requests are answered one after the other, whatever it sends at once (RFC 9112 9.3.2). */
export class Client {
  /** Undefined if the client was gone from the beginning. */
  readonly address: string | undefined;
  /** One for all of its requests: most of them need none. */
  readonly gone = new AbortController();
  /** Told that the request is over: the client is gone, or gets `error` as its answer. */
  onGone: ((error?: PatchgateError) => void) | undefined;
  /** The server has ended it, and not the client. */
  isCutByStop = false;
  /** Something else than HTTP has the connection. */
  isTaken = false;
  /** The response to the last request that came. */
  last: ServerResponse | undefined;
  /** The response to the last request that began. */
  current: ServerResponse | undefined;
  /** Begins in the place of the last request. */
  instead: (() => void) | undefined;
  /** Requests whose turn has not come. */
  #waiting = 0;

  constructor(readonly socket: Duplex) {
    this.address = (socket as Socket).remoteAddress?.replace(/^::ffff:(?=\d+\.)/, '');
    socket.once('close', () => this.giveUp());
  }

  /** Ends the work on its request. */
  giveUp(error?: PatchgateError): void {
    this.onGone?.(error);
    this.gone.abort();
  }

  get isAnswered(): boolean {
    return this.last?.closed ?? true;
  }

  /** Begins a request, or something else, when the request before it is answered: at once, if there is none. */
  inTurn(begin: () => void, res?: ServerResponse): void {
    const { last, isAnswered, socket } = this;
    const go = () => {
      this.#waiting--;
      if (socket.destroyed || !socket.writable) return;
      if (res) this.current = res;
      if (this.instead && res === this.last) this.instead();
      else begin();
    };
    if (res) this.last = res;
    // Node reads on while one request is under way, however many come.
    if (++this.#waiting > 1000) socket.destroy();
    if (isAnswered) go();
    else last?.once('close', go);
  }
}

const clients = new WeakMap<Duplex, Client>();

export function clientOf(socket: Duplex): Client {
  const known = clients.get(socket);
  if (known) return known;
  const client = new Client(socket);
  clients.set(socket, client);
  return client;
}

/** Breaks a connection with a TCP reset, which tells the client that nothing more comes; over TLS it is closed without a word. */
export function resetConnection(socket: Socket): void {
  if ('encrypted' in socket) socket.destroy();
  else socket.resetAndDestroy();
}
