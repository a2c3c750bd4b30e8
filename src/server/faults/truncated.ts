import { PatchgateError } from '../../errors.ts';
import { header, type ResponseHead } from '../../http/http.ts';
import { Pieces } from '../../http/pieces.ts';
import type { Share } from '../../model/fault.ts';
import {
  type AnsweredBy,
  type Flow,
  inPieces,
  type ResponseSink,
  type WholeResponse,
} from '../../upstreams/upstream.ts';

/** Bytes of a body whose length nobody has announced that are looked at, to take so many percent of it. */
const MOST_MEASURED = 1_048_576;
/** Milliseconds that an answer has for its rest, which nobody gets, before it is broken off. */
const LONGEST = 2000;

/**
 * Hands on the head of an answer and so much of its body; then the connection breaks. The rest is taken and thrown away first,
 * so that what the target answered is recorded and learnt whole. An answer without a body stays as it is.
 */
export class Truncated implements ResponseSink {
  readonly #sink: ResponseSink;
  readonly #share: Share;
  /** Ends the upstream's work. */
  readonly #cancel: () => void;
  /** Bytes that still go out; undefined: nobody knows yet. */
  #left: number | undefined;
  #measured: Pieces | undefined;
  #hasBody = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(sink: ResponseSink, share: Share, cancel: () => void) {
    this.#sink = sink;
    this.#share = share;
    this.#cancel = cancel;
  }

  whole(response: WholeResponse, answeredBy: AnsweredBy): void {
    inPieces(this, response, answeredBy);
  }

  head(head: ResponseHead, flow: Flow, answeredBy: AnsweredBy): void {
    const announced = header(head.headers, 'content-length');
    const share = this.#share;
    if (announced !== undefined) this.#left = partOf(share, Number(announced));
    else if ('bytes' in share) this.#left = share.bytes;
    else this.#measured = new Pieces();
    this.#sink.head(head, flow, answeredBy);
  }

  data(chunk: Buffer): boolean {
    if (chunk.length > 0) this.#hasBody = true;
    if (this.#measured) {
      this.#measured.add(chunk);
      if (this.#measured.size >= MOST_MEASURED) this.#measure(this.#measured);
      return true;
    }
    return this.#pass(chunk);
  }

  end(last?: Buffer): void {
    if (last?.length) this.data(last);
    if (!this.#hasBody) {
      this.#sink.end(last);
      return;
    }
    if (this.#measured) this.#measure(this.#measured);
    this.#cut();
  }

  fail(error: PatchgateError): void {
    this.stop();
    this.#sink.fail(error);
  }

  /** The client is gone. */
  stop(): void {
    clearTimeout(this.#timer);
  }

  #pass(chunk: Buffer): boolean {
    const left = this.#left ?? 0;
    if (this.#timer) return true;
    this.#left = left - Math.min(left, chunk.length);
    // Without a byte of the body, its head goes out all the same.
    const goesOn = this.#sink.data(chunk.subarray(0, left));
    if (this.#left > 0) return goesOn;
    this.#timer = setTimeout(() => {
      this.#cancel();
      this.#cut();
    }, LONGEST);
    return true;
  }

  #measure(measured: Pieces): void {
    this.#measured = undefined;
    const body = measured.joined();
    this.#left = partOf(this.#share, body.length);
    this.#pass(body);
  }

  #cut(): void {
    this.stop();
    const error = new PatchgateError('target-unreachable', 'the answer was cut off by a fault');
    this.#sink.fail(error);
  }
}

/** Never all of it: the client is to see that something is missing. */
function partOf(share: Share, length: number): number {
  const part = 'bytes' in share ? share.bytes : Math.floor((length * share.percent) / 100);
  return Math.max(0, Math.min(part, length - 1));
}
