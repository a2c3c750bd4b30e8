import { buildConnector, type Dispatcher, Pool } from 'undici';
import { CONNECTIONS_AT_MOST, type ForwardOptions, outgoingHeaders, outgoingPath } from './outgoing.ts';
import { Receiver } from './receiver.ts';
import { asUnconnected } from './target.ts';
import { type Answer, stopped, type UpstreamRequest } from './upstream.ts';

type Connector = ReturnType<typeof buildConnector>;
type Controller = Dispatcher.DispatchController;

export interface Client {
  /** Sends a request whose bytes are in hand, once. */
  send(request: UpstreamRequest, body: Buffer, signal: AbortSignal): Promise<Answer>;
  close(): Promise<void>;
}

/** A pool of connections to the target, by undici: for the same it takes about two thirds of the CPU of node:http. */
export function createClient(options: ForwardOptions): Client {
  const { target, tls, timeout, tunnel } = options;
  const build = buildConnector({ timeout, ...tls });
  // Whatever name a request's `Host` has made of it, it is that of the target.
  const direct: Connector = (asked, done) =>
    build({ ...asked, servername: tls.servername }, (error, socket) =>
      error ? done(asUnconnected(error), null) : done(null, socket),
    );
  const pool = new Pool(target.origin, {
    connect: tunnel ? (_, done) => tunnel.open(done) : direct,
    connections: CONNECTIONS_AT_MOST,
    pipelining: 1,
    // Its own timers are half a second late. Once it answers, a target may be silent for hours: a stream of events.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return {
    send: (request, body, signal) =>
      new Promise((resolve, reject) => {
        const receiver = new Receiver(request, options, signal, resolve, reject);
        try {
          pool.dispatch(
            {
              method: request.method as Dispatcher.HttpMethod,
              path: outgoingPath(target.path, request.url),
              headers: outgoingHeaders(request, options),
              body,
            },
            new Handler(receiver),
          );
        } catch (error) {
          receiver.fail(error);
        }
      }),
    close: () => pool.destroy(stopped()),
  };
}

class Handler implements Dispatcher.DispatchHandler {
  readonly #receiver: Receiver;

  constructor(receiver: Receiver) {
    this.#receiver = receiver;
  }

  onRequestStart(controller: Controller): void {
    if (this.#receiver.isDone) controller.abort(new Error('the client is gone'));
    else this.#receiver.source = controller;
  }

  onResponseStart({ rawHeaders }: Controller, status: number, _: unknown, message = ''): void {
    if (status < 100 || status > 199)
      this.#receiver.head(status, message, (rawHeaders as readonly Buffer[]).map(textOf));
  }

  onResponseData(_: Controller, chunk: Buffer): void {
    this.#receiver.data(chunk);
  }

  onResponseEnd(): void {
    this.#receiver.end();
  }

  onResponseError(_: Controller, error: Error): void {
    this.#receiver.fail(error);
  }
}

const textOf = (text: Buffer) => text.toString('latin1');
