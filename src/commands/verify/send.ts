import { Readable } from 'node:stream';
import { meaningsOf } from '../../contract/header-meanings.ts';
import { PatchgateError } from '../../errors.ts';
import type { Gate } from '../../gate/gate.ts';
import { answerBounds, decodeContent } from '../../http/decode-content.ts';
import { header, METHOD_OVERRIDES, type RequestHead, withoutHeaders } from '../../http/http.ts';
import type { Exchange, RecordedRequest } from '../../model/exchange.ts';
import { bodyBytes } from '../../recordings/body.ts';
import type { MatchRules } from '../../recordings/match-rules.ts';
import { plainExchangeOf, toStoredExchange } from '../../recordings/plain-exchange.ts';
import { codingOf } from '../../recordings/redact/redact.ts';
import { holdsPlaceholder } from '../../recordings/redact/redacted.ts';
import { NO_REDACTION, type Redaction } from '../../recordings/redact/redaction.ts';
import { ask } from '../../upstreams/ask.ts';
import { type Target, TargetFailure } from '../../upstreams/target.ts';
import type { Upstream, UpstreamRequest } from '../../upstreams/upstream.ts';
import { headOf } from '../recorded-history.ts';

/** `read`: it changes nothing (RFC 9110 9.2.1); `change`: the gate judges it; `other`: it is not known what it would do. */
type Meaning = 'read' | 'change' | 'other';

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** What a request means, read as the loosest server would: a GET can be a DELETE by one of its headers, or its query. */
export function meaningOf(gate: Pick<Gate, 'match'>, head: RequestHead, query: string): Meaning {
  if (head.method === 'PATCH') return gate.match(head) ? 'change' : 'other';
  if (METHOD_OVERRIDES.some((name) => header(head.headers, name)?.toUpperCase() === 'PATCH'))
    return gate.match(head) ? 'change' : 'other';
  const { methods } = meaningsOf(head, query);
  const isRead = READS.has(head.method) && [...methods].every((method) => READS.has(method));
  return isRead && !gate.match(head) ? 'read' : 'other';
}

/** A request, ready to be sent. */
export interface Sendable {
  head: RequestHead;
  body: Buffer;
}

/**
 * The recorded request as it was, with the user's headers in the place of its own of these names; or why it cannot be sent so.
 *
 * @param given name, value, name, value, …
 * @throws PatchgateError `bad-recording` where its body is missing
 */
export function sendable(request: RecordedRequest, given: readonly string[]): Sendable | { why: string } {
  const { path, query, body: stored } = request;
  if (holdsPlaceholder(path) || holdsPlaceholder(query))
    return { why: 'its path or query had a secret, which the recording does not have' };
  if (!/^\/[\x21-\x7e]*$/.test(path) || !/^[\x21-\x7e]*$/.test(query))
    return { why: 'its path or query has a character that no request can have' };
  const head = sentHead(request, given);
  if (head.headers.some(holdsPlaceholder))
    return { why: 'a header had a secret, which the recording does not have: give it with --header' };
  if (stored && 'omitted' in stored) return { why: 'its body was not kept' };
  const body = bodyBytes(stored);
  if (holdsPlaceholder(body.toString('latin1')))
    return { why: 'its body had a secret, which the recording does not have' };
  return { head, body };
}

/** @param given name, value, name, value, …: in the place of the recorded ones of these names */
export function sentHead(request: RecordedRequest, given: readonly string[]): RequestHead {
  const recorded = headOf(request);
  const isGiven = (name: string) => header(given, name) !== undefined;
  return { ...recorded, headers: [...withoutHeaders(recorded.headers, isGiven), ...given] };
}

/** Why there is nothing to compare a live answer with; undefined: there is. */
export function whyIncomparable({ request, response }: Exchange): string | undefined {
  const { status, headers, body } = response;
  if (body && 'omitted' in body) return "its answer's body was not kept";
  if (/^text\/event-stream/i.test([headers['content-type'] ?? ''].flat().join()))
    return 'its answer is a stream of events, which need not end';
  const isConditional = Object.keys(request.headers).some((name) => /^(?:if-|range$)/.test(name));
  if ([206, 304, 412, 416].includes(status) && !isConditional)
    return 'its answer is to a condition or range, which recordings keep only with --match-headers';
  return undefined;
}

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

interface Answer {
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
