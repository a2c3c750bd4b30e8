import { messageOf, PatchgateError } from '../errors.ts';
import { byHeaderName, connectionOptions, HOP_BY_HOP, header, type RawHeaders } from '../model/http.ts';
import { parseUrl } from '../model/url.ts';
import type { ForwardOptions } from './forward-options.ts';
import { type Asked, schemeOf } from './outgoing.ts';
import { cutOff, targetError } from './target.ts';
import type { Flow, ResponseSink } from './upstream.ts';

/**
 * Hands one response of the target on to a sink, unchanged but for the headers of the connection and a `Location`
 * within the target. Holds back the chunk that completes a response of known length, so that it comes with `end`.
 */
export class Relay {
  readonly #sink: ResponseSink;
  readonly #options: ForwardOptions;
  readonly #method: string;
  readonly #asked: Asked;
  #missing = Number.POSITIVE_INFINITY;
  #last: Buffer | undefined;
  #isDone = false;
  #hasHead = false;

  constructor(sink: ResponseSink, options: ForwardOptions, request: Asked & { method: string }) {
    this.#sink = sink;
    this.#options = options;
    this.#method = request.method;
    this.#asked = request;
  }

  /** False: nobody could hand that on. The sink has been told, and the rest is not wanted. */
  head(status: number, message: string, headers: RawHeaders, flow: Flow): boolean {
    if (status < 200 || status > 999) {
      this.fail(new Error(`it answered with the status ${status}`));
      return false;
    }
    const named = connectionOptions(headers);
    const hasBody = this.#method !== 'HEAD' && status !== 204 && status !== 304;
    const kept: string[] = [];
    for (let i = 0; i + 1 < headers.length; i += 2) {
      const name = headers[i] as string;
      let value = headers[i + 1] as string;
      const meaning = meaningOf(name);
      if (meaning === 'connection' || (named.length > 0 && named.includes(name.toLowerCase()))) continue;
      // Nothing follows it: a client that counted on so many bytes would take them from the next answer.
      if (meaning === 'length' && status === 204) continue;
      if (meaning === 'length' && hasBody) this.#missing = Number(value);
      if (meaning === 'location') value = this.#throughGate(value);
      kept.push(name, value);
    }
    const reason = ILL_FORMED.test(message) ? '' : message;
    try {
      this.#sink.head({ status, message: reason, headers: kept }, flow, this.#options.answeredBy);
    } catch (error) {
      // Node's client before 20.19.2 reads names of headers that its server does not write.
      this.fail(new Error(`it answered with headers that are none: ${messageOf(error)}`));
      return false;
    }
    this.#hasHead = true;
    return true;
  }

  /** False: send no more until the flow is resumed. */
  data(chunk: Buffer): boolean {
    if (this.#isDone) return true;
    this.#missing -= chunk.length;
    if (this.#missing > 0) return this.#sink.data(chunk);
    this.#last = chunk;
    return true;
  }

  end(): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#sink.end(this.#last);
  }

  fail(error: unknown): void {
    if (this.#isDone) return;
    this.#isDone = true;
    const { target, timeout } = this.#options;
    if (error instanceof PatchgateError) this.#sink.fail(error);
    else this.#sink.fail(this.#hasHead ? cutOff(target, error) : targetError(target, error, timeout));
  }

  /** The client is gone: nothing is handed on any more. */
  abandon(): void {
    this.#isDone = true;
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

/** What Node's server does not take in a reason phrase, though its client does. */
const ILL_FORMED = /[^\t\x20-\x7e\x80-\xff]/;

const LOCATIONS: ReadonlySet<string> = new Set(['location', 'content-location']);
const meaningOf = byHeaderName((name) => {
  // Patchgate's own say what the gate found: a target must not speak in its name.
  if (HOP_BY_HOP.has(name) || name.startsWith('patchgate-')) return 'connection';
  if (LOCATIONS.has(name)) return 'location';
  return name === 'content-length' ? 'length' : 'none';
});
