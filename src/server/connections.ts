import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Something that takes a connection for a while. */
interface Turn {
  begin(turn: Turn): void;
  /** Absent where it is no request. */
  res?: ServerResponse | undefined;
}

/** A client's connection. Its requests are answered one after the other, whatever it sends at once (RFC 9112 9.3.2). */
export class Client {
  readonly socket: Duplex;
  /** Undefined where the client was gone from the beginning. */
  readonly address: string | undefined;
  /** Called when the client goes away. */
  onGone: (() => void) | undefined;
  /** The server has ended it, and not the client. */
  isCutByStop = false;
  /** The response to the last request, unless that request came whole and is answered. */
  last: ServerResponse | undefined;
  readonly #gone = new AbortController();
  readonly #turns: Turn[] = [];

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

  /** What has the connection now. */
  get current(): Turn | undefined {
    return this.#turns[0];
  }

  abort(): void {
    this.#gone.abort();
  }

  /** Begins when everything before it is over: at once, if nothing is there. A request is over with its response. */
  inTurn(begin: Turn['begin'], res?: ServerResponse): void {
    const turn = { begin, res };
    if (res) {
      this.last = res;
      res.once('close', () => this.over(turn));
    }
    this.#turns.push(turn);
    if (this.current === turn) this.#begin(turn);
  }

  /** Answers a request otherwise, in its turn. */
  instead(res: ServerResponse | undefined, begin: Turn['begin']): void {
    const turn = this.#turns.find((one) => one.res === res);
    if (res && turn) turn.begin = begin;
    else this.inTurn(begin);
  }

  over(turn: Turn): void {
    if (this.last === turn.res && this.last?.req.complete) this.last = undefined;
    const index = this.#turns.indexOf(turn);
    this.#turns.splice(index, 1);
    const { current } = this;
    if (index === 0 && current) this.#begin(current);
  }

  /** Closes the connection because the server is to stop. */
  cutByStop(): void {
    this.isCutByStop = true;
    this.socket.destroy();
  }

  #begin(turn: Turn): void {
    if (!this.socket.destroyed && this.socket.writable) turn.begin(turn);
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
