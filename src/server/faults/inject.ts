import { STATUS_CODES } from 'node:http';
import { PatchgateError } from '../../errors.ts';
import { header, headerValues, type ResponseHead } from '../../http/http.ts';
import { Pieces } from '../../http/pieces.ts';
import type { FaultAnswer, Share } from '../../model/fault.ts';
import { LONGEST_TIMER } from '../../settings/read-amount.ts';
import {
  type AnsweredBy,
  type Flow,
  inPieces,
  type ResponseSink,
  type WholeResponse,
} from '../../upstreams/upstream.ts';
import type { ExchangeInFlight } from '../exchange-in-flight.ts';
import { hasBody } from '../watch-body.ts';
import type { Fault } from './fault-list.ts';
import type { Injected } from './faults.ts';

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
  // What was recorded knows nothing of a reset.
  if (!rule?.answer) return fault.wait(delay === 'recorded' ? 0 : delay, () => exchange.reset());
  const paced = new Paced(exchange, fault);
  paced.whole(answerOf(rule.answer, text as string), 'gate');
  return () => paced.stop();
}

/** Lets a fault happen to what an upstream answers. @param cancel ends the upstream's work */
export function onItsWay(
  fault: Injected,
  client: ResponseSink,
  cancel: () => void,
): { sink: ResponseSink; stop: () => void } {
  const share = fault.rule?.truncate;
  const sink = share ? new Truncated(client, fault, share, cancel) : new Paced(client, fault);
  return { sink, stop: () => sink.stop() };
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

/** Without a body of its own, it is a problem that says what it is: RFC 9457. */
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

/** Milliseconds between two pieces of a body that trickles, where a piece is more than one byte. */
const TICK = 100;
/** Bytes that wait before the sender is held back: most answers are there whole by then, to be learnt and recorded. */
const HELD = 65_536;

/** Hands an answer on to the client later, or bit by bit, and names the fault in its head. Holds the sender of a long one back. */
class Paced implements ResponseSink {
  readonly #sink: ResponseSink;
  readonly #fault: Injected;
  #waiting: Buffer[] = [];
  /** Bytes that wait. */
  #size = 0;
  #flow: Flow | undefined;
  /** Ends the wait; undefined: nothing is waited for. */
  #stopWaiting: (() => void) | undefined;
  /** When the next piece goes out, in the time of `performance.now`. */
  #due = 0;
  /** The client's connection is full. */
  #isFull = false;
  #isHeldBack = false;
  #hasEnded = false;
  /** The client is gone. */
  #isOver = false;
  #failure: PatchgateError | undefined;

  constructor(sink: ResponseSink, fault: Injected) {
    this.#sink = sink;
    this.#fault = fault;
  }

  whole(response: WholeResponse, answeredBy: AnsweredBy): void {
    inPieces(this, response, answeredBy);
  }

  head(head: ResponseHead, flow: Flow, answeredBy: AnsweredBy): void {
    if (this.#isOver) return;
    this.#flow = flow;
    const { text, delay } = this.#fault;
    const headers = text === undefined ? head.headers : [...head.headers, 'Patchgate-Fault', text];
    const begin = () => {
      this.#due = performance.now();
      this.#sink.head({ ...head, headers }, { resume: () => this.#resume() }, answeredBy);
    };
    const wait = delay === 'recorded' ? (head.tookMs ?? 0) : delay;
    if (wait > 0) this.#later(Math.min(wait, LONGEST_TIMER), begin);
    else begin();
  }

  data(chunk: Buffer): boolean {
    if (this.#isOver) return true;
    this.#add(chunk);
    this.#send();
    this.#isHeldBack = this.#isFull || this.#size > HELD;
    return !this.#isHeldBack;
  }

  end(last?: Buffer): void {
    if (this.#isOver) return;
    if (last) this.#add(last);
    this.#hasEnded = true;
    this.#send();
  }

  fail(error: PatchgateError): void {
    if (this.#isOver) return;
    if (this.#flow) {
      this.#failure = error;
      this.#hasEnded = true;
      this.#send();
    } else this.#sink.fail(error);
  }

  /** The client is gone. */
  stop(): void {
    this.#isOver = true;
    this.#stopWaiting?.();
    this.#keep();
  }

  #add(chunk: Buffer): void {
    this.#waiting.push(chunk);
    this.#size += chunk.length;
  }

  /** @param rest all that waits from here on */
  #keep(rest?: Buffer): void {
    this.#waiting = rest ? [rest] : [];
    this.#size = rest?.length ?? 0;
  }

  #resume(): void {
    this.#isFull = false;
    this.#send();
  }

  #later(milliseconds: number, first?: () => void): void {
    this.#stopWaiting = this.#fault.wait(milliseconds, () => {
      this.#stopWaiting = undefined;
      first?.();
      this.#send();
    });
  }

  #send(): void {
    while (!this.#stopWaiting && !this.#isFull) {
      const piece = this.#take();
      const isLast = this.#hasEnded && this.#waiting.length === 0 && !this.#failure;
      if (isLast) this.#sink.end(piece);
      else if (!piece) this.#nothingWaits();
      if (isLast || !piece) return;
      this.#isFull = !this.#sink.data(piece);
      this.#pause(piece.length);
    }
  }

  #take(): Buffer | undefined {
    const [first, ...more] = this.#waiting;
    if (!first) return undefined;
    const waiting = more.length === 0 ? first : Buffer.concat(this.#waiting);
    const { trickle = Number.POSITIVE_INFINITY } = this.#fault.rule ?? {};
    const most = Math.max(1, Math.round((trickle * TICK) / 1000));
    this.#keep(waiting.length > most ? waiting.subarray(most) : undefined);
    return waiting.subarray(0, most);
  }

  /** Keeps to its bytes a second, whatever timers make of it. */
  #pause(bytes: number): void {
    const { trickle } = this.#fault.rule ?? {};
    if (trickle === undefined) return;
    const now = performance.now();
    this.#due = Math.max(this.#due, now - TICK) + (bytes * 1000) / trickle;
    if (this.#due - now >= 1) this.#later(this.#due - now);
  }

  #nothingWaits(): void {
    const failure = this.#failure;
    // What was written goes out when this turn has ended.
    if (failure) setImmediate(() => this.#sink.fail(failure));
    else if (this.#isHeldBack) {
      this.#isHeldBack = false;
      this.#flow?.resume();
    }
  }
}

/** Bytes of a body of unknown length that are looked at, to take so many percent of it. */
const MOST_MEASURED = 1_048_576;
/** Milliseconds that the upstream has for the rest of an answer that is cut. */
const LONGEST = 2000;

/**
 * Hands on the head of an answer and so much of its body; then the connection breaks. The rest is taken and thrown away first,
 * so that what the target answered is recorded and learnt whole. An answer without a body stays as it is.
 */
class Truncated extends Paced {
  readonly #share: Share;
  /** Ends the upstream's work. */
  readonly #cancel: () => void;
  /** Bytes that still go out. */
  #left = 0;
  /** What came of a body of which the length is still to be found out. */
  #measured: Pieces | undefined;
  #hasBody = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(sink: ResponseSink, fault: Injected, share: Share, cancel: () => void) {
    super(sink, fault);
    this.#share = share;
    this.#cancel = cancel;
  }

  override head(head: ResponseHead, flow: Flow, answeredBy: AnsweredBy): void {
    const announced = header(head.headers, 'content-length');
    if (announced !== undefined) this.#left = partOf(this.#share, Number(announced));
    else if ('bytes' in this.#share) this.#left = this.#share.bytes;
    else this.#measured = new Pieces();
    super.head(head, flow, answeredBy);
  }

  override data(chunk: Buffer): boolean {
    if (chunk.length > 0) this.#hasBody = true;
    if (!this.#measured) return this.#pass(chunk);
    this.#measured.add(chunk);
    if (this.#measured.size >= MOST_MEASURED) this.#measure(this.#measured);
    return true;
  }

  override end(last?: Buffer): void {
    if (last?.length) this.data(last);
    if (this.#measured && this.#hasBody) this.#measure(this.#measured);
    if (this.#hasBody) this.#cut();
    else super.end(last);
  }

  override fail(error: PatchgateError): void {
    clearTimeout(this.#timer);
    super.fail(error);
  }

  override stop(): void {
    clearTimeout(this.#timer);
    super.stop();
  }

  #measure(measured: Pieces): void {
    this.#measured = undefined;
    this.#left = partOf(this.#share, measured.size);
    this.#pass(measured.joined());
  }

  #pass(chunk: Buffer): boolean {
    if (this.#timer) return true;
    const piece = chunk.subarray(0, this.#left);
    this.#left -= piece.length;
    // Without a byte of the body, its head goes out all the same.
    const goesOn = super.data(piece);
    if (this.#left > 0) return goesOn;
    this.#timer = setTimeout(() => {
      this.#cancel();
      this.#cut();
    }, LONGEST);
    return true;
  }

  #cut(): void {
    this.fail(new PatchgateError('target-unreachable', 'the answer was cut off by a fault'));
  }
}

/** Never all of it: the client is to see that something is missing. */
function partOf(share: Share, length: number): number {
  const part = 'bytes' in share ? share.bytes : Math.floor((length * share.percent) / 100);
  return Math.max(0, Math.min(part, length - 1));
}
