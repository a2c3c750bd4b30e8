import type { Match } from '../contract/match-operation.ts';
import { PatchgateError } from '../errors.ts';
import type { Gate } from '../gate/gate.ts';
import type { Guard } from '../guard/guard.ts';
import type { GuardedRequest, Judged } from '../guard/judging.ts';
import type { Learner } from '../guard/knowledge.ts';
import { createLearningSinks } from '../guard/learning-sink.ts';
import type { JsonValue } from '../json/json.ts';
import { type BytesRead, bytesAtHand, readBytes } from '../upstreams/read-bytes.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import type { AccessRefusal } from './access.ts';
import type { Audit } from './audit.ts';
import { addressOf } from './connections.ts';
import { ExchangeInFlight, type Run } from './exchange-in-flight.ts';
import type { FaultsOfRun } from './faults/faults.ts';
import { answerInstead, Delayed, isInstead } from './faults/inject.ts';
import { framingError } from './framing.ts';
import type { Handler } from './handler.ts';
import { ownFault, problemOfRefusal, problemOfVerdict } from './problem.ts';
import { takeSession } from './session-path.ts';
import type { LiveSession } from './sessions.ts';
import { tooSlow, watchBody } from './watch-body.ts';

export interface DataPathOptions extends Run {
  gate: Gate;
  guard: Guard;
  /** What learns from the answers, if anything does. */
  learner: Learner | undefined;
  upstream: Upstream;
  /** Who changed what, if that is kept. */
  audit?: Pick<Audit, 'entryOf'> | undefined;
  faults: Pick<FaultsOfRun, 'choose'>;
  /** Milliseconds that a client may take for a body that is judged, or be silent within one that streams. */
  clientTimeout: number;
}

/** @param refusal why the request is not to be answered, whatever it asks for */
type DataPath = (...args: [...Parameters<Handler>, refusal?: AccessRefusal]) => void;

/** Methods and bytes of a body that is not judged, and goes on as a whole where it came along with its head. */
const WITH_BODY: ReadonlySet<string> = new Set(['PATCH', 'POST', 'PUT']);
const SHORT = 65_536;

/**
 * The one path of a request, from top to bottom: `take`, and where an operation of the contract could be meant `read`, `judge`,
 * `decide`; what passes goes to the upstream with the very bytes that were judged, in `pass`.
 */
export function createDataPath(options: DataPathOptions): DataPath {
  const { gate, guard, learner, upstream, audit, faults, clientTimeout } = options;
  const learningSinkFor = learner && createLearningSinks(gate, learner);

  /** Framing, access, session; then what no operation is meant by goes on unjudged. */
  const take: DataPath = (req, res, refusal) => {
    const exchange = new ExchangeInFlight(req, res, options);
    watchBody(exchange, clientTimeout, giveUp);
    const unreadable = framingError(req);
    if (unreadable) return hangUp(exchange, unreadable);
    if (refusal) return exchange.answer(problemOfRefusal(refusal), refusal.message);
    let session: LiveSession;
    try {
      session = exchange.enter(takeSession(req.url as string, req.rawHeaders));
    } catch (error) {
      return exchange.fail(error as PatchgateError);
    }
    const match = gate.match(exchange.request);
    const passUnjudged = () => attempt(exchange, () => pass(exchange, session, undefined, undefined));
    if (match) read(exchange, session, match);
    else if (!WITH_BODY.has(req.method as string)) passUnjudged();
    else
      bytesAtHand(req, SHORT, (bytes) => {
        exchange.body = bytes;
        passUnjudged();
      });
  };

  /** Reads the body up to its limit. */
  const read = (exchange: ExchangeInFlight, session: LiveSession, match: Match) => {
    exchange.isReading = true;
    const stopReading = readBytes(exchange.req, gate.bodyLimit, (bytes) => {
      exchange.isReading = false;
      exchange.stop = undefined;
      judge(exchange, session, match, bytes);
    });
    if (exchange.isReading) exchange.stop = stopReading;
  };

  /** Judges it by what is known of the record, once it has the record's lock. */
  const judge = (exchange: ExchangeInFlight, session: LiveSession, match: Match, bytes: BytesRead) => {
    const { req, res } = exchange;
    const isGone = () => req.socket.destroyed;
    if (bytes === undefined || isGone()) return exchange.brokenOff();
    if (bytes !== 'too-large') exchange.body = bytes;
    const { method, url, headers } = exchange.request;
    const request = { method, url, headers, body: bytes };
    const sender = () => ({ client: addressOf(req), exchange: exchange.id });
    const asked: GuardedRequest = { request, match, session, stream: req, isGone, sender };
    let isWaiting = true;
    const withdraw = guard.judge(asked, (judged, releaseLock) => {
      isWaiting = false;
      exchange.releaseLock = releaseLock;
      attempt(exchange, () => decide(exchange, session, match, judged));
    });
    if (!isWaiting) return;
    // What it holds is not kept until it would have the lock.
    res.once('close', () => {
      if (withdraw()) exchange.brokenOff();
    });
  };

  /** Answers what is blocked, and lets the rest pass. */
  const decide = (
    exchange: ExchangeInFlight,
    session: LiveSession,
    match: Match,
    { inspection, remediation, approval, isApproved = false }: Judged,
  ) => {
    if (inspection === undefined) return exchange.brokenOff();
    if (inspection instanceof PatchgateError) return exchange.fail(inspection);
    exchange.verdict = inspection.verdict;
    if (audit) exchange.audited = audit.entryOf(exchange.req, match, inspection, isApproved, approval);
    if (inspection.verdict.outcome === 'block')
      exchange.answer(problemOfVerdict(inspection.verdict, remediation));
    else pass(exchange, session, match, inspection.json);
  };

  /** The upstream answers, or a fault does. Who learns from the answer stands in between where there is something to learn. */
  const pass = (
    exchange: ExchangeInFlight,
    session: LiveSession,
    match: Match | undefined,
    json: JsonValue | undefined,
  ) => {
    const { req, request, body } = exchange;
    const { method, url, headers } = request;
    let cancel = nothing;
    exchange.begin();
    const fault = faults.choose(session, request);
    exchange.fault = fault;
    if (fault && isInstead(fault)) {
      // No upstream sees the request, so the next one that changes the same record need not wait for it.
      exchange.releaseLock?.();
      exchange.releaseLock = undefined;
      exchange.stop = nothing;
      return answerInstead(fault, exchange);
    }
    // What was ended says no more of how it went.
    const end = () => {
      cancel();
      learning?.abandon();
    };
    const delayed = fault && new Delayed(exchange, fault);
    const client = delayed ?? exchange;
    const learning = learningSinkFor?.({ head: request, match, body: json, session }, client);
    if (learning) {
      learning.onOver = exchange.releaseLock;
      exchange.releaseLock = undefined;
    }
    exchange.stop = () => {
      delayed?.stop();
      end();
    };
    exchange.whenGone(() => {
      delayed?.stop();
      if (learning) learning.outlive(cancel);
      else cancel();
    });
    if (exchange.audited) exchange.audited.hasPassed = true;
    cancel = upstream.handle(
      { method, url, headers, body, json: upstream.takesJson && json, stream: req, session },
      learning ?? client,
    );
  };

  /** What throws within a step is a fault of ours: the client is told, and others go on. */
  const attempt = (exchange: ExchangeInFlight, step: () => void) => {
    try {
      step();
    } catch (error) {
      exchange.stop?.();
      exchange.fail(ownFault(error));
    }
  };

  /** The client is too slow with its body. */
  const giveUp = (exchange: ExchangeInFlight) => {
    const { req, res, stop, isReading } = exchange;
    if (!stop || res.headersSent) {
      req.destroy();
      return;
    }
    stop();
    hangUp(exchange, tooSlow(clientTimeout, isReading));
  };

  return take;
}

function nothing(): void {}

/** What else comes on the connection is not known, and not waited for. */
function hangUp(exchange: ExchangeInFlight, error: PatchgateError): void {
  exchange.res.shouldKeepAlive = false;
  exchange.fail(error);
}
