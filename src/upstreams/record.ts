import { messageOf } from '../errors.ts';
import { header, type RequestHead, type ResponseHead } from '../model/http.ts';
import { Pieces } from '../model/pieces.ts';
import { exchangeOf } from '../recordings/exchange-of.ts';
import { FirstSights } from '../recordings/first-sights.ts';
import type { RecordingStore } from '../recordings/store.ts';
import type { ResponseSink, Upstream, UpstreamRequest } from './upstream.ts';

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

  return {
    handle(request, sink) {
      const startedAt = Date.now();
      const sent = collectRequest(request, bodyLimit);
      const received = new Collector(bodyLimit);
      let head: ResponseHead | undefined;
      let isAborted = false;

      function keep(head: ResponseHead): void {
        const requestBody = sent();
        const responseBody = received.bytes();
        if (requestBody === undefined || responseBody === undefined) {
          const which = requestBody === undefined ? 'request' : 'response';
          onSkipped(`the ${which}'s body was not whole or has more than ${bodyLimit} bytes`, request);
          return;
        }
        try {
          const { json } = request;
          const seen = {
            request,
            requestBody,
            json,
            response: head,
            responseBody,
            startedAt,
            endedAt: Date.now(),
          };
          const exchange = exchangeOf(seen);
          store.append(exchange, sights?.add(exchange.request, requestBody) ?? false);
        } catch (error) {
          // The client gets its response whatever becomes of the recording.
          onSkipped(`it could not be recorded: ${messageOf(error)}`, request);
        }
      }

      const recorder: ResponseSink = {
        head(given, flow, answeredBy) {
          head = given;
          if (request.method !== 'HEAD') received.expect(header(given.headers, 'content-length'));
          sink.head(given, flow, answeredBy);
        },
        data(chunk) {
          received.add(chunk);
          return sink.data(chunk);
        },
        end(last) {
          if (last) received.add(last);
          if (head && !isAborted) keep(head);
          sink.end(last);
        },
        fail: (error) => sink.fail(error),
      };
      const end = upstream.handle(request, recorder);
      return () => {
        isAborted = true;
        end();
      };
    },
    async close() {
      await upstream.close();
      await store.flush();
    },
  };
}

const NO_BODY = Buffer.alloc(0);

/** @returns gives the whole body once the response has ended; undefined where it was not whole or too long */
function collectRequest(request: UpstreamRequest, limit: number): () => Buffer | undefined {
  const { body, headers, stream } = request;
  if (body) return () => (body.length <= limit ? body : undefined);
  const length = header(headers, 'content-length');
  // Without these two there is no body (RFC 9112 6.3).
  if (length === undefined && header(headers, 'transfer-encoding') === undefined) return () => NO_BODY;
  const collector = new Collector(limit);
  collector.expect(length);
  let isWhole = false;
  // Not `on`: that would start the flow, perhaps before the upstream listens.
  stream.prependListener('data', (chunk: Buffer) => collector.add(chunk));
  stream.prependListener('end', () => {
    isWhole = true;
  });
  return () => (isWhole ? collector.bytes() : undefined);
}

/** Keeps the chunks of a body up to a limit; past it, none. */
class Collector {
  readonly #limit: number;
  readonly #pieces = new Pieces();
  #size = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Bytes that are announced to come: where they are too many, nothing is kept from the start. */
  expect(length: string | undefined): void {
    if (length !== undefined && Number(length) > this.#limit) this.#size = Number.POSITIVE_INFINITY;
  }

  add(chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#size <= this.#limit) this.#pieces.add(chunk);
    else this.#pieces.clear();
  }

  /** Undefined where there were more than the limit. */
  bytes(): Buffer | undefined {
    return this.#size > this.#limit ? undefined : this.#pieces.joined();
  }
}
