import { type IncomingMessage, validateHeaderName } from 'node:http';
import { PassThrough, Readable } from 'node:stream';
import { type buildConnector, type Dispatcher, Pool } from 'undici';
import { messageOf, PatchgateError, systemCode } from '../errors.ts';
import {
  announcesBody,
  byHeaderName,
  connectionOptions,
  HOP_BY_HOP,
  header,
  mayMeanAnother,
  type RawHeaders,
} from '../http/http.ts';
import { parseUrl } from '../http/url.ts';
import { NO_BODY } from './bodies.ts';
import {
  CONNECTIONS_AT_MOST,
  type ForwardOptions,
  outgoingHeaders,
  outgoingPath,
  schemeOf,
} from './outgoing.ts';
import { asUnconnected, cutOff, targetError, timedOut } from './target.ts';
import { type Answer, stopped, type UpstreamRequest, WHOLE_AT_MOST } from './upstream.ts';

type Controller = Dispatcher.DispatchController;

export interface Client {
  send(request: UpstreamRequest, signal: AbortSignal): Promise<Answer>;
  close(): Promise<void>;
}

/** The target may have acted on any other already (RFC 9110 9.2.2). */
const REPEATABLE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
const RESETS: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** A pool of connections to the target, by undici: for the same it takes about two thirds of the CPU of node:http. */
export function createClient(options: ForwardOptions, connect: buildConnector.connector): Client {
  const { target } = options;
  // Its own timers are half a second late. Once it answers, a target may be silent for hours: a stream of events.
  const settings = { connect, connections: CONNECTIONS_AT_MOST, headersTimeout: 0, bodyTimeout: 0 };
  const kept = new Pool(target.origin, { ...settings, pipelining: 1 });
  /** Each request gets a connection of its own. */
  const fresh = new Pool(target.origin, { ...settings, pipelining: 0 });
  const sendBy = (pool: Pool) => (receiver: Receiver) => {
    const { request } = receiver;
    try {
      pool.dispatch(
        {
          method: request.method as Dispatcher.HttpMethod,
          path: outgoingPath(target.path, request.url),
          headers: outgoingHeaders(request, options),
          body: request.body ?? receiver.upload ?? null,
        },
        receiver,
      );
    } catch (error) {
      receiver.fail(error);
    }
  };
  const [send, sendAgain] = [sendBy(kept), sendBy(fresh)];
  return {
    send: (request, signal) =>
      new Promise((resolve, reject) => {
        const receiver = new Receiver(request, options, signal, resolve, reject);
        const { method, headers, body, stream } = request;
        if (!body && announcesBody(headers)) receiver.take(stream);
        // With a body, or an override, it may be another method.
        else if (REPEATABLE.has(method) && !body?.length && !mayMeanAnother(headers))
          receiver.repeat = sendAgain;
        send(receiver);
      }),
    async close() {
      await Promise.all([kept.destroy(stopped()), fresh.destroy(stopped())]);
    },
  };
}

/** Receives one answer of the target: a small one whole, of a large one the head, and the body as it comes. */
class Receiver implements Dispatcher.DispatchHandler {
  readonly request: UpstreamRequest;
  /** The body of the request, as it comes. */
  upload: PassThrough | undefined;
  /** Sends the request once more. */
  repeat: ((receiver: Receiver) => void) | undefined;
  readonly #options: ForwardOptions;
  readonly #signal: AbortSignal;
  readonly #resolve: (answer: Answer) => void;
  readonly #reject: (error: PatchgateError) => void;
  readonly #silence: NodeJS.Timeout | undefined;
  /** Nothing of the answer is wanted any more, but for the rest of its body. */
  #isDone = false;
  /** Once a connection is there. */
  #controller: Controller | undefined;
  #head: Omit<Answer, 'body'> | undefined;
  #chunks: Buffer[] = [];
  #body: Readable | undefined;
  #patience: NodeJS.Timeout | undefined;

  constructor(
    request: UpstreamRequest,
    options: ForwardOptions,
    signal: AbortSignal,
    resolve: (answer: Answer) => void,
    reject: (error: PatchgateError) => void,
  ) {
    this.request = request;
    this.#options = options;
    this.#signal = signal;
    this.#resolve = resolve;
    this.#reject = reject;
    signal.addEventListener('abort', this);
    if (options.timeout > 0) this.#silence = setTimeout(onSilence, options.timeout, this);
  }

  /** Takes the body as it comes. What the target does not read of it is thrown away. */
  take(body: IncomingMessage): void {
    this.upload = body.pipe(new PassThrough());
    this.upload.once('close', () => body.unpipe(this.upload).resume());
    body.on('data', () => {
      if (!this.#head && !this.#isDone) this.#silence?.refresh();
    });
  }

  /** Of the signal: the client is gone. */
  handleEvent(): void {
    this.#abort(new PatchgateError('target-unreachable', 'the client is gone'));
  }

  silent(): void {
    const { complete, destroyed } = this.request.stream;
    // The client is waited for, and not the target.
    if (this.upload && !complete && !destroyed && !this.upload.writableNeedDrain) this.#silence?.refresh();
    else this.#abort(this.#controller ? timedOut() : asUnconnected(timedOut()));
  }

  onRequestStart(controller: Controller): void {
    if (this.#isDone) controller.abort(new Error('the client is gone'));
    else this.#controller = controller;
  }

  onResponseStart(controller: Controller, status: number, _: unknown, message = ''): void {
    // An answer has begun.
    this.repeat = undefined;
    if (this.#isDone || (status > 99 && status < 200)) return;
    clearTimeout(this.#silence);
    const raw = (controller.rawHeaders as readonly Buffer[]).map(textOf);
    try {
      if (status < 200 || status > 999) throw new Error(`it answered with the status ${status}`);
      const reason = ILL_FORMED.test(message) ? '' : message;
      const headers = this.#headersOf(status, raw);
      this.#head = { status, message: reason, headers, from: 'target' };
    } catch (error) {
      this.#abort(error as Error);
      return;
    }
    const { headers } = this.#head;
    const hasNone = this.request.method === 'HEAD' || status === 204 || status === 304;
    if (hasNone) this.#settle(NO_BODY);
    else if (!(Number(header(headers, 'content-length')) <= WHOLE_AT_MOST)) this.#settle(this.#flow());
    // Most answers come as a whole with their heads, and cost no timer.
    else process.nextTick(waitForRest, this);
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    if (this.#body && !this.#body.push(chunk)) controller.pause();
    else if (!this.#isDone) this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    if (this.#body) this.#body.push(null);
    else this.#settle(this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks));
  }

  onResponseError(_: Controller, error: Error): void {
    this.fail(error);
  }

  /** A small answer that is not here as a whole is waited for, but not for long: it may come in drops. */
  waitForRest(): void {
    if (!this.#isDone) this.#patience = setTimeout(release, PATIENCE, this);
  }

  /** What came of it is handed on, and the rest as it comes. */
  release(): void {
    if (this.#isDone) return;
    const body = this.#flow();
    for (const chunk of this.#chunks) body.push(chunk);
    this.#settle(body);
  }

  fail(error: unknown): void {
    const { target, timeout } = this.#options;
    const { repeat } = this;
    if (this.#body) this.#body.destroy(cutOff(target, error));
    else if (repeat && !this.#isDone && RESETS.has(systemCode(error) ?? '')) {
      // The target may have closed an idle connection just when it was to be used again: that is no failure of its.
      this.repeat = undefined;
      repeat(this);
    } else if (!this.#isDone) {
      this.#finish();
      this.#reject(this.#head ? cutOff(target, error) : targetError(target, error, timeout));
    }
  }

  #flow(): Readable {
    const body = new Readable({
      read: () => this.#controller?.resume(),
      destroy: (error, done) => {
        if (!body.readableEnded) this.#controller?.abort(error ?? new Error('the rest is not wanted'));
        done(error);
      },
    });
    // Whoever reads it asks; until then nobody may.
    body.on('error', () => undefined);
    this.#body = body;
    return body;
  }

  #abort(reason: Error): void {
    this.fail(reason);
    this.#controller?.abort(reason);
  }

  #settle(body: Answer['body']): void {
    if (this.#isDone || !this.#head) return;
    this.#finish();
    this.#resolve(Object.assign(this.#head, { body }));
  }

  #finish(): void {
    this.#isDone = true;
    clearTimeout(this.#silence);
    clearTimeout(this.#patience);
    this.#signal.removeEventListener('abort', this);
  }

  /** As they came, but for those of the connection, and a location within the target. @throws where they cannot be handed on */
  #headersOf(status: number, raw: RawHeaders): string[] {
    const named = connectionOptions(raw);
    const headers: string[] = [];
    for (let i = 0; i + 1 < raw.length; i += 2) {
      const name = raw[i] as string;
      const value = raw[i + 1] as string;
      const meaning = meaningOf(name);
      if (meaning === 'connection' || (named.length > 0 && named.includes(name.toLowerCase()))) continue;
      // A client that counted on so many bytes would take them from the next answer.
      if (meaning === 'length' && status === 204) continue;
      if (meaning === 'none') throw new Error(`it answered with headers that are none: ${whyNone(name)}`);
      headers.push(name, meaning === 'location' ? this.#throughGate(value) : value);
    }
    return headers;
  }

  /** A location within the target, as the client reaches it: following it must not leave the gate behind. */
  #throughGate(location: string): string {
    const { target } = this.#options;
    const host = header(this.request.headers, 'host');
    if (!host) return location;
    // `//name/path` has the scheme of the page that it is on.
    const url = parseUrl(location.startsWith('//') ? target.url.protocol + location : location);
    if (url?.origin !== target.origin) return location;
    return `${schemeOf(this.request.stream)}://${host}${url.pathname}${url.search}${url.hash}`;
  }
}

/** Milliseconds that what came of a small answer is held back for the rest. */
const PATIENCE = 50;

const onSilence = (receiver: Receiver) => receiver.silent();
const waitForRest = (receiver: Receiver) => receiver.waitForRest();
const release = (receiver: Receiver) => receiver.release();
const textOf = (text: Buffer) => text.toString('latin1');

/** What Node's server does not take in a reason phrase, though its client does. */
const ILL_FORMED = /[^\t\x20-\x7e\x80-\xff]/;

const meaningOf = byHeaderName((name) => {
  // Patchgate's own say what the gate found: a target must not speak in its name.
  if (HOP_BY_HOP.has(name) || name.startsWith('patchgate-')) return 'connection';
  if (name === 'location' || name === 'content-location') return 'location';
  if (name === 'content-length') return 'length';
  return whyNone(name) === undefined ? 'other' : 'none';
});

function whyNone(name: string): string | undefined {
  try {
    validateHeaderName(name);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
