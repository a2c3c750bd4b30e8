import type { ServerResponse } from 'node:http';
import type { PatchgateError } from '../errors.ts';
import { atEndOfTurn } from '../http/end-of-turn.ts';
import type { Finding } from '../model/finding.ts';
import { header, type RawHeaders, type ResponseHead } from '../model/http.ts';
import type { Redaction } from '../recordings/redaction/redaction.ts';
import { STOPPED } from '../upstreams/stopped.ts';
import type { AnsweredBy, Flow, ResponseSink } from '../upstreams/upstream.ts';
import { findingsHeader } from './findings-header.ts';
import { BodyKeeper, keptBody } from './kept-body.ts';
import { isCutByStop } from './listen/cut-by-stop.ts';
import { resetConnection } from './listen/reset-connection.ts';
import { problemOfError } from './problem.ts';
import { redactError } from './redact-error.ts';
import type { Seen } from './seen.ts';

/** Answers that never have a body (RFC 9110 15.3.5, 15.4.5). */
const BODILESS: ReadonlySet<number> = new Set([204, 304]);

type Answer = Pick<ResponseHead, 'status' | 'headers'>;
type WithCors = (answer: Answer, answeredBy: AnsweredBy) => RawHeaders;
type End = Pick<Seen, 'answeredBy' | 'response' | 'failure'>;

/** Writes an upstream's response to the client, and keeps what is shown of it. */
export class ResponseWriter implements ResponseSink {
  readonly #res: ServerResponse;
  readonly #findings: readonly Finding[];
  readonly #redaction: Redaction;
  readonly #report: (end: End) => void;
  readonly #withCors: WithCors;
  /** Of a body that flows by. */
  #keeper: BodyKeeper | undefined;
  #head: ResponseHead | undefined;
  #flow: Flow | undefined;
  #answeredBy: Seen['answeredBy'] = 'gate';
  #isOver = false;
  #endWork: (() => void) | undefined;

  /**
   * @param report called once, when the response is over
   * @param withCors the headers of an answer, with what pages of other origins need
   */
  constructor(
    res: ServerResponse,
    findings: readonly Finding[],
    redaction: Redaction,
    report: (end: End) => void,
    withCors: WithCors = ({ headers }) => headers,
  ) {
    this.#res = res;
    this.#findings = findings;
    this.#redaction = redaction;
    this.#report = report;
    this.#withCors = withCors;
    res.on('close', () => {
      if (this.#isOver) return;
      const endWork = this.#endWork;
      const isCut = isCutByStop(res.req.socket);
      this.#over(isCut ? STOPPED : 'the client went away before the response was complete');
      endWork?.();
    });
  }

  /** @param endWork ends the upstream's work, where the client goes away before the response is over */
  whenClientGone(endWork: () => void): void {
    if (!this.#isOver) this.#endWork = endWork;
  }

  head(head: ResponseHead, flow: Flow, answeredBy: AnsweredBy): void {
    if (this.#isOver) return;
    const headers = this.#headersOf(head, answeredBy);
    // A status that Node has no words for keeps those that the target gave.
    if (head.message === '') this.#res.writeHead(head.status, headers);
    else this.#res.writeHead(head.status, head.message, headers);
    this.#head = head;
    this.#flow = flow;
    this.#answeredBy = answeredBy;
    // A stream's head must not wait for its first event. One of known length goes out together with its first bytes; and one
    // that has none is all of the answer, which must not be there before its end.
    if (!BODILESS.has(head.status) && header(head.headers, 'content-length') === undefined)
      this.#res.flushHeaders();
  }

  data(chunk: Buffer): boolean {
    if (this.#isOver) return true;
    this.#keeper ??= new BodyKeeper();
    this.#keeper.add(chunk);
    if (this.#res.write(chunk)) return true;
    this.#res.once('drain', () => this.#flow?.resume());
    return false;
  }

  end(last?: Buffer): void {
    if (this.#isOver) return;
    if (last) this.#keeper?.add(last);
    this.#over(undefined, last);
    atEndOfTurn(() => this.#res.end(last));
  }

  fail(thrown: PatchgateError): void {
    if (this.#isOver) return;
    const error = redactError(thrown, this.#redaction);
    if (this.#head) {
      this.#cutOff(this.#head);
      this.#over(error.message);
    } else {
      const answer = problemOfError(error);
      const headers = this.#headersOf(answer, 'gate');
      this.#head = { status: answer.status, message: '', headers };
      this.#res.writeHead(answer.status, headers);
      this.#res.end(answer.body);
      this.#over(error.message, answer.body);
    }
  }

  /** Not a byte goes out: the connection is reset. */
  reset(): void {
    if (this.#isOver) return;
    this.#over('the connection was reset by a fault');
    if (this.#res.socket) resetConnection(this.#res.socket);
  }

  /** To a client of HTTP/1.0 that knows no length, the end of the connection is that of the body: only a reset is seen. */
  #cutOff({ headers }: ResponseHead): void {
    const { socket, chunkedEncoding } = this.#res;
    const endsWithConnection = !chunkedEncoding && header(headers, 'content-length') === undefined;
    if (endsWithConnection && socket) resetConnection(socket);
    else this.#res.destroy();
  }

  #headersOf(answer: Answer, answeredBy: AnsweredBy): string[] {
    const headers = this.#withCors(answer, answeredBy) as string[];
    if (this.#findings.length === 0) return headers;
    return [...headers, 'Patchgate-Findings', findingsHeader(this.#findings)];
  }

  /** @param whole the body, where it was in hand whole */
  #over(failure: string | undefined, whole?: Buffer): void {
    this.#isOver = true;
    // Whoever still holds this would hold one request after the other by it, and the garbage collector pays: half of a replay.
    this.#endWork = undefined;
    const response = this.#head && {
      status: this.#head.status,
      headers: this.#head.headers,
      body: this.#keeper ? this.#keeper.kept : whole && keptBody(whole),
    };
    this.#report({ answeredBy: this.#answeredBy, response, failure });
  }
}
