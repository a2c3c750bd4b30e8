import type { PatchgateError } from '../../errors.ts';
import type { ResponseHead } from '../../http/http.ts';
import { LONGEST_TIMER } from '../../settings/read-amount.ts';
import {
  type AnsweredBy,
  type Flow,
  inPieces,
  type ResponseSink,
  type WholeResponse,
} from '../../upstreams/upstream.ts';
import type { Injected } from './faults.ts';

/** Milliseconds between two pieces of a body that trickles, where a piece is more than one byte. */
const TICK = 100;
/** Bytes that wait here before whoever sends them is held back: most answers are there whole by then, to be learnt and recorded. */
const HELD = 65_536;
/** Bytes that a piece takes beside its own. */
const PIECE = 128;

/**
 * Hands an answer on to the client later, or bit by bit, and says in its head which fault that is. Of a long one, whoever sends
 * it is held back meanwhile.
 */
export class Paced implements ResponseSink {
  readonly #sink: ResponseSink;
  readonly #fault: Injected;
  readonly #waiting: Buffer[] = [];
  /** That they take in all. */
  #waitingBytes = 0;
  #flow: Flow | undefined;
  /** Ends what is waited for; undefined: nothing is. */
  #stopWaiting: (() => void) | undefined;
  /** When the next piece goes out, in the time of `performance.now`. */
  #due = 0;
  /** The client's connection is full. */
  #isFull = false;
  /** Whoever sends waits until there is room. */
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
    this.#isHeldBack = this.#isFull || this.#waitingBytes > HELD;
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
    if (this.#flow === undefined) {
      this.#sink.fail(error);
      return;
    }
    this.#failure = error;
    this.#hasEnded = true;
    this.#send();
  }

  /** The client is gone. */
  stop(): void {
    this.#isOver = true;
    this.#stopWaiting?.();
    this.#waiting.length = 0;
  }

  #add(chunk: Buffer): void {
    this.#waiting.push(chunk);
    this.#waitingBytes += PIECE + chunk.length;
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
    while (this.#stopWaiting === undefined && !this.#isFull) {
      const piece = this.#next();
      const isLast = this.#hasEnded && this.#waiting.length === 0;
      if (isLast && this.#failure === undefined) {
        this.#sink.end(piece);
        return;
      }
      if (piece === undefined) {
        this.#nothingWaits();
        return;
      }
      this.#isFull = !this.#sink.data(piece);
      this.#pause(piece.length);
    }
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
    if (failure) {
      // What was written goes out when this turn has ended.
      setImmediate(() => this.#sink.fail(failure));
    } else if (this.#isHeldBack) {
      this.#isHeldBack = false;
      this.#flow?.resume();
    }
  }

  #next(): Buffer | undefined {
    const [first] = this.#waiting;
    const { trickle } = this.#fault.rule ?? {};
    const most =
      trickle === undefined ? Number.POSITIVE_INFINITY : Math.max(1, Math.round((trickle * TICK) / 1000));
    if (first === undefined) return undefined;
    const piece = first.subarray(0, most);
    this.#waitingBytes -= piece.length;
    if (piece.length < first.length) this.#waiting[0] = first.subarray(most);
    else {
      this.#waiting.shift();
      this.#waitingBytes -= PIECE;
    }
    return piece;
  }
}
