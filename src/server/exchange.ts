import type { IncomingMessage, OutgoingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { Match } from '../contract/match-operation.ts';
import { PatchgateError } from '../errors.ts';
import { atEndOfTurn } from '../http/end-of-turn.ts';
import { header, type RequestHead, type ResponseHead } from '../http/http.ts';
import type { JsonObject } from '../json/json.ts';
import type { Finding, Verdict } from '../model/finding.ts';
import { redactJson, redactText } from '../recordings/redact/redact.ts';
import type { Redaction } from '../recordings/redact/redaction.ts';
import { type Answer, type AnsweredBy, STOPPED } from '../upstreams/upstream.ts';
import { type Client, clientOf, resetConnection } from './connections.ts';
import type { Fault } from './faults/faults.ts';
import { type Audited, BodyKeeper, bodyToShow, type FinishedExchange } from './finished-exchange.ts';
import { type GateAnswer, ownFault, problemOfError } from './problem.ts';
import type { InSession, LiveSession, Sessions } from './sessions.ts';
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

/** What a step of the data path comes to; undefined: it waits for the client. */
export type Step = Answer | GateAnswer | undefined | Promise<Answer | GateAnswer | undefined>;

/** Answers that never have a body (RFC 9110 15.3.5, 15.4.5). */
const BODILESS: ReadonlySet<number> = new Set([204, 304]);

/** One request on its way: what is known of it by now, and how it is answered. Reports once, when it is over. */
export class Exchange {
  readonly id: number;
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** Without the session that its path may name. */
  request: RequestHead;
  session: LiveSession | undefined;
  /** The operation that could be meant. */
  match: Match | undefined;
  /** The whole body is to be there before anything happens. */
  isReading = false;
  /** The body, where it was read. */
  body: Buffer | undefined;
  verdict: Verdict | undefined;
  fault: Fault | undefined;
  /** Where somebody keeps account. */
  audited: Audited | undefined;
  /** It changes a guarded record, and nobody can say what it deletes. */
  isUnguarded = false;
  /** It is answered, or its client is gone. */
  isOver = false;
  readonly #run: Run;
  readonly #client: Client;
  readonly #startedAt = Date.now();
  readonly #started = performance.now();
  #handedOnAfterMs: number | undefined;
  /** Of bodies that flow by. */
  #requestKeeper: BodyKeeper | undefined;
  #responseKeeper: BodyKeeper | undefined;
  #head: ResponseHead | undefined;
  #flow: Readable | undefined;
  #from: AnsweredBy = 'gate';

  constructor(req: IncomingMessage, res: ServerResponse, run: Run) {
    this.req = req;
    this.res = res;
    this.#run = run;
    this.id = run.nextId();
    this.request = { method: req.method as string, url: req.url as string, headers: req.rawHeaders };
    this.#client = clientOf(req.socket);
    this.#client.exchange = this;
  }

  /** Aborted when the client is gone. */
  get signal(): AbortSignal {
    return this.#client.signal;
  }

  /** @param asked what it says of its session; undefined: nothing. @throws PatchgateError `overloaded` */
  enter(asked: InSession | undefined): void {
    if (asked) this.request = { ...this.request, url: asked.url };
    this.session = this.#run.sessions.enter(asked?.name ?? '', this.#startedAt);
  }

  /** Somebody begins to answer it. */
  begin(): void {
    this.#handedOnAfterMs = performance.now() - this.#started;
    if (this.body || !hasBody(this.req)) return;
    const keeper = new BodyKeeper();
    this.#requestKeeper = keeper;
    // Not `on`: that would start the flow, perhaps before the upstream listens.
    this.req.prependListener('data', (chunk: Buffer) => keeper.add(chunk));
  }

  /** Takes a step, and writes its answer. What throws is one, too, and keeps no other request from going on. */
  attempt(step: () => Step): void {
    try {
      const answer = step();
      if (answer instanceof Promise)
        answer.then((given) => this.#write(given)).catch((error: unknown) => this.#fail(error));
      else this.#write(answer);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** The client is gone. */
  gone(): void {
    this.#flow?.destroy();
    const how = this.#handedOnAfterMs === undefined ? BROKEN_OFF : WENT_AWAY;
    this.#over(this.#client.isCutByStop ? STOPPED : how);
  }

  /** Not a byte goes out: the connection is reset. */
  reset(): void {
    if (this.isOver) return;
    this.#over('the connection was reset by a fault');
    if (this.res.socket) resetConnection(this.res.socket);
  }

  /** Ends what is at work for a client that is too slow. What has begun to be answered is cut off. */
  giveUp(error: PatchgateError): void {
    if (this.isOver || this.res.headersSent) {
      this.req.destroy();
      return;
    }
    this.res.shouldKeepAlive = false;
    this.#fail(error);
    this.#client.abort();
  }

  #write(answer: Answer | GateAnswer | undefined): void {
    if (!answer) return;
    const { body } = answer;
    if (this.isOver) {
      if (!Buffer.isBuffer(body)) body.destroy();
      return;
    }
    this.#writeHead(answer);
    if (!Buffer.isBuffer(body)) {
      this.#stream(body);
      return;
    }
    const { failure, shown = body } = answer as GateAnswer;
    this.#over(failure, shown);
    if (answer.from !== 'gate') {
      atEndOfTurn(() => endWith(this.res, body));
      return;
    }
    // At once: what else comes on the connection may be its end.
    this.res.end(body);
    // Node waits until a body that is being read is read on, and a client that sends all of it first would, too.
    this.req.unpipe().resume();
  }

  #fail(thrown: unknown): void {
    if (this.isOver) return;
    const error = redactError(
      thrown instanceof PatchgateError ? thrown : ownFault(thrown),
      this.#run.redaction,
    );
    if (!this.#head) this.#write({ ...problemOfError(error), failure: error.message });
    else {
      this.#cutOff(this.#head);
      this.#over(error.message);
    }
  }

  #stream(body: Readable): void {
    const { res } = this;
    const { status, headers } = this.#head as ResponseHead;
    const length = header(headers, 'content-length');
    const keeper = new BodyKeeper();
    let missing = length === undefined ? Number.POSITIVE_INFINITY : Number(length);
    let last: Buffer | undefined;
    this.#flow = body;
    this.#responseKeeper = keeper;
    // A stream's head must not wait for its first event. One of known length goes out together with its first bytes.
    if (!BODILESS.has(status) && length === undefined) res.flushHeaders();
    res.on('drain', () => body.resume());
    body.on('data', (chunk: Buffer) => {
      keeper.add(chunk);
      missing -= chunk.length;
      // What completes the answer is not written before all is said.
      if (missing <= 0) last = chunk;
      else if (!res.write(chunk)) body.pause();
    });
    body.on('end', () => {
      if (this.isOver) return;
      this.#over(undefined);
      atEndOfTurn(() => res.end(last));
    });
    body.on('error', (error) => this.#fail(error));
    if (body.errored) this.#fail(body.errored);
  }

  #writeHead({ status, message, headers, from }: Answer): void {
    const { verdict } = this;
    const isNoted = verdict && verdict.findings.length > 0 && verdict.outcome !== 'block';
    const onWire = isNoted ? [...headers, 'Patchgate-Findings', findingsHeader(verdict.findings)] : headers;
    // A status that Node has no words for keeps those that the target gave.
    if (message === '') this.res.writeHead(status, onWire as string[]);
    else this.res.writeHead(status, message, onWire as string[]);
    this.#head = { status, message, headers };
    this.#from = from;
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
    this.#client.exchange = undefined;
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
      answeredBy: this.#from,
      response: this.#head && {
        status: this.#head.status,
        headers: this.#head.headers,
        body: this.#responseKeeper ? this.#responseKeeper.kept : body && bodyToShow(body),
      },
      failure,
      fault: this.fault?.text,
      audited: this.audited,
      session: this.session?.name,
    };
    this.#run.onFinished(exchange);
  }
}

const BROKEN_OFF = 'the client broke off its request';
const WENT_AWAY = 'the client went away before the response was complete';

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
 * most 4 KiB: the first findings that fit, each of them whole.
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
