import type { PatchgateError } from '../errors.ts';
import { type Decoded, decodeContent, LEARNING_BOUNDS } from '../http/decode-content.ts';
import { header, type ResponseHead } from '../http/http.ts';
import { codingOf } from '../recordings/redact/redact.ts';
import { BodyCollector } from '../upstreams/body-collector.ts';
import { TargetFailure } from '../upstreams/target.ts';
import type { AnsweredBy, Flow, ResponseSink, WholeResponse } from '../upstreams/upstream.ts';
import type { Answered } from './kept.ts';

/** Bytes of an answer that are read at most. */
const MOST = 5 * 1024 * 1024;
/** Milliseconds that an answer is waited for where `--timeout` is off. */
const FOR_EVER = 60_000;

/** Hands an answer on, and tells once what came of the request, before the client has all of it. */
export class WatchedAnswer implements ResponseSink {
  readonly #sink: ResponseSink;
  readonly #wantsBody: (status: number) => boolean;
  readonly #timeout: number;
  #over: ((answered: Answered) => void) | undefined;
  #head: ResponseHead | undefined;
  #body: BodyCollector | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** The client is gone: ends the request. */
  #cancel: (() => void) | undefined;

  /**
   * @param timeout milliseconds that the answer's body may take, and all of it once the client is gone
   * @param over told `unsent` where the request never left, undefined where nobody knows what became of it
   */
  constructor(
    sink: ResponseSink,
    timeout: number,
    wantsBody: (status: number) => boolean,
    over: (answered: Answered) => void,
  ) {
    this.#sink = sink;
    this.#timeout = timeout || FOR_EVER;
    this.#wantsBody = wantsBody;
    this.#over = over;
  }

  whole(response: WholeResponse, answeredBy: AnsweredBy): void {
    if (this.#begins(response, answeredBy)) return;
    const { body, decoded } = response;
    this.#learn(body.length <= MOST ? body : undefined, decoded, () =>
      this.#sink.whole(response, answeredBy),
    );
  }

  head(head: ResponseHead, flow: Flow, answeredBy: AnsweredBy): void {
    if (this.#begins(head, answeredBy)) return;
    if (this.#over && this.#wantsBody(head.status)) {
      this.#body = new BodyCollector(MOST);
      this.#body.expect(header(head.headers, 'content-length'));
    }
    // Others wait for the record: not for ever.
    if (this.#over) this.#timer = setTimeout(() => this.#end(this.#answer(undefined)), this.#timeout).unref();
    this.#sink.head(head, flow, answeredBy);
  }

  data(chunk: Buffer): boolean {
    this.#body?.add(chunk);
    return this.#sink.data(chunk);
  }

  end(last?: Buffer): void {
    if (last) this.#body?.add(last);
    const { bytes, omitted } = this.#body?.body() ?? {};
    this.#learn(omitted === undefined ? bytes : undefined, undefined, () => this.#sink.end(last));
  }

  fail(error: PatchgateError): void {
    const isUnsent =
      error.code === 'no-recording' || (error instanceof TargetFailure && error.kind === 'refused');
    this.#end(isUnsent ? 'unsent' : undefined);
    this.#sink.fail(error);
  }

  /** The client is gone. The service may be at work: its answer is waited for, but not for ever. @param cancel ends the request */
  outlive(cancel: () => void): void {
    if (!this.#over || this.#head) {
      this.abandon();
      cancel();
      return;
    }
    this.#cancel = cancel;
    this.#timer = setTimeout(() => this.#stop(), this.#timeout).unref();
  }

  /** The answer is not waited for. */
  abandon(): void {
    this.#end(this.#answer(undefined));
  }

  #stop(): void {
    this.abandon();
    this.#cancel?.();
  }

  /** @returns whether nobody waits for the answer any more */
  #begins(head: ResponseHead, answeredBy: AnsweredBy): boolean {
    this.#head = head;
    // What a recording answers, the service has never had.
    if (answeredBy === 'recording') this.#end('unsent');
    if (!this.#cancel) return false;
    this.#stop();
    return true;
  }

  #answer(bytes: Buffer | undefined): Answered {
    return this.#head && { status: this.#head.status, headers: this.#head.headers, bytes };
  }

  #learn(bytes: Buffer | undefined, decoded: Decoded | undefined, answer: () => void): void {
    const head = this.#head as ResponseHead;
    const done = (plain: Decoded | undefined) => {
      this.#end(this.#answer(Buffer.isBuffer(plain) ? plain : undefined));
      answer();
    };
    const isWanted = bytes !== undefined && this.#over && this.#wantsBody(head.status);
    const plain = isWanted
      ? (decoded ?? decodeContent(bytes, codingOf(head.headers), LEARNING_BOUNDS))
      : undefined;
    if (plain instanceof Promise) void plain.then(done);
    else done(plain);
  }

  #end(answered: Answered): void {
    clearTimeout(this.#timer);
    const over = this.#over;
    this.#over = this.#body = undefined;
    over?.(answered);
  }
}
