import { Readable } from 'node:stream';
import { PatchgateError } from '../../errors.ts';
import { answerBounds, decodeContent } from '../../http/decode-content.ts';
import { header, type ResponseHead } from '../../http/http.ts';
import type { Exchange } from '../../model/exchange.ts';
import type { MatchRules } from '../../recordings/matching/match-rules.ts';
import { plainExchangeOf, toStoredExchange } from '../../recordings/plain-exchange.ts';
import { codingOf } from '../../recordings/redaction/redact.ts';
import { NO_REDACTION, type Redaction } from '../../recordings/redaction/redaction.ts';
import { BodyCollector } from '../../upstreams/body-collector.ts';
import type { Target } from '../../upstreams/target.ts';
import { TargetFailure } from '../../upstreams/target.ts';
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
  /** With nothing redacted: to learn from, and never to be kept or shown. */
  unredacted(): Exchange;
}

/** A whole answer may take so many times as long as the target may be silent: one that drips never ends. */
const LONGEST = 10;

/** The request for an upstream; there is no client behind it. */
export function upstreamRequest({ head, body }: Sendable, target: Target): UpstreamRequest {
  return {
    ...head,
    // What leads to the target itself is then kept without its origin, as in recordings.
    headers: ['host', target.url.host, ...head.headers],
    body,
    json: undefined,
    stream: Readable.from([]),
    session: { id: 0, name: '' },
  };
}

/**
 * Sends one request, and waits for the whole answer. Redirects are not followed.
 *
 * @returns the answer, or how the target failed to give one
 * @throws PatchgateError where the request cannot be sent, or the program is to stop
 */
export function askTarget(
  upstream: Upstream,
  sendable: Sendable,
  { target, rules, timeout, bodyLimit, stopped }: AskOptions,
): Promise<Answer | TargetFailure> {
  const request = upstreamRequest(sendable, target);
  const startedAt = Date.now();
  const received = new BodyCollector(bodyLimit);
  let response: ResponseHead | undefined;
  return new Promise((resolve, reject) => {
    let cancel: (() => void) | undefined;
    let silence: NodeJS.Timeout | undefined;
    let size = 0;
    const settle = (how: () => void) => {
      clearTimeout(silence);
      clearTimeout(longest);
      stopped.removeEventListener('abort', stop);
      how();
    };
    const giveUp = (how: () => void) => {
      settle(how);
      cancel?.();
    };
    const late = (what: string) => () => {
      const message = `the answer of the target ${target.origin} ${what}`;
      giveUp(() => resolve(new TargetFailure('truncated', 'target-timeout', message)));
    };
    const stop = () => giveUp(() => reject(interrupted()));
    const longest =
      timeout > 0
        ? setTimeout(late(`was not whole after ${LONGEST * timeout} ms`), LONGEST * timeout)
        : undefined;
    const heard = () => {
      clearTimeout(silence);
      if (timeout > 0) silence = setTimeout(late('stopped half way'), timeout);
    };
    const sink: ResponseSink = {
      whole: (answer, answeredBy) => inPieces(sink, answer, answeredBy),
      head(head) {
        response = head;
        if (request.method !== 'HEAD') received.expect(header(head.headers, 'content-length'));
        heard();
      },
      data(chunk) {
        received.add(chunk);
        size += chunk.length;
        // Nothing is kept of it, and it may never end.
        if (size > bodyLimit) giveUp(() => resolve(answer()));
        else heard();
        return true;
      },
      end(last) {
        if (last) received.add(last);
        settle(() => resolve(answer()));
      },
      fail: (error) => settle(() => (error instanceof TargetFailure ? resolve(error) : reject(error))),
    };
    stopped.addEventListener('abort', stop);
    if (stopped.aborted) stop();
    else cancel = upstream.handle(request, sink);
  });

  async function answer(): Promise<Answer> {
    const endedAt = Date.now();
    const { bytes, omitted } = received.body();
    const head = response as ResponseHead;
    const decoded = await decodeContent(bytes, codingOf(head.headers), answerBounds(bodyLimit));
    const bodies = { requestBody: sendable.body, responseBody: bytes, decoded };
    const seen = { request, response: head, ...bodies, startedAt, endedAt };
    const stored = (redaction: Redaction) => {
      const plain = plainExchangeOf(seen, redaction, rules.headers);
      if (omitted !== undefined) plain.response.omitted = omitted;
      return toStoredExchange(plain);
    };
    return { exchange: stored(rules.redaction), unredacted: () => stored(NO_REDACTION) };
  }
}

function interrupted(): PatchgateError {
  return new PatchgateError('interrupted', 'stopped before all requests were sent', {
    hint: 'run it again: nothing was reported, and what it had not come to stays as it is',
  });
}
