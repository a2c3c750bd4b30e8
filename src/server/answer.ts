import type { Readable } from 'node:stream';
import { PatchgateError } from '../errors.ts';
import { atEndOfTurn, inPairs } from '../http/end-of-turn.ts';
import { header } from '../http/http.ts';
import type { JsonObject } from '../json/json.ts';
import type { Finding } from '../model/finding.ts';
import { redactJson, redactText } from '../recordings/redact/redact.ts';
import type { Redaction } from '../recordings/redact/redaction.ts';
import { type Answer, STOPPED } from '../upstreams/upstream.ts';
import { resetConnection } from './connections.ts';
import { BodyKeeper, bodyToShow, type Exchange } from './exchange.ts';
import { escaped } from './printable.ts';
import { type GateAnswer, ownFault, problemOfError } from './problem.ts';

/** What a step of the data path comes to; undefined: it waits for the client. */
export type Step = Answer | undefined | Promise<Answer | undefined>;

/** Takes a step, and writes its answer. What throws is one, too, and keeps no other request from going on. */
export function attempt(x: Exchange, step: () => Step): void {
  try {
    const answer = step();
    if (answer instanceof Promise)
      answer.then((given) => write(x, given)).catch((error: unknown) => fail(x, error));
    else write(x, answer);
  } catch (error) {
    fail(x, error);
  }
}

/** @param error what the connection ends with, unless an answer has begun */
export function gone(x: Exchange, error?: PatchgateError): void {
  if (x.isOver) return;
  x.flow?.destroy();
  if (error && !x.response) {
    const { status, headers, body } = problemOfError(error);
    x.response = { status, headers, body: bodyToShow(body) };
  }
  const wasSent = x.handedOnAfterMs !== undefined;
  const how = wasSent ? 'went away before the response was complete' : 'broke off its request';
  finish(x, error?.message ?? (x.client.isCutByStop ? STOPPED : `the client ${how}`));
}

/** Not a byte goes out: the connection is reset. */
export function reset(x: Exchange): undefined {
  if (x.isOver) return;
  finish(x, 'the connection was reset by a fault');
  if (x.res.socket) resetConnection(x.res.socket);
}

/** Bytes of a body that cost less to be copied into one piece with the head than to be written as a second one. */
const SHORT = 16_384;

function write(x: Exchange, answer: Answer | undefined): void {
  if (!answer) return;
  const { body, from } = answer;
  const { req, res } = x;
  if (!Buffer.isBuffer(body)) return void stream(x, answer, body);
  if (x.isOver) return;
  writeHead(x, answer);
  const { failure, shown = body } = answer as GateAnswer;
  finish(x, failure, shown);
  const send = () => {
    res.write(body.length > SHORT ? body : body.toString('latin1'), 'latin1');
    // Else `end` would send an empty piece along, and two pieces take 5 µs more than one.
    res.socket?.uncork();
    res.end();
  };
  if (from === 'gate') {
    // At once: what else comes on the connection may be its end. To close it while the client sends would break off this answer, too.
    if (req.complete || res.shouldKeepAlive || !x.match) send();
    else {
      res.write(body);
      req.once('end', () => res.end());
    }
    // Node waits until a body that is being read is read on, and a client that sends all of it first would, too.
    req.unpipe().resume();
  } else if (from === 'target') atEndOfTurn(send);
  else inPairs(send);
}

function writeHead(x: Exchange, { status, message, headers, from }: Answer, body?: BodyKeeper): void {
  const { res, verdict } = x;
  const isNoted = verdict && verdict.findings.length > 0 && verdict.outcome !== 'block';
  const onWire = isNoted ? [...headers, 'Patchgate-Findings', findingsHeader(verdict.findings)] : headers;
  // A status that Node has no words for keeps those that the target gave.
  res.writeHead(status, message || undefined, onWire as string[]);
  x.response = { status, headers, body };
  x.answeredBy = from;
}

function stream(x: Exchange, answer: Answer, body: Readable): void {
  if (x.isOver) return void body.destroy();
  const { res } = x;
  const { status, headers } = answer;
  const keeper = new BodyKeeper();
  writeHead(x, answer, keeper);
  x.flow = body;
  const length = header(headers, 'content-length');
  // A stream's head must not wait for its first event. One of known length goes out together with its first bytes, and
  // one that has no body (RFC 9110 15.3.5, 15.4.5) with its end. `flushHeaders` would write it as UTF-8.
  if (length === undefined && status !== 204 && status !== 304) res.write('', 'latin1');
  let missing = length === undefined ? Number.POSITIVE_INFINITY : Number(length);
  let last: Buffer | undefined;
  res.on('drain', () => body.resume());
  body.on('data', (chunk: Buffer) => {
    keeper.add(chunk);
    missing -= chunk.length;
    // What completes the answer is not written before all is said.
    if (missing <= 0) last = chunk;
    else if (!res.write(chunk)) body.pause();
  });
  body.on('end', () => {
    if (x.isOver) return;
    finish(x, undefined);
    atEndOfTurn(() => res.end(last));
  });
  body.on('error', (error) => fail(x, error));
  if (body.errored) fail(x, body.errored);
}

function fail(x: Exchange, thrown: unknown): void {
  if (x.isOver) return;
  const error = redactError(thrown instanceof PatchgateError ? thrown : ownFault(thrown), x.run.redaction);
  if (!x.response) return void write(x, problemOfError(error));
  // To a client of HTTP/1.0 that knows no length, the end of the connection is that of the body: only a reset is seen.
  const { socket, chunkedEncoding } = x.res;
  const endsWithConnection = !chunkedEncoding && header(x.response.headers, 'content-length') === undefined;
  if (endsWithConnection && socket) resetConnection(socket);
  else x.res.destroy();
  finish(x, error.message);
}

/** @param body of the response, if it was in hand whole */
function finish(x: Exchange, failure: string | undefined, body?: Buffer): void {
  x.isOver = true;
  // An idle connection holds no request, nor its body.
  x.client.onGone = undefined;
  if (failure !== undefined) x.req.unpipe().resume();
  x.failure = failure;
  x.durationMs = performance.now() - x.started;
  if (x.body) x.requestBody = bodyToShow(x.body);
  if (body && x.response) x.response.body = bodyToShow(body);
  x.run.onFinished(x);
}

const LONGEST_HEADER = 4096;

/** The value of `Patchgate-Findings`: `[{"rule":"…","severity":"…","pointer":"…"}]`, in ASCII: those that fit, each whole. */
export function findingsHeader(findings: readonly Finding[]): string {
  let items = '';
  for (const { rule, severity, pointer } of findings) {
    // JSON itself escapes what is below a space.
    const item = JSON.stringify({ rule, severity, pointer }).replace(/[\x7f-\uffff]+/g, escaped);
    if (items.length + item.length + 2 <= LONGEST_HEADER) items += `${item},`;
  }
  return `[${items.slice(0, -1)}]`;
}

/** The same error, with nothing in its text and details that is to be hidden: they may quote the request. */
function redactError(cause: PatchgateError, redaction: Redaction): PatchgateError {
  const { code, message, hint, details } = cause;
  return new PatchgateError(code, redactText(message, redaction), {
    cause,
    ...(hint && { hint: redactText(hint, redaction) }),
    ...(details && { details: redactJson(details as JsonObject, redaction) as JsonObject }),
  });
}
