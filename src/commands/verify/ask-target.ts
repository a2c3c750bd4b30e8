import { Readable } from 'node:stream';
import { PatchgateError } from '../../errors.ts';
import { answerBounds, type Decoded, decodeContent } from '../../http/decode-content.ts';
import { header, type ResponseHead } from '../../http/http.ts';
import type { Exchange, RecordedRequest } from '../../model/exchange.ts';
import { storeBody } from '../../recordings/body.ts';
import type { MatchRules } from '../../recordings/matching/match-rules.ts';
import { plainExchangeOf } from '../../recordings/plain-exchange.ts';
import { codingOf } from '../../recordings/redaction/redact.ts';
import { recordedRequest, toStoredExchange } from '../../recordings/to-stored-exchange.ts';
import { BodyCollector } from '../../upstreams/body-collector.ts';
import type { Session } from '../../upstreams/session.ts';
import type { Target } from '../../upstreams/target.ts';
import { TargetFailure } from '../../upstreams/target-failure.ts';
import {
  inPieces,
  type ResponseSink,
  type Upstream,
  type UpstreamRequest,
} from '../../upstreams/upstream.ts';
import type { Sendable } from './sendable.ts';

export interface AskOptions {
  target: Target;
  /** What is redacted, and kept of headers. */
  rules: MatchRules;
  /** Milliseconds that the target may be silent, before its answer and within; 0: for ever. */
  timeout: number;
  /** Bytes of a body that are kept at most. */
  bodyLimit: number;
  stopped: AbortSignal;
}

export interface Answer {
  /** As a recording would keep it. */
  exchange: Exchange;
  /** As it went by, with nothing redacted: to learn from, and never to be kept or shown. */
  unredacted(): Exchange;
}

const SESSION: Session = { id: 0, name: '' };

/** A whole answer may take so many times as long as the target may be silent: one that drips never ends. */
const LONGEST = 10;

/** The request for an upstream; there is no client behind it. */
export function upstreamRequest(
  { head, body }: Sendable,
  { target }: Pick<AskOptions, 'target'>,
): UpstreamRequest {
  return {
    ...head,
    // What leads to the target itself is then kept without its origin, as in recordings.
    headers: ['host', target.url.host, ...head.headers],
    body,
    json: undefined,
    stream: Readable.from([]),
    session: SESSION,
  };
}

/**
 * Sends one request, and waits for the whole answer. Redirects are not followed.
 *
 * @returns the answer, or how the target failed to give one
 * @throws PatchgateError where it cannot be sent, or the program is to stop
 */
export function askTarget(
  upstream: Upstream,
  request: Sendable,
  options: AskOptions,
): Promise<Answer | TargetFailure> {
  const { target, rules, timeout, bodyLimit, stopped } = options;
  return new Promise((resolve, reject) => {
    const startedAt = Date.now();
    const received = new BodyCollector(bodyLimit);
    let response: ResponseHead | undefined;
    let cancel: (() => void) | undefined;
    let size = 0;
    let timer: NodeJS.Timeout | undefined;
    const over = (settled: () => void) => {
      clearTimeout(timer);
      clearTimeout(longest);
      stopped.removeEventListener('abort', stop);
      settled();
    };
    const stop = () => {
      over(() => reject(interrupted()));
      cancel?.();
    };
    const heard = () => {
      clearTimeout(timer);
      if (timeout > 0) timer = setTimeout(silent, timeout);
    };
    const late = (what: string) => {
      const message = `the answer of the target ${target.origin} ${what}`;
      over(() => resolve(new TargetFailure('truncated', 'target-timeout', message)));
      cancel?.();
    };
    const silent = () => late('stopped half way');
    const endless = () => late(`was not whole after ${LONGEST * timeout} ms`);
    const longest = timeout > 0 ? setTimeout(endless, LONGEST * timeout) : undefined;
    const sink: ResponseSink = {
      whole: (answer, answeredBy) => inPieces(sink, answer, answeredBy),
      head(head) {
        response = head;
        if (request.head.method !== 'HEAD') received.expect(header(head.headers, 'content-length'));
        heard();
      },
      data(chunk) {
        received.add(chunk);
        size += chunk.length;
        // Nothing is kept of it, and it may never end.
        if (size > bodyLimit) {
          over(() => resolve(answer()));
          cancel?.();
        } else heard();
        return true;
      },
      end(last) {
        if (last) received.add(last);
        over(() => resolve(answer()));
      },
      fail: (error) => over(() => (error instanceof TargetFailure ? resolve(error) : reject(error))),
    };
    const asked = upstreamRequest(request, options);
    const answer = async (): Promise<Answer> => {
      const endedAt = Date.now();
      const { bytes, omitted } = received.body();
      const head = response as ResponseHead;
      const decoded = await decodeContent(bytes, codingOf(head.headers), answerBounds(bodyLimit));
      const seen = {
        request: asked,
        requestBody: request.body,
        response: head,
        responseBody: bytes,
        decoded,
        startedAt,
        endedAt,
      };
      const plain = plainExchangeOf(seen, rules.redaction, rules.headers);
      if (omitted !== undefined) plain.response.omitted = omitted;
      const exchange = toStoredExchange(plain);
      return {
        exchange,
        unredacted: () => unredacted(exchange, sentRequest(request, options), head, decoded),
      };
    };
    stopped.addEventListener('abort', stop);
    if (stopped.aborted) stop();
    else cancel = upstream.handle(asked, sink);
  });
}

/** What was sent, with nothing redacted. */
export function sentRequest(request: Sendable, options: Pick<AskOptions, 'target'>): RecordedRequest {
  return recordedRequest(upstreamRequest(request, options), request.body, undefined);
}

function unredacted(
  { meta }: Exchange,
  request: RecordedRequest,
  { status, headers }: ResponseHead,
  decoded: Decoded,
): Exchange {
  const body = Buffer.isBuffer(decoded) ? storeBody(decoded, header(headers, 'content-type')) : undefined;
  return { request, response: { status, headers: {}, ...(body && { body }) }, meta };
}

export function interrupted(): PatchgateError {
  return new PatchgateError('interrupted', 'stopped before all requests were sent', {
    hint: 'run it again: nothing was reported, and what it had not come to stays as it is',
  });
}
