import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ownFault, problemOfError, sendProblem } from './problem.ts';

/** Handles the requests of a server. */
export type Handler = (req: IncomingMessage, res: ServerResponse) => void;

/** A client's connection. Its requests are answered one after the other, whatever it sends at once (RFC 9112 9.3.2). */
export class Client {
  readonly socket: Duplex;
  /** Undefined where the client was gone from the beginning. */
  readonly address: string | undefined;
  /** Called when the client goes away. */
  onGone: (() => void) | undefined;
  /** The server has ended it, and not the client. */
  isCutByStop = false;
  /** The response to the last request that came. */
  last: ServerResponse | undefined;
  /** The response to the last request that began. */
  current: ServerResponse | undefined;
  /** Something else than HTTP has the connection. */
  isTaken = false;
  /** Begins in the place of the last request. */
  instead: (() => void) | undefined;
  readonly #gone = new AbortController();

  constructor(socket: Duplex) {
    this.socket = socket;
    this.address = (socket as Socket).remoteAddress?.replace(/^::ffff:(?=\d+\.)/, '');
    socket.once('close', () => {
      this.onGone?.();
      this.abort();
    });
  }

  /** Aborted when the client is gone. One for all of its requests: most of them need none. */
  get signal(): AbortSignal {
    return this.#gone.signal;
  }

  get isAnswered(): boolean {
    return this.last?.closed ?? true;
  }

  abort(): void {
    this.#gone.abort();
  }

  /** Begins a request, or something else, when the request before it is answered: at once, if there is none. */
  inTurn(begin: () => void, res?: ServerResponse): void {
    const { last, isAnswered, socket } = this;
    const go = () => {
      if (socket.destroyed || !socket.writable) return;
      if (res) this.current = res;
      if (this.instead && res === this.last) this.instead();
      else begin();
    };
    if (res) this.last = res;
    if (isAnswered) go();
    else last?.once('close', go);
  }

  /** Closes the connection because the server is to stop. */
  cutByStop(): void {
    this.isCutByStop = true;
    this.socket.destroy();
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

/**
 * Handles each request in its turn: Node hands on all that a client sends at once. A handler that throws is a fault of ours: the request
 * goes nowhere, and others go on.
 */
export function inTurn(handler: Handler): Handler {
  return (req, res) => {
    const begin = () => {
      try {
        handler(req, res);
      } catch (error) {
        if (res.headersSent) return res.destroy();
        res.shouldKeepAlive = false;
        sendProblem(res, problemOfError(ownFault(error)));
      }
    };
    clientOf(req.socket).inTurn(begin, res);
  };
}
