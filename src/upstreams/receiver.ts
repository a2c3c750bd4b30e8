import { PassThrough, Readable } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { Dispatcher, Pool } from 'undici';
import { PatchgateError, systemCode } from '../errors.ts';
import {
  announcesBody,
  byHeaderName,
  connectionOptions,
  HOP_BY_HOP,
  header,
  mayMeanAnother,
} from '../http/http.ts';
import { parseUrl } from '../http/url.ts';
import { NO_BODY } from './bodies.ts';
import { endsByBreak } from './connector.ts';
import { type ForwardOptions, outgoingHeaders, outgoingPath } from './outgoing.ts';
import { noAnswer, timedOut } from './target.ts';
import { type Answer, type UpstreamRequest, WHOLE_AT_MOST } from './upstream.ts';

/** Milliseconds that the start of a small answer waits for the rest. */
const PATIENCE = 50;
/** The target may have acted on any other already (RFC 9110 9.2.2). */
const REPEATABLE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
const RESETS: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);
/** What Node's server does not take in a reason phrase, though its client does. */
const ILL_FORMED = /[^\t\x20-\x7e\x80-\xff]/;

/** The requests for one signal. They share a listener: one for each takes 3 µs, and V8 keeps what it sees until the next full collection. */
export class UnderWay {
  /** A connection has one at a time. */
  #first: Receiver | undefined;
  readonly #others = new Set<Receiver>();

  constructor(signal: AbortSignal) {
    signal.addEventListener('abort', () => {
      for (const receiver of [this.#first, ...this.#others]) receiver?.clientGone();
    });
  }

  add(receiver: Receiver): void {
    if (this.#first) this.#others.add(receiver);
    else this.#first = receiver;
  }

  delete(receiver: Receiver): void {
    if (this.#first === receiver) this.#first = undefined;
    else this.#others.delete(receiver);
  }
}

/** Sends a request, and receives its answer: a small one whole, of a large one the head, and the body as it comes. */
export class Receiver implements Dispatcher.DispatchHandler {
  /** The body of the request, as it comes. */
  readonly #upload: PassThrough | undefined;
  /** By which it may be sent once more. */
  #again: Pool | undefined;
  /** Of the target's silence; then of the chunks that are held back. */
  #timer: NodeJS.Timeout | undefined;
  /** Nothing of the answer is wanted any more, but for the rest of its body. */
  #isDone = false;
  /** Once a connection is there. */
  #stop: ((reason: Error) => void) | undefined;
  #resume: (() => void) | undefined;
  #head: Omit<Answer, 'body'> | undefined;
  #chunks: Buffer[] = [];
  #body: Readable | undefined;

  constructor(
    readonly request: UpstreamRequest,
    readonly options: ForwardOptions,
    readonly underWay: UnderWay | undefined,
    fresh: Pool,
    readonly resolve: (answer: Answer | Promise<never>) => void,
  ) {
    const { method, headers, body } = request;
    if (!body && announcesBody(headers)) this.#upload = this.#takeBody();
    // With a body, or an override, it may be another method.
    else if (REPEATABLE.has(method) && !body?.length && !mayMeanAnother(headers)) this.#again = fresh;
    underWay?.add(this);
    if (options.timeout > 0) this.#timer = setTimeout(() => this.#silent(), options.timeout);
  }

  send(pool: Pool): void {
    const { request, options } = this;
    const method = request.method as Dispatcher.HttpMethod;
    const path = outgoingPath(options.target.path, request.url);
    const headers = outgoingHeaders(request.headers, options);
    const body = request.body ?? this.#upload ?? null;
    pool.dispatch({ method, path, headers, body }, this);
  }

  /** The client's body, as it comes. What the target does not read of it is thrown away. */
  #takeBody(): PassThrough {
    const { stream } = this.request;
    const upload = stream.pipe(new PassThrough());
    upload.once('close', () => stream.unpipe(upload).resume());
    stream.on('data', () => {
      if (!this.#head && !this.#isDone) this.#timer?.refresh();
    });
    return upload;
  }

  clientGone(): void {
    this.#abort(new PatchgateError('target-unreachable', 'the client is gone'));
  }

  #silent(): void {
    const { complete, destroyed } = this.request.stream;
    const { target, timeout } = this.options;
    // The client is waited for, and not the target.
    if (this.#upload && !complete && !destroyed && !this.#upload.writableNeedDrain) this.#timer?.refresh();
    else this.#abort(timedOut(target, timeout, this.#stop !== undefined));
  }

  // Undici 7 calls these older methods itself, and the newer ones by a wrapper that takes 3 µs a request.
  onConnect(stop: (reason: Error) => void): void {
    if (this.#isDone) stop(new Error('the client is gone'));
    else this.#stop = stop;
  }

  onHeaders(status: number, raw: readonly Buffer[], resume: () => void, message: string): boolean {
    // An answer has begun.
    this.#again = undefined;
    this.#resume = resume;
    if (status < 100) this.#abort(new Error(`it answered with the status ${status}`));
    if (this.#isDone || status < 200) return true;
    clearTimeout(this.#timer);
    const headers = this.#headersOf(status, raw);
    this.#head = { status, message: ILL_FORMED.test(message) ? '' : message, headers, from: 'target' };
    const hasNone = this.request.method === 'HEAD' || status === 204 || status === 304;
    if (hasNone) this.#settle(NO_BODY);
    else if (!(Number(header(headers, 'content-length')) <= WHOLE_AT_MOST)) this.#settle(this.#flow());
    // Most answers come as a whole with their heads, and cost no timer. Another is waited for, but not for long: it may come in drops.
    else
      process.nextTick(() => {
        if (!this.#isDone) this.#timer = setTimeout(() => this.#release(), PATIENCE);
      });
    return true;
  }

  onData(chunk: Buffer): boolean {
    if (this.#body) return this.#body.push(chunk);
    if (!this.#isDone) this.#chunks.push(chunk);
    return true;
  }

  onComplete(): void {
    if (endsByBreak()) this.onError(new Error('the connection broke'));
    else if (this.#body) this.#body.push(null);
    else this.#settle(this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks));
  }

  onError(error: Error): void {
    const { target, timeout } = this.options;
    const again = this.#again;
    this.#again = undefined;
    const reason = noAnswer(target, error, timeout, this.#head !== undefined);
    // The target may have closed an idle connection just when it was to be used again: that is no failure of its.
    if (again && RESETS.has(systemCode(error) ?? '')) this.send(again);
    else if (this.#body) this.#body.destroy(reason);
    else if (!this.#isDone) this.#finish(Promise.reject(reason));
  }

  /** Hands on the start of it, and the rest as it comes. */
  #release(): void {
    if (this.#isDone) return;
    const body = this.#flow();
    for (const chunk of this.#chunks) body.push(chunk);
    this.#settle(body);
  }

  #flow(): Readable {
    const body = new Readable({
      read: () => this.#resume?.(),
      destroy: (error, done) => {
        if (!body.readableEnded) this.#stop?.(error ?? new Error('the rest is not wanted'));
        done(error);
      },
    });
    // Whoever reads it asks; until then nobody may.
    body.on('error', () => undefined);
    this.#body = body;
    return body;
  }

  #abort(reason: Error): void {
    this.onError(reason);
    this.#stop?.(reason);
  }

  #settle(body: Answer['body']): void {
    if (!this.#isDone && this.#head) this.#finish(Object.assign(this.#head, { body }));
  }

  #finish(outcome: Answer | Promise<never>): void {
    this.#isDone = true;
    clearTimeout(this.#timer);
    this.underWay?.delete(this);
    this.resolve(outcome);
  }

  /** As they came, but for those of the connection, and a location within the target. */
  #headersOf(status: number, bytes: readonly Buffer[]): string[] {
    const raw = bytes.map((text) => text.toString('latin1'));
    const named = connectionOptions(raw);
    const headers: string[] = [];
    for (let i = 0; i + 1 < raw.length; i += 2) {
      const name = raw[i] as string;
      const value = raw[i + 1] as string;
      const meaning = meaningOf(name);
      if (meaning === 'connection' || (named.length > 0 && named.includes(name.toLowerCase()))) continue;
      // A client that counted on so many bytes would take them from the next answer.
      if (meaning === 'length' && status === 204) continue;
      headers.push(name, meaning === 'location' ? this.#throughGate(value) : value);
    }
    return headers;
  }

  /** A location within the target, as the client reaches it: following it must not leave the gate behind. */
  #throughGate(location: string): string {
    const { target } = this.options;
    const host = header(this.request.headers, 'host');
    if (!host) return location;
    // `//name/path` has the scheme of the page that it is on.
    const url = parseUrl(location.startsWith('//') ? target.url.protocol + location : location);
    if (url?.origin !== target.origin) return location;
    const socket = this.request.stream.socket as Partial<TLSSocket> | undefined;
    return `${socket?.encrypted ? 'https' : 'http'}://${host}${url.pathname}${url.search}${url.hash}`;
  }
}

const meaningOf = byHeaderName((name) => {
  // Patchgate's own say what the gate found: a target must not speak in its name.
  if (HOP_BY_HOP.has(name) || name.startsWith('patchgate-')) return 'connection';
  if (name === 'location' || name === 'content-location') return 'location';
  return name === 'content-length' ? 'length' : 'other';
});
