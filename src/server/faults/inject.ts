import { STATUS_CODES } from 'node:http';
import { headerValues } from '../../http/http.ts';
import type { FaultAnswer } from '../../model/fault.ts';
import type { ResponseSink } from '../../upstreams/upstream.ts';
import type { ExchangeInFlight } from '../exchange-in-flight.ts';
import { hasBody } from '../watch-body.ts';
import type { Fault } from './fault-list.ts';
import type { Injected } from './faults.ts';
import { Paced } from './paced.ts';
import { Truncated } from './truncated.ts';

/** Whether the upstream is not to see the request. */
export function isInstead({ rule }: Fault): boolean {
  return rule?.answer !== undefined || rule?.reset === true;
}

/** Answers in place of the upstream, once the request is there whole. */
export function answerInstead(fault: Injected, exchange: ExchangeInFlight): void {
  const { req, body } = exchange;
  const answer = () => exchange.whenGone(begin(fault, exchange));
  if (!body && hasBody(req) && !req.readableEnded) req.once('end', answer).unpipe().resume();
  else answer();
}

/** @returns ends it, when the client is gone */
function begin(fault: Injected, exchange: ExchangeInFlight): () => void {
  const { rule, text, delay } = fault;
  if (rule?.answer === undefined) {
    // What was recorded knows nothing of this one.
    return fault.wait(delay === 'recorded' ? 0 : delay, () => exchange.reset());
  }
  const paced = new Paced(exchange, fault);
  const { headers, body } = answerOf(rule.answer, text as string);
  const { status } = rule.answer;
  paced.head({ status, message: '', headers }, { resume: () => undefined }, 'gate');
  paced.end(body);
  return () => paced.stop();
}

/** Lets a fault happen to what an upstream answers. @param cancel ends the upstream's work */
export function onItsWay(
  fault: Injected,
  sink: ResponseSink,
  cancel: () => void,
): { sink: ResponseSink; stop: () => void } {
  const paced = new Paced(sink, fault);
  const share = fault.rule?.truncate;
  if (share === undefined) return { sink: paced, stop: () => paced.stop() };
  const truncated = new Truncated(paced, share, cancel);
  const stop = () => {
    truncated.stop();
    paced.stop();
  };
  return { sink: truncated, stop };
}

/** Answers that never have a body (RFC 9110 15.3.5, 15.3.6, 15.4.5). */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

function answerOf(
  { status, retryAfter, headers = [], body }: FaultAnswer,
  text: string,
): { headers: string[]; body: Buffer | undefined } {
  const bytes = bytesOf(body, status, text);
  const all = [...headers];
  const add = (name: string, value: string) => {
    if (headerValues(headers, name.toLowerCase()).length === 0) all.push(name, value);
  };
  if (retryAfter !== undefined) add('Retry-After', String(retryAfter));
  add('Cache-Control', 'no-store');
  if (BODILESS.has(status)) return { headers: all, body: undefined };
  add(
    'Content-Type',
    body === undefined
      ? 'application/problem+json'
      : typeof body === 'string'
        ? 'text/plain; charset=utf-8'
        : 'application/json',
  );
  add('Content-Length', String(bytes.length));
  return { headers: all, body: bytes };
}

/** Without a body of its own, it is a problem that says what it is: RFC 9457. */
function bytesOf(body: FaultAnswer['body'], status: number, text: string): Buffer {
  if (typeof body === 'string') return Buffer.from(body);
  const problem = {
    type: 'urn:patchgate:problem:injected-fault',
    title: STATUS_CODES[status] ?? `Status ${status}`,
    status,
    detail: `a fault of Patchgate, not an answer of the service: ${text}`,
    fault: text,
  };
  return Buffer.from(`${JSON.stringify(body ?? problem)}\n`);
}
