import { type ClientRequest, type IncomingMessage, validateHeaderName } from 'node:http';
import type { Socket } from 'node:net';
import { messageOf, PatchgateError } from '../errors.ts';
import { byHeaderName, connectionOptions, HOP_BY_HOP, header, type ResponseHead } from '../model/http.ts';
import { parseUrl } from '../model/url.ts';
import { type Asked, type ForwardOptions, schemeOf } from './outgoing.ts';
import { cutOff, targetError } from './target.ts';
import { asUnconnected } from './target-failure.ts';
import { type Flow, type ResponseSink, WHOLE_AT_MOST } from './upstream.ts';

/**
 * One request to the target. Hands the answer on to a sink, unchanged but for the headers of the connection and a `Location`
 * within the target, or says why there is none.
 */
export class Relay implements Flow {
  /** The last one made: one that met a closed connection may be made again. */
  outgoing: ClientRequest | undefined;
  readonly #sink: ResponseSink;
  readonly #options: ForwardOptions;
  readonly #asked: Asked & { method: string };
  readonly #silence: NodeJS.Timeout | undefined;
  #isConnected = false;
  /** Bytes that had come on the connection before the request was sent. */
  #bytesBefore = 0;
  #patience: NodeJS.Timeout | undefined;
  #response: IncomingMessage | undefined;
  #head: ResponseHead | undefined;
  /** What came of a small body; undefined: the body flows. */
  #chunks: Buffer[] | undefined;
  /** Bytes of the body that are still to come. */
  #missing = Number.POSITIVE_INFINITY;
  #last: Buffer | undefined;
  #isDone = false;

  constructor(sink: ResponseSink, options: ForwardOptions, asked: Asked & { method: string }) {
    this.#sink = sink;
    this.#options = options;
    this.#asked = asked;
    if (options.timeout > 0) this.#silence = setTimeout(onSilence, options.timeout, this).unref();
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  get isAnswered(): boolean {
    return this.#response !== undefined;
  }

  /** The target has not acted on the request: not a byte came on the connection since it was sent. */
  get hasSeenNothing(): boolean {
    return (this.outgoing?.socket?.bytesRead ?? 0) <= this.#bytesBefore;
  }

  /** Takes a request before it is on the wire. */
  sends(outgoing: ClientRequest): void {
    this.outgoing = outgoing;
    // By default those of an answer past some thousand are dropped.
    outgoing.maxHeadersCount = 0;
    outgoing.once('socket', (socket: Socket) => {
      this.#bytesBefore = socket.bytesRead;
      if (!socket.connecting) this.#isConnected = true;
      else
        socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => {
          this.#isConnected = true;
          this.heard();
        });
    });
    outgoing.on('information', () => this.heard());
    // Without a listener Node would drop the connection and tell nobody.
    outgoing.once('upgrade', (_, socket) => {
      socket.destroy();
      this.fail(new Error('it switched protocols unasked'));
    });
  }

  /** The target is not silent, or the client is at work. */
  heard(): void {
    if (!this.isAnswered && !this.#isDone) this.#silence?.refresh();
  }

  silent(): void {
    const { complete, destroyed } = this.#asked.stream as IncomingMessage;
    const isClients = !complete && !destroyed && !this.outgoing?.writableNeedDrain;
    if (isClients) {
      this.heard();
      return;
    }
    const error = Object.assign(new Error('silent'), { code: 'ETIMEDOUT' });
    this.outgoing?.destroy(error);
    // One that waits for a connection says nothing of its end.
    this.fail(error);
  }

  /** Hands the target's answer on. */
  answer(response: IncomingMessage): void {
    if (this.#isDone) return;
    clearTimeout(this.#silence);
    this.#response = response;
    try {
      this.#head = this.#headOf(response);
    } catch (error) {
      this.fail(error);
      response.destroy();
      return;
    }
    if (this.#missing <= WHOLE_AT_MOST) {
      this.#chunks = [];
      // Most answers come as a whole with their heads, and cost no timer.
      process.nextTick(onBegun, this);
    } else this.#sink.head(this.#head, this, this.#options.answeredBy);
    response.on('data', (chunk: Buffer) => this.#data(chunk));
    response.on('end', () => this.#end());
    response.on('error', (error) => this.fail(error));
  }

  /** A small answer that is not here as a whole is waited for, but not for long: it may come in drops. */
  begun(): void {
    if (!this.#isDone && !this.#response?.complete) this.#patience = setTimeout(onImpatient, PATIENCE, this);
  }

  /** Hands on what came by now, and the rest as it comes. */
  flow(): void {
    const chunks = this.#chunks;
    const head = this.#head;
    if (this.#isDone || !chunks || !head) return;
    this.#chunks = undefined;
    if (this.#missing <= 0) this.#last = chunks.pop();
    this.#sink.head(head, this, this.#options.answeredBy);
    let goesOn = true;
    for (const chunk of chunks) goesOn = this.#sink.data(chunk);
    if (!goesOn) this.#response?.pause();
  }

  /** The sink can take more. */
  resume(): void {
    this.#response?.resume();
  }

  fail(error: unknown): void {
    // What the target sends behind a whole answer is nobody's.
    if (this.#isDone || this.#response?.complete) return;
    const isHeldBack = this.#chunks !== undefined;
    this.flow();
    this.#over();
    const failure = this.#failureOf(error);
    // What was held back goes out when this turn has ended: so much of the answer there was.
    if (isHeldBack) setImmediate(() => this.#sink.fail(failure));
    else this.#sink.fail(failure);
  }

  /** The client is gone: nothing is handed on any more. */
  readonly cancel = (): void => {
    this.#over();
    this.outgoing?.destroy();
  };

  #over(): void {
    this.#isDone = true;
    clearTimeout(this.#silence);
    clearTimeout(this.#patience);
  }

  #failureOf(error: unknown): PatchgateError {
    const { target, timeout } = this.#options;
    if (error instanceof PatchgateError) return error;
    if (this.#head) return cutOff(target, error);
    return targetError(target, this.#isConnected ? error : asUnconnected(Object(error)), timeout);
  }

  #data(chunk: Buffer): void {
    if (this.#isDone) return;
    this.#missing -= chunk.length;
    if (this.#chunks) this.#chunks.push(chunk);
    else if (this.#missing <= 0) this.#last = chunk;
    else if (!this.#sink.data(chunk)) this.#response?.pause();
  }

  #end(): void {
    if (this.#isDone) return;
    this.#over();
    if (!this.#chunks) {
      this.#sink.end(this.#last);
      return;
    }
    const { status, message, headers } = this.#head as ResponseHead;
    const [first = NO_BODY] = this.#chunks;
    const body = this.#chunks.length > 1 ? Buffer.concat(this.#chunks) : first;
    this.#sink.whole({ status, message, headers, body }, this.#options.answeredBy);
  }

  /** @throws where nobody could hand it on */
  #headOf({ statusCode: status = 0, statusMessage = '', rawHeaders }: IncomingMessage): ResponseHead {
    if (status < 200 || status > 999) throw new Error(`it answered with the status ${status}`);
    const named = connectionOptions(rawHeaders);
    if (this.#asked.method === 'HEAD' || status === 204 || status === 304) this.#missing = 0;
    const headers: string[] = [];
    for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
      const name = rawHeaders[i] as string;
      let value = rawHeaders[i + 1] as string;
      const meaning = meaningOf(name);
      if (meaning === 'connection' || (named.length > 0 && named.includes(name.toLowerCase()))) continue;
      // Nothing follows it: a client that counted on so many bytes would take them from the next answer.
      if (meaning === 'length' && status === 204) continue;
      if (meaning === 'length' && this.#missing > 0) this.#missing = Number(value);
      if (meaning === 'location') value = this.#throughGate(value);
      // Node's client before 20.19.2 reads names of headers that its server does not write.
      if (meaning === 'none') throw new Error(`it answered with headers that are none: ${whyNone(name)}`);
      headers.push(name, value);
    }
    return { status, message: ILL_FORMED.test(statusMessage) ? '' : statusMessage, headers };
  }

  /** A location within the target, as the client reaches it: following it must not leave the gate behind. */
  #throughGate(location: string): string {
    const { target, preserveHost } = this.#options;
    const { headers, stream } = this.#asked;
    const host = header(headers, 'host');
    if (!host) return location;
    const { protocol } = target.url;
    // `//name/path` has the scheme of the page that it is on.
    const url = parseUrl(location.startsWith('//') ? protocol + location : location);
    const isWithin =
      url?.origin === target.origin ||
      (preserveHost && url !== undefined && url.origin === parseUrl(`${protocol}//${host}`)?.origin);
    if (!isWithin) return location;
    return `${schemeOf(stream)}://${host}${url.pathname}${url.search}${url.hash}`;
  }
}

const NO_BODY = Buffer.alloc(0);

/** Milliseconds that what came of a small answer is held back for the rest. */
const PATIENCE = 50;

const onSilence = (relay: Relay) => relay.silent();
const onBegun = (relay: Relay) => relay.begun();
const onImpatient = (relay: Relay) => relay.flow();

/** What Node's server does not take in a reason phrase, though its client does. */
const ILL_FORMED = /[^\t\x20-\x7e\x80-\xff]/;

const LOCATIONS: ReadonlySet<string> = new Set(['location', 'content-location']);
const meaningOf = byHeaderName((name) => {
  // Patchgate's own say what the gate found: a target must not speak in its name.
  if (HOP_BY_HOP.has(name) || name.startsWith('patchgate-')) return 'connection';
  if (LOCATIONS.has(name)) return 'location';
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
