import { STATUS_CODES } from 'node:http';
import type { PatchgateError } from '../../errors.ts';
import { headerValues, type RawHeaders, type ResponseHead } from '../../http/http.ts';
import type { FaultAnswer } from '../../model/fault.ts';
import type { AnsweredBy, Flow, ResponseSink, WholeResponse } from '../../upstreams/upstream.ts';
import type { ExchangeInFlight } from '../exchange-in-flight.ts';
import { hasBody } from '../watch-body.ts';
import type { Fault } from './fault-list.ts';
import type { Injected } from './faults.ts';

/** Whether the upstream is not to see the request. */
export function isInstead({ rule }: Fault): boolean {
  return rule.answer !== undefined || rule.reset === true;
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
  if (!rule.answer) return fault.wait(delay, () => exchange.reset());
  const delayed = new Delayed(exchange, fault);
  delayed.whole(answerOf(rule.answer, text), 'gate');
  return () => delayed.stop();
}

/** Answers that never have a body (RFC 9110 15.3.5, 15.3.6, 15.4.5). */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

function answerOf(answer: FaultAnswer, text: string): WholeResponse {
  const { status, retryAfter, headers = [] } = answer;
  const all = [...headers];
  const add = (name: string, value: string) => {
    if (headerValues(headers, name.toLowerCase()).length === 0) all.push(name, value);
  };
  if (retryAfter !== undefined) add('Retry-After', String(retryAfter));
  add('Cache-Control', 'no-store');
  if (BODILESS.has(status)) return { status, message: '', headers: all, body: Buffer.alloc(0) };
  const [type, content] = contentOf(answer, text);
  const body = Buffer.from(content);
  add('Content-Type', type);
  add('Content-Length', String(body.length));
  return { status, message: '', headers: all, body };
}

/** Without a body in the fault, the answer is a problem that names the fault: RFC 9457. */
function contentOf({ status, body }: FaultAnswer, fault: string): [type: string, text: string] {
  if (typeof body === 'string') return ['text/plain; charset=utf-8', body];
  if (body !== undefined) return ['application/json', `${JSON.stringify(body)}\n`];
  const problem = {
    type: 'urn:patchgate:problem:injected-fault',
    title: STATUS_CODES[status] ?? `Status ${status}`,
    status,
    detail: `a fault of Patchgate, not an answer of the service: ${fault}`,
    fault,
  };
  return ['application/problem+json', `${JSON.stringify(problem)}\n`];
}

/** Bytes that wait before the sender is held back: most answers are there whole by then, to be learnt and recorded. */
const HELD = 65_536;

/** Hands an answer on to the client after a wait, and names the fault in its head. */
export class Delayed implements ResponseSink {
  readonly #sink: ResponseSink;
  readonly #fault: Injected;
  /** What the client is told after the wait; undefined: it is told at once. */
  #waiting: (() => void)[] | undefined;
  /** Bytes that wait. */
  #size = 0;
  #flow: Flow | undefined;
  #stopWaiting: (() => void) | undefined;
  #isGone = false;

  constructor(sink: ResponseSink, fault: Injected) {
    this.#sink = sink;
    this.#fault = fault;
  }

  whole(response: WholeResponse, answeredBy: AnsweredBy): void {
    this.#begin();
    const headers = this.#named(response.headers);
    this.#tell(() => this.#sink.whole({ ...response, headers }, answeredBy));
  }

  head(head: ResponseHead, flow: Flow, answeredBy: AnsweredBy): void {
    this.#flow = flow;
    this.#begin();
    const headers = this.#named(head.headers);
    this.#tell(() => this.#sink.head({ ...head, headers }, flow, answeredBy));
  }

  data(chunk: Buffer): boolean {
    if (this.#isGone) return true;
    if (!this.#waiting) return this.#sink.data(chunk);
    this.#waiting.push(() => this.#sink.data(chunk));
    this.#size += chunk.length;
    return this.#size <= HELD;
  }

  end(last?: Buffer): void {
    this.#tell(() => this.#sink.end(last));
  }

  fail(error: PatchgateError): void {
    // What was written in this turn goes out first.
    if (this.#waiting) this.#tell(() => setImmediate(() => this.#sink.fail(error)));
    else this.#tell(() => this.#sink.fail(error));
  }

  /** The client is gone. */
  stop(): void {
    this.#isGone = true;
    this.#stopWaiting?.();
    this.#waiting = undefined;
  }

  #named(headers: RawHeaders): RawHeaders {
    return [...headers, 'Patchgate-Fault', this.#fault.text];
  }

  #begin(): void {
    const { delay, wait } = this.#fault;
    if (delay === 0 || this.#isGone) return;
    this.#waiting = [];
    this.#stopWaiting = wait(delay, () => this.#goOn());
  }

  #tell(client: () => void): void {
    if (this.#isGone) return;
    if (this.#waiting) this.#waiting.push(client);
    else client();
  }

  #goOn(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const tell of waiting) tell();
    if (this.#size > HELD) this.#flow?.resume();
  }
}
