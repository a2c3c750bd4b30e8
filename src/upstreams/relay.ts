import { PatchgateError } from '../errors.ts';
import { connectionOptions, HOP_BY_HOP, header, type RawHeaders, withoutHeaders } from '../model/http.ts';
import { type Target, targetError } from './target.ts';
import type { AnsweredBy, Flow, ResponseSink } from './upstream.ts';

export interface RelayOptions {
  target: Target;
  answeredBy: AnsweredBy;
  /** Milliseconds; for the message. */
  timeout: number;
}

/**
 * Hands one response of the target on to a sink, unchanged but for the headers of the connection and a `Location`
 * within the target. Holds back the chunk that completes a response of known length, so that it comes with `end`.
 */
export class Relay {
  readonly #sink: ResponseSink;
  readonly #options: RelayOptions;
  readonly #method: string;
  /** `http://localhost:4010`, or undefined where the client did not say how it calls the gate. */
  readonly #ownOrigin: string | undefined;
  #missing = Number.POSITIVE_INFINITY;
  #last: Buffer | undefined;
  #isDone = false;
  #hasHead = false;

  constructor(sink: ResponseSink, options: RelayOptions, request: { method: string; headers: RawHeaders }) {
    this.#sink = sink;
    this.#options = options;
    this.#method = request.method;
    const host = header(request.headers, 'host');
    this.#ownOrigin = host === undefined ? undefined : `http://${host}`;
  }

  head(status: number, message: string, headers: RawHeaders, flow: Flow): void {
    this.#hasHead = true;
    const named = connectionOptions(headers);
    const kept = withoutHeaders(headers, (name) => HOP_BY_HOP.has(name) || named.includes(name));
    this.#rewriteLocations(kept);
    const length = header(kept, 'content-length');
    const hasBody = this.#method !== 'HEAD' && status !== 204 && status !== 304;
    if (length !== undefined && hasBody) this.#missing = Number(length);
    this.#sink.head({ status, message, headers: kept }, flow, this.#options.answeredBy);
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
    this.#sink.fail(
      this.#hasHead
        ? new PatchgateError(
            'target-unreachable',
            `the response of the target ${target.origin} was cut off`,
            { cause: error },
          )
        : targetError(target, error, timeout),
    );
  }

  /** The client is gone: nothing is handed on any more. */
  abandon(): void {
    this.#isDone = true;
  }

  /** Else a client that follows would leave the gate behind. */
  #rewriteLocations(headers: string[]): void {
    for (let i = 0; i + 1 < headers.length; i += 2) {
      if (!/^(?:content-)?location$/i.test(headers[i] as string)) continue;
      const value = headers[i + 1] as string;
      if (this.#ownOrigin === undefined || !URL.canParse(value)) continue;
      const url = new URL(value);
      if (url.origin === this.#options.target.origin)
        headers[i + 1] = this.#ownOrigin + url.pathname + url.search + url.hash;
    }
  }
}
