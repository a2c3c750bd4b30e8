import type { Match } from '../contract/match-operation.ts';
import { PatchgateError } from '../errors.ts';
import type { Gate } from '../gate/gate.ts';
import type { Decision, Guard, GuardedRequest } from '../guard/guard.ts';
import type { Answered } from '../guard/kept.ts';
import { WatchedAnswer } from '../guard/watch-answer.ts';
import type { JsonValue } from '../json/json.ts';
import type { Finding, Verdict } from '../model/finding.ts';
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
  upstream: Upstream;
  /** Who changed what, if that is kept. */
  audit?: Pick<Audit, 'entryOf'> | undefined;
  faults: Pick<FaultsOfRun, 'choose'>;
  /** Milliseconds that a client may take for a body that is judged, or be silent within one that streams. */
  clientTimeout: number;
  /** Milliseconds that the answer to a PATCH may take before the next one of its record goes on; 0: for ever. */
  timeout: number;
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
  const { gate, guard, upstream, audit, faults, clientTimeout, timeout } = options;

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
    if (!match && guard.isUnguarded(exchange.request.method, exchange.request.url)) markUnguarded(exchange);
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

  /** Judges it: at once, or once it has its record's lock and the record was read. */
  const judge = (exchange: ExchangeInFlight, session: LiveSession, match: Match, bytes: BytesRead) => {
    const { req } = exchange;
    const isGone = () => req.socket.destroyed;
    if (bytes === undefined || isGone()) return exchange.brokenOff();
    if (bytes !== 'too-large') exchange.body = bytes;
    const { method, url, headers } = exchange.request;
    const request = { method, url, headers, body: bytes };
    const sender = () => ({ client: addressOf(req), exchange: exchange.id });
    const asked: GuardedRequest = { request, match, session, stream: req, isGone, sender };
    const name = guard.recordOf(match);
    if (name) void waitFor(exchange, guard.judge(asked, name), session, match);
    else attempt(exchange, () => decide(exchange, session, match, guard.judgeNow(asked)));
  };

  /** Its client may go meanwhile. */
  const waitFor = async (
    exchange: ExchangeInFlight,
    judging: Promise<Decision>,
    session: LiveSession,
    match: Match,
  ) => {
    const leave = () => exchange.brokenOff();
    exchange.res.once('close', leave);
    const decision = await judging;
    exchange.res.off('close', leave);
    if (exchange.isOver) decision.over?.('unsent');
    else attempt(exchange, () => decide(exchange, session, match, decision));
  };

  /** Answers what is blocked, and lets the rest pass. */
  const decide = (exchange: ExchangeInFlight, session: LiveSession, match: Match, decision: Decision) => {
    const { inspection, remediation, approval, isApproved = false, isUnguarded = false } = decision;
    if (inspection === undefined) return exchange.brokenOff();
    if (inspection instanceof PatchgateError) return exchange.fail(inspection);
    const { verdict, effects, json } = inspection;
    exchange.verdict = verdict;
    exchange.isUnguarded = isUnguarded;
    if (audit) {
      const record = gate.recordOf(match);
      exchange.audited = audit.entryOf(exchange.req, {
        ...{ record, verdict, effects, isApproved, approval, isUnguarded },
      });
    }
    if (verdict.outcome === 'block') exchange.answer(problemOfVerdict(verdict, remediation));
    else pass(exchange, session, match, json, decision);
  };

  /** A PUT or DELETE of a guarded record: nobody looks at what is lost. */
  const markUnguarded = (exchange: ExchangeInFlight) => {
    const { method, url } = exchange.request;
    const record = gate.recordAt(url);
    const verdict = unguardedVerdict(method, record?.id ?? '');
    exchange.verdict = verdict;
    exchange.isUnguarded = true;
    const of = { record, verdict, effects: undefined, isApproved: false, approval: undefined };
    exchange.audited = audit?.entryOf(exchange.req, { ...of, isUnguarded: true });
  };

  /** The upstream answers, or a fault does. What the answer says of a record is remembered on its way. */
  const pass = (
    exchange: ExchangeInFlight,
    session: LiveSession,
    match: Match | undefined,
    json: JsonValue | undefined,
    { over, wantsAnswer = true }: Partial<Decision> = {},
  ) => {
    const { req, request, body } = exchange;
    const { method, url, headers } = request;
    const told: ((answered: Answered) => void) | undefined = over ?? guard.remembers(request, match, json);
    let cancel = nothing;
    exchange.begin();
    const fault = faults.choose(session, request);
    exchange.fault = fault;
    if (fault && isInstead(fault)) {
      // No upstream sees the request, so the next one that changes the same record need not wait for it.
      told?.('unsent');
      exchange.stop = nothing;
      return answerInstead(fault, exchange);
    }
    // What was ended says no more of how it went.
    const end = () => {
      cancel();
      watched?.abandon();
    };
    const delayed = fault && new Delayed(exchange, fault);
    const client = delayed ?? exchange;
    const wantsBody = (status: number) => wantsAnswer && status >= 200 && status < 300;
    const watched = told && new WatchedAnswer(client, timeout, wantsBody, told);
    exchange.stop = () => {
      delayed?.stop();
      end();
    };
    exchange.whenGone(() => {
      delayed?.stop();
      if (watched && over) watched.outlive(cancel);
      else end();
    });
    if (exchange.audited) exchange.audited.hasPassed = true;
    cancel = upstream.handle(
      { method, url, headers, body, json: upstream.takesJson && json, stream: req, session },
      watched ?? client,
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

/** What is said of a change that is not judged. */
function unguardedVerdict(method: string, id: string): Verdict {
  const finding: Finding = {
    rule: 'project.state-unknown',
    severity: 'warn',
    basis: 'inferred',
    pointer: '',
    message: `nobody looks at what this ${method} of project ${id} deletes`,
    hint: 'the guard judges PATCHes alone',
    source: 'service-api 4.1 rule 4',
  };
  return { outcome: 'pass', findings: [finding], omitted: 0 };
}

/** What else comes on the connection is not known, and not waited for. */
function hangUp(exchange: ExchangeInFlight, error: PatchgateError): void {
  exchange.res.shouldKeepAlive = false;
  exchange.fail(error);
}
