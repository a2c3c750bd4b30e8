import type { IncomingMessage, OutgoingMessage, ServerResponse } from 'node:http';
import { PatchgateError } from '../errors.ts';
import { atEndOfTurn } from '../http/end-of-turn.ts';
import { header, type RawHeaders, type RequestHead, type ResponseHead } from '../http/http.ts';
import type { JsonObject } from '../json/json.ts';
import type { Finding, Verdict } from '../model/finding.ts';
import { redactJson, redactText } from '../recordings/redact/redact.ts';
import type { Redaction } from '../recordings/redact/redaction.ts';
import {
  type AnsweredBy,
  type Flow,
  type ResponseSink,
  STOPPED,
  type WholeResponse,
} from '../upstreams/upstream.ts';
import type { AuditEntry } from './audit.ts';
import { isCutByStop, resetConnection } from './connections.ts';
import type { Injected } from './faults/faults.ts';
import { BodyKeeper, bodyToShow, type FinishedExchange } from './finished-exchange.ts';
import { type ProblemAnswer, problemOfError } from './problem.ts';
import type { InSession } from './session-path.ts';
import type { LiveSession, Sessions } from './sessions.ts';
import { hasBody } from './watch-body.ts';

/** What all exchanges of a run share. */
export interface Run {
  sessions: Pick<Sessions, 'enter' | 'leave'>;
  /** Of what is said of a request that fails. */
  redaction: Redaction;
  /** Numbers the requests of a run, from 1. */
  nextId(): number;
  /** Called once for each request, when it is over. */
  onFinished(exchange: FinishedExchange): void;
}

/** Answers that never have a body (RFC 9110 15.3.5, 15.4.5). */
const BODILESS: ReadonlySet<number> = new Set([204, 304]);

/** One request on its way: what is known of it by now, and the sink that is its client. Reports once, when it is over. */
export class ExchangeInFlight implements ResponseSink {
  readonly id: number;
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** Without the session that its path may name. */
  request: RequestHead;
  session: LiveSession | undefined;
  /** The whole body is to be there before anything happens. */
  isReading = false;
  /** The body, where it was read. */
  body: Buffer | undefined;
  verdict: Verdict | undefined;
  fault: Injected | undefined;
  /** Where the audit has a line for it. */
  audited: AuditEntry | undefined;
  /** It changes a guarded record, and nobody can say what it deletes. */
  isUnguarded = false;
  /** Ends what is at work, so that another answer can be given; undefined: there is none to be given. */
  stop: (() => void) | undefined;
  readonly #run: Run;
  readonly #startedAt = Date.now();
  readonly #started = performance.now();
  readonly #sent: RequestHead;
  #handedOnAfterMs: number | undefined;
  /** Of bodies that flow by. */
  #requestKeeper: BodyKeeper | undefined;
  #responseKeeper: BodyKeeper | undefined;
  #head: ResponseHead | undefined;
  #flow: Flow | undefined;
  #answeredBy: AnsweredBy = 'gate';
  #onGone: (() => void) | undefined;
  /** It is answered, or its client is gone. */
  isOver = false;

  constructor(req: IncomingMessage, res: ServerResponse, run: Run) {
    this.req = req;
    this.res = res;
    this.#run = run;
    this.id = run.nextId();
    this.#sent = this.request = {
      method: req.method as string,
      url: req.url as string,
      headers: req.rawHeaders,
    };
  }

  /** @param asked what it says of its session; undefined: nothing. @throws PatchgateError `overloaded` */
  enter(asked: InSession | undefined): LiveSession {
    if (asked) this.request = { ...this.#sent, url: asked.url };
    this.session = this.#run.sessions.enter(asked?.name ?? '', this.#startedAt);
    return this.session;
  }

  /** Somebody begins to answer it. */
  begin(): void {
    this.#handedOnAfterMs = performance.now() - this.#started;
    // Not `on`: that would start the flow, perhaps before the upstream listens.
    if (!this.body && hasBody(this.req)) {
      const keeper = new BodyKeeper();
      this.#requestKeeper = keeper;
      this.req.prependListener('data', (chunk: Buffer) => keeper.add(chunk));
    }
    this.res.on('close', () => {
      if (this.isOver) return;
      const onGone = this.#onGone;
      this.#over(
        isCutByStop(this.req.socket) ? STOPPED : 'the client went away before the response was complete',
      );
      onGone?.();
    });
  }

  /** @param onGone called where the client goes away before the response is over */
  whenGone(onGone: () => void): void {
    if (!this.isOver) this.#onGone = onGone;
  }

  whole(response: WholeResponse, answeredBy: AnsweredBy): void {
    if (this.isOver) return;
    const { body } = response;
    this.#writeHead(response, answeredBy);
    this.#over(undefined, body);
    atEndOfTurn(() => endWith(this.res, body));
  }

  head(head: ResponseHead, flow: Flow, answeredBy: AnsweredBy): void {
    if (this.isOver) return;
    this.#flow = flow;
    this.#writeHead(head, answeredBy);
    // A stream's head must not wait for its first event. One of known length goes out together with its first bytes; and one
    // that has none is all of the answer, which must not be there before its end.
    if (!BODILESS.has(head.status) && header(head.headers, 'content-length') === undefined)
      this.res.flushHeaders();
  }

  data(chunk: Buffer): boolean {
    if (this.isOver) return true;
    this.#responseKeeper ??= new BodyKeeper();
    this.#responseKeeper.add(chunk);
    if (this.res.write(chunk)) return true;
    // Who sends may not heed it at once.
    if (this.res.listenerCount('drain') === 0) this.res.once('drain', () => this.#flow?.resume());
    return false;
  }

  end(last?: Buffer): void {
    if (this.isOver) return;
    if (last) this.#responseKeeper?.add(last);
    this.#over(undefined, last);
    atEndOfTurn(() => this.res.end(last));
  }

  fail(thrown: PatchgateError): void {
    if (this.isOver) return;
    const error = redactError(thrown, this.#run.redaction);
    if (!this.#head) this.answer(problemOfError(error), error.message);
    else {
      this.#cutOff(this.#head);
      this.#over(error.message);
    }
  }

  /** The gate's own answer. @param failure what it tells of, in one sentence */
  answer({ status, headers, body, shown = body }: ProblemAnswer, failure?: string): void {
    this.#writeHead({ status, message: '', headers }, 'gate');
    this.#over(failure, shown);
    this.res.end(body);
    // Node waits until a body that is being read is read on, and a client that sends all of it first would, too.
    this.req.unpipe().resume();
  }

  /** The client was gone before anybody could answer. */
  brokenOff(): void {
    this.#over(isCutByStop(this.req.socket) ? STOPPED : 'the client broke off its request');
  }

  /** Not a byte goes out: the connection is reset. */
  reset(): void {
    if (this.isOver) return;
    this.#over('the connection was reset by a fault');
    if (this.res.socket) resetConnection(this.res.socket);
  }

  #writeHead(head: ResponseHead, answeredBy: AnsweredBy): void {
    const { status, message } = head;
    const headers = this.#onWire(head.headers);
    // A status that Node has no words for keeps those that the target gave.
    if (message === '') this.res.writeHead(status, headers);
    else this.res.writeHead(status, message, headers);
    this.#head = { status, message, headers: head.headers };
    this.#answeredBy = answeredBy;
  }

  #onWire(headers: RawHeaders): string[] {
    if (!this.verdict || this.verdict.findings.length === 0 || this.verdict.outcome === 'block')
      return headers as string[];
    return [...headers, 'Patchgate-Findings', findingsHeader(this.verdict.findings)];
  }

  /** To a client of HTTP/1.0 that knows no length, the end of the connection is that of the body: only a reset is seen. */
  #cutOff({ headers }: ResponseHead): void {
    const { socket, chunkedEncoding } = this.res;
    const endsWithConnection = !chunkedEncoding && header(headers, 'content-length') === undefined;
    if (endsWithConnection && socket) resetConnection(socket);
    else this.res.destroy();
  }

  /** @param body of the response, where it was in hand whole */
  #over(failure: string | undefined, body?: Buffer): void {
    this.isOver = true;
    // What still holds this would hold one request after the other by it, and the garbage collector pays: half of a replay.
    this.stop = this.#onGone = undefined;
    if (failure !== undefined) this.req.unpipe().resume();
    if (this.session) this.#run.sessions.leave(this.session);
    const exchange: FinishedExchange = {
      id: this.id,
      startedAt: this.#startedAt,
      durationMs: performance.now() - this.#started,
      handedOnAfterMs: this.#handedOnAfterMs,
      request: this.request,
      requestBody: this.body ? bodyToShow(this.body) : this.#requestKeeper?.kept,
      verdict: this.verdict,
      unguarded: this.isUnguarded || undefined,
      answeredBy: this.#answeredBy,
      response: this.#head && {
        status: this.#head.status,
        headers: this.#head.headers,
        body: this.#responseKeeper ? this.#responseKeeper.kept : body && bodyToShow(body),
      },
      failure,
      fault: this.fault?.text,
      session: this.session?.name,
    };
    this.audited?.over(exchange);
    this.#run.onFinished(exchange);
  }
}

/** Bytes of a body that cost less to be copied than to be written as a second piece. */
const SHORT = 16_384;

/** Ends a message whose head is there. A short body goes out in one piece with it. */
function endWith(message: OutgoingMessage, body: Buffer): void {
  if (body.length === 0) message.end();
  else if (body.length <= SHORT) message.end(body.toString('latin1'), 'latin1');
  else message.end(body);
}

const LIMIT = 4096;

/**
 * The value of `Patchgate-Findings`: `[{"rule":"…","severity":"…","pointer":"…"}]`. Always valid JSON, in ASCII, of at
 * most 4 KiB: the first findings that fit, each of them whole. How many there were in all is not said.
 */
export function findingsHeader(findings: readonly Finding[]): string {
  let items = '';
  for (const { rule, severity, pointer } of findings) {
    const item = inAscii(JSON.stringify({ rule, severity, pointer }));
    if (items.length + item.length + 3 > LIMIT) break;
    items += items === '' ? item : `,${item}`;
  }
  return `[${items}]`;
}

/** JSON itself escapes what is below a space. */
function inAscii(json: string): string {
  return json.replace(/[\x7f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The same error where nothing in its text and details is to be hidden: they may quote the request. */
export function redactError(error: PatchgateError, redaction: Redaction): PatchgateError {
  const message = redactText(error.message, redaction);
  const hint = error.hint && redactText(error.hint, redaction);
  const details = error.details && (redactJson(error.details as JsonObject, redaction) as JsonObject);
  if (message === error.message && hint === error.hint && details === error.details) return error;
  return new PatchgateError(error.code, message, {
    cause: error,
    ...(hint !== undefined && { hint }),
    ...(details && { details }),
  });
}
