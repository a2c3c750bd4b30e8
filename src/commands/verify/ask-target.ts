import { Readable } from 'node:stream';
import { PatchgateError } from '../../errors.ts';
import { answerBounds, decodeContent } from '../../http/decode-content.ts';
import type { Exchange } from '../../model/exchange.ts';
import type { MatchRules } from '../../recordings/matching/match-rules.ts';
import { plainExchangeOf, toStoredExchange } from '../../recordings/plain-exchange.ts';
import { codingOf } from '../../recordings/redaction/redact.ts';
import { NO_REDACTION, type Redaction } from '../../recordings/redaction/redaction.ts';
import { ask } from '../../upstreams/ask.ts';
import { type Target, TargetFailure } from '../../upstreams/target.ts';
import type { Upstream, UpstreamRequest } from '../../upstreams/upstream.ts';
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
export async function askTarget(
  upstream: Upstream,
  sendable: Sendable,
  { target, rules, timeout, bodyLimit, stopped }: AskOptions,
): Promise<Answer | TargetFailure> {
  const request = upstreamRequest(sendable, target);
  const startedAt = Date.now();
  const patience = { limit: bodyLimit, silence: timeout, longest: LONGEST * timeout };
  const asked = await ask(upstream, request, { ...patience, signal: stopped });
  if (!asked) throw interrupted();
  if ('failure' in asked) {
    if (asked.failure instanceof TargetFailure) return asked.failure;
    throw asked.failure;
  }
  if ('late' in asked) {
    const how = asked.late === timeout ? 'stopped half way' : `was not whole after ${asked.late} ms`;
    const message = `the answer of the target ${target.origin} ${how}`;
    return new TargetFailure('truncated', 'target-timeout', message);
  }
  const endedAt = Date.now();
  const { bytes, omitted } = asked.body;
  const decoded = await decodeContent(bytes, codingOf(asked.head.headers), answerBounds(bodyLimit));
  const bodies = { requestBody: sendable.body, responseBody: bytes, decoded };
  const seen = { request, response: asked.head, ...bodies, startedAt, endedAt };
  const stored = (redaction: Redaction) => {
    const plain = plainExchangeOf(seen, redaction, rules.headers);
    if (omitted !== undefined) plain.response.omitted = omitted;
    return toStoredExchange(plain);
  };
  return { exchange: stored(rules.redaction), unredacted: () => stored(NO_REDACTION) };
}

function interrupted(): PatchgateError {
  return new PatchgateError('interrupted', 'stopped before all requests were sent', {
    hint: 'run it again: nothing was reported, and what it had not come to stays as it is',
  });
}
