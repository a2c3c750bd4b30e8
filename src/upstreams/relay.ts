import { validateHeaderName } from 'node:http';
import { messageOf, PatchgateError } from '../errors.ts';
import {
  byHeaderName,
  connectionOptions,
  HOP_BY_HOP,
  header,
  type RawHeaders,
  type ResponseHead,
} from '../http/http.ts';
import { parseUrl } from '../http/url.ts';
import { type ForwardOptions, type OutgoingRequest, schemeOf } from './outgoing.ts';
import { cutOff, targetError } from './target.ts';
import { type Flow, type ResponseSink, WHOLE_AT_MOST } from './upstream.ts';

/** What the target's answer comes from. */
interface Source extends Flow {
  pause(): void;
  /** All of it is here already. */
  complete?: boolean;
}

/**
 * Hands one answer of the target on to a sink, unchanged but for the headers of the connection and a `Location` within the
 * target. A small one goes out as one value.
 */
export class Relay {
  /** Nothing is handed on any more. */
  isDone = false;
  readonly #sink: ResponseSink;
  readonly #options: ForwardOptions;
  readonly #asked: OutgoingRequest & { method: string };
  #source: Source | undefined;
  #head: ResponseHead | undefined;
  /** What came of a small body; undefined: the body flows. */
  #chunks: Buffer[] | undefined;
  /** Bytes of the body that are still to come. */
  #missing = Number.POSITIVE_INFINITY;
  #last: Buffer | undefined;
  #patience: NodeJS.Timeout | undefined;

  constructor(sink: ResponseSink, options: ForwardOptions, asked: OutgoingRequest & { method: string }) {
    this.#sink = sink;
    this.#options = options;
    this.#asked = asked;
  }

  /** No body comes, whatever length is announced. To be asked once the head is there. */
  get isBodiless(): boolean {
    return this.#missing <= 0;
  }

  /** False: that cannot be handed on. The sink has been told, and the rest is not wanted. */
  head(status: number, message: string, headers: RawHeaders, source: Source): boolean {
    if (this.isDone) return false;
    let head: ResponseHead;
    try {
      head = this.#headOf(status, message, headers);
    } catch (error) {
      this.fail(error);
      return false;
    }
    this.#head = head;
    this.#source = source;
    if (this.#missing <= WHOLE_AT_MOST) {
      this.#chunks = [];
      // Most answers come as a whole with their heads, and cost no timer.
      process.nextTick(waitForRest, this);
    } else this.#sink.head(head, source, this.#options.answeredBy);
    return true;
  }

  data(chunk: Buffer): void {
    if (this.isDone) return;
    this.#missing -= chunk.length;
    if (this.#chunks) this.#chunks.push(chunk);
    else if (this.#missing <= 0) this.#last = chunk;
    else if (!this.#sink.data(chunk)) this.#source?.pause();
  }

  end(): void {
    if (this.isDone) return;
    this.abandon();
    if (!this.#chunks) {
      this.#sink.end(this.#last);
      return;
    }
    const { status, message, headers } = this.#head as ResponseHead;
    const [first = NO_BODY] = this.#chunks;
    const body = this.#chunks.length > 1 ? Buffer.concat(this.#chunks) : first;
    this.#sink.whole({ status, message, headers, body }, this.#options.answeredBy);
  }

  fail(error: unknown): void {
    if (this.isDone) return;
    const isHeldBack = this.#chunks !== undefined;
    this.release();
    this.abandon();
    const failure = this.#failureOf(error);
    // What was held back goes out when this turn has ended: so much of the answer there was.
    if (isHeldBack) setImmediate(() => this.#sink.fail(failure));
    else this.#sink.fail(failure);
  }

  /** The client is gone, or all is said: nothing is handed on any more. */
  abandon(): void {
    this.isDone = true;
    clearTimeout(this.#patience);
  }

  /** A small answer that is not here as a whole is waited for, but not for long: it may come in drops. */
  waitForRest(): void {
    if (!this.isDone && !this.#source?.complete) this.#patience = setTimeout(release, PATIENCE, this);
  }

  /** Hands on what is held back, and the rest as it comes. */
  release(): void {
    const chunks = this.#chunks;
    if (this.isDone || !chunks || !this.#head || !this.#source) return;
    this.#chunks = undefined;
    if (this.#missing <= 0) this.#last = chunks.pop();
    this.#sink.head(this.#head, this.#source, this.#options.answeredBy);
    let goesOn = true;
    for (const chunk of chunks) goesOn = this.#sink.data(chunk);
    if (!goesOn) this.#source.pause();
  }

  #failureOf(error: unknown): PatchgateError {
    const { target, timeout } = this.#options;
    if (error instanceof PatchgateError) return error;
    return this.#head ? cutOff(target, error) : targetError(target, error, timeout);
  }

  /** @throws where it cannot be handed on */
  #headOf(status: number, message: string, rawHeaders: RawHeaders): ResponseHead {
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
    return { status, message: ILL_FORMED.test(message) ? '' : message, headers };
  }

  /** A location within the target, as the client reaches it: following it must not leave the gate behind. */
  #throughGate(location: string): string {
    const { target } = this.#options;
    const { headers, stream } = this.#asked;
    const host = header(headers, 'host');
    if (!host) return location;
    const { protocol } = target.url;
    // `//name/path` has the scheme of the page that it is on.
    const url = parseUrl(location.startsWith('//') ? protocol + location : location);
    if (url?.origin !== target.origin) return location;
    return `${schemeOf(stream)}://${host}${url.pathname}${url.search}${url.hash}`;
  }
}

const NO_BODY = Buffer.alloc(0);

/** Milliseconds that what came of a small answer is held back for the rest. */
const PATIENCE = 50;

const waitForRest = (relay: Relay) => relay.waitForRest();
const release = (relay: Relay) => relay.release();

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
