import { validateHeaderName } from 'node:http';
import { Readable } from 'node:stream';
import { messageOf, PatchgateError } from '../errors.ts';
import { byHeaderName, connectionOptions, HOP_BY_HOP, header, type RawHeaders } from '../http/http.ts';
import { parseUrl } from '../http/url.ts';
import { NO_BODY } from './bodies.ts';
import { type ForwardOptions, schemeOf } from './outgoing.ts';
import { asUnconnected, cutOff, targetError, timedOut } from './target.ts';
import { type Answer, type UpstreamRequest, WHOLE_AT_MOST } from './upstream.ts';

/** The way that an answer comes by. */
export interface Source {
  pause(): void;
  resume(): void;
  abort(reason: Error): void;
}

/** Receives one answer of the target: a small one whole, of a large one the head, and the body as it comes. */
export class Receiver {
  /** Nothing of the answer is wanted any more. */
  isDone = false;
  /** Once a connection is there. */
  source: Source | undefined;
  /** Whether it is the client that is waited for, and not the target. */
  isClientAtWork: (() => boolean) | undefined;
  readonly #request: UpstreamRequest;
  readonly #options: ForwardOptions;
  readonly #signal: AbortSignal;
  readonly #resolve: (answer: Answer) => void;
  readonly #reject: (error: PatchgateError) => void;
  readonly #silence: NodeJS.Timeout | undefined;
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
    this.#request = request;
    this.#options = options;
    this.#signal = signal;
    this.#resolve = resolve;
    this.#reject = reject;
    signal.addEventListener('abort', this);
    if (options.timeout > 0) this.#silence = setTimeout(onSilence, options.timeout, this);
  }

  /** The client is at work. */
  heard(): void {
    if (!this.#head && !this.isDone) this.#silence?.refresh();
  }

  /** Another one receives the answer. @returns whether it was awaited still */
  dismiss(): boolean {
    const wasAwaited = !this.isDone;
    this.#finish();
    return wasAwaited;
  }

  /** Of the signal: the client is gone. */
  handleEvent(): void {
    this.#abort(new PatchgateError('target-unreachable', 'the client is gone'));
  }

  silent(): void {
    if (this.isClientAtWork?.()) this.#silence?.refresh();
    else this.#abort(this.source ? timedOut() : asUnconnected(timedOut()));
  }

  head(status: number, message: string, rawHeaders: RawHeaders): void {
    if (this.isDone) return;
    clearTimeout(this.#silence);
    try {
      if (status < 200 || status > 999) throw new Error(`it answered with the status ${status}`);
      const reason = ILL_FORMED.test(message) ? '' : message;
      const headers = this.#headersOf(status, rawHeaders);
      this.#head = { status, message: reason, headers, from: this.#options.answeredBy };
    } catch (error) {
      this.#abort(error as Error);
      return;
    }
    const { headers } = this.#head;
    const hasNone = this.#request.method === 'HEAD' || status === 204 || status === 304;
    if (hasNone) this.#settle(NO_BODY);
    else if (!(Number(header(headers, 'content-length')) <= WHOLE_AT_MOST)) this.#settle(this.#flow());
    // Most answers come as a whole with their heads, and cost no timer.
    else process.nextTick(waitForRest, this);
  }

  /** A small answer that is not here as a whole is waited for, but not for long: it may come in drops. */
  waitForRest(): void {
    if (!this.isDone) this.#patience = setTimeout(release, PATIENCE, this);
  }

  /** What came of it is handed on, and the rest as it comes. */
  release(): void {
    if (this.isDone) return;
    const body = this.#flow();
    for (const chunk of this.#chunks) body.push(chunk);
    this.#settle(body);
  }

  data(chunk: Buffer): void {
    if (this.#body && !this.#body.push(chunk)) this.source?.pause();
    else if (!this.isDone) this.#chunks.push(chunk);
  }

  end(): void {
    if (this.#body) this.#body.push(null);
    else this.#settle(this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks));
  }

  fail(error: unknown): void {
    const { target, timeout } = this.#options;
    if (this.#body) this.#body.destroy(cutOff(target, error));
    else if (!this.isDone) {
      this.#finish();
      this.#reject(this.#head ? cutOff(target, error) : targetError(target, error, timeout));
    }
  }

  #flow(): Readable {
    const body = new Readable({
      read: () => this.source?.resume(),
      destroy: (error, done) => {
        if (!body.readableEnded) this.source?.abort(error ?? new Error('the rest is not wanted'));
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
    this.source?.abort(reason);
  }

  #settle(body: Answer['body']): void {
    if (this.isDone || !this.#head) return;
    this.#finish();
    this.#resolve(Object.assign(this.#head, { body }));
  }

  #finish(): void {
    this.isDone = true;
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
    const host = header(this.#request.headers, 'host');
    if (!host) return location;
    // `//name/path` has the scheme of the page that it is on.
    const url = parseUrl(location.startsWith('//') ? target.url.protocol + location : location);
    if (url?.origin !== target.origin) return location;
    return `${schemeOf(this.#request.stream)}://${host}${url.pathname}${url.search}${url.hash}`;
  }
}

/** Milliseconds that what came of a small answer is held back for the rest. */
const PATIENCE = 50;

const onSilence = (receiver: Receiver) => receiver.silent();
const waitForRest = (receiver: Receiver) => receiver.waitForRest();
const release = (receiver: Receiver) => receiver.release();

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
