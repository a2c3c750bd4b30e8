import { messageOf, type PatchgateError } from '../errors.ts';
import { header, type RequestHead, type ResponseHead } from '../model/http.ts';
import { Pieces } from '../model/pieces.ts';
import { FirstSights } from '../recordings/first-sights.ts';
import { plainExchangeOf, type SeenExchange } from '../recordings/plain-exchange.ts';
import type { RecordingStore } from '../recordings/store.ts';
import type { AnsweredBy, Flow, ResponseSink, Upstream, UpstreamRequest } from './upstream.ts';

export interface RecordOptions {
  /** Mode `all`: the first sight of a request drops the exchanges that earlier runs recorded for it. */
  replace?: boolean;
  /** Bytes of a body that are kept at most; an exchange with a longer one is not kept. Default 64 MiB. */
  bodyLimit?: number;
  /** Told of every whole exchange that is not kept, and why, in one sentence. */
  onSkipped?: (reason: string, request: RequestHead) => void;
}

/**
 * Passes everything through to an upstream and keeps what went by. An exchange is handed to the store before its last
 * byte goes out. Failed, cut and aborted ones are not kept. Closing writes the store out, and leaves it open.
 */
export function record(upstream: Upstream, store: RecordingStore, options: RecordOptions = {}): Upstream {
  const { replace = false, bodyLimit = 64 * 1024 * 1024, onSkipped = () => undefined } = options;
  const sights = replace ? new FirstSights() : undefined;
  const keep = (seen: SeenExchange) => {
    try {
      const exchange = plainExchangeOf(seen);
      store.append(exchange, sights?.add(exchange.request) ?? false);
    } catch (error) {
      // The client gets its response whatever becomes of the recording.
      onSkipped(`it could not be recorded: ${messageOf(error)}`, seen.request);
    }
  };

  return {
    handle(request, sink) {
      const recorder = new Recorder(request, sink, bodyLimit, keep, onSkipped);
      const end = upstream.handle(request, recorder);
      return () => {
        recorder.isAborted = true;
        end();
      };
    },
    async close() {
      await upstream.close();
      await store.flush();
    },
  };
}

/** Hands one response on, and what went by to be kept when it has ended. */
class Recorder implements ResponseSink {
  /** The client is gone. */
  isAborted = false;
  readonly #request: UpstreamRequest;
  readonly #sink: ResponseSink;
  readonly #bodyLimit: number;
  readonly #keep: (seen: SeenExchange) => void;
  readonly #onSkipped: (reason: string, request: RequestHead) => void;
  readonly #startedAt = Date.now();
  readonly #sent: Collector;
  readonly #received: Collector;
  #head: ResponseHead | undefined;

  constructor(
    request: UpstreamRequest,
    sink: ResponseSink,
    bodyLimit: number,
    keep: (seen: SeenExchange) => void,
    onSkipped: (reason: string, request: RequestHead) => void,
  ) {
    this.#request = request;
    this.#sink = sink;
    this.#bodyLimit = bodyLimit;
    this.#keep = keep;
    this.#onSkipped = onSkipped;
    this.#sent = collectRequest(request, bodyLimit);
    this.#received = new Collector(bodyLimit);
  }

  head(head: ResponseHead, flow: Flow, answeredBy: AnsweredBy): void {
    this.#head = head;
    if (this.#request.method !== 'HEAD') this.#received.expect(header(head.headers, 'content-length'));
    this.#sink.head(head, flow, answeredBy);
  }

  data(chunk: Buffer): boolean {
    this.#received.add(chunk);
    return this.#sink.data(chunk);
  }

  end(last?: Buffer): void {
    if (last) this.#received.add(last);
    if (this.#head && !this.isAborted) this.#ended(this.#head);
    this.#sink.end(last);
  }

  fail(error: PatchgateError): void {
    this.#sink.fail(error);
  }

  #ended(response: ResponseHead): void {
    const request = this.#request;
    const requestBody = this.#sent.bytes();
    const responseBody = this.#received.bytes();
    if (requestBody === undefined || responseBody === undefined) {
      const which = requestBody === undefined ? 'request' : 'response';
      this.#onSkipped(`the ${which}'s body was not whole or has more than ${this.#bodyLimit} bytes`, request);
      return;
    }
    this.#keep({
      request,
      requestBody,
      response,
      responseBody,
      startedAt: this.#startedAt,
      endedAt: Date.now(),
    });
  }
}

const NO_BODY = Buffer.alloc(0);

/** Collects the request's body. One that is still to be read is whole once it has ended. */
function collectRequest({ body, headers, stream }: UpstreamRequest, limit: number): Collector {
  const collector = new Collector(limit);
  if (body) {
    collector.add(body);
    return collector;
  }
  const length = header(headers, 'content-length');
  // Without these two there is no body (RFC 9112 6.3).
  if (length === undefined && header(headers, 'transfer-encoding') === undefined) return collector;
  collector.expect(length);
  collector.isWhole = false;
  // Not `on`: that would start the flow, perhaps before the upstream listens.
  stream.prependListener('data', (chunk: Buffer) => collector.add(chunk));
  stream.prependListener('end', () => {
    collector.isWhole = true;
  });
  return collector;
}

/** Keeps the chunks of a body up to a limit; past it, none. */
class Collector {
  isWhole = true;
  readonly #limit: number;
  #size = 0;
  #first: Buffer | undefined;
  #pieces: Pieces | undefined;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Bytes that are announced to come: where they are too many, nothing is kept from the start. */
  expect(length: string | undefined): void {
    if (length !== undefined && Number(length) > this.#limit) this.#size = Number.POSITIVE_INFINITY;
  }

  add(chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#size > this.#limit) {
      this.#first = undefined;
      this.#pieces = undefined;
    } else if (this.#first === undefined) this.#first = chunk;
    else {
      if (this.#pieces === undefined) {
        this.#pieces = new Pieces();
        this.#pieces.add(this.#first);
      }
      this.#pieces.add(chunk);
    }
  }

  /** Undefined where it was not whole, or there were more than the limit. */
  bytes(): Buffer | undefined {
    if (!this.isWhole || this.#size > this.#limit) return undefined;
    return this.#pieces?.joined() ?? this.#first ?? NO_BODY;
  }
}
