import { PatchgateError } from '../errors.ts';
import type { Gate } from '../gate/gate.ts';
import type { Decision, Guard, GuardedRequest } from '../guard/guard.ts';
import type { JsonValue } from '../json/json.ts';
import type { Finding, Verdict } from '../model/finding.ts';
import type { RecordName } from '../model/record.ts';
import { type BytesRead, bytesAtHand, readBytes } from '../upstreams/bodies.ts';
import type { Answer, Upstream, UpstreamRequest } from '../upstreams/upstream.ts';
import type { AccessRefusal } from './access.ts';
import { addressOf } from './connections.ts';
import { Exchange, type Run, type Step } from './exchange.ts';
import type { FaultsOfRun } from './faults/faults.ts';
import { answerInstead, delayed, isInstead } from './faults/inject.ts';
import { followed, type Tell } from './follow.ts';
import { framingError } from './framing.ts';
import type { Handler } from './handler.ts';
import { problemOfRefusal, problemOfVerdict } from './problem.ts';
import type { LiveSession } from './sessions.ts';
import { takeSession } from './sessions.ts';
import { watchBody } from './watch-body.ts';

export interface DataPathOptions extends Run {
  gate: Gate;
  guard: Guard;
  upstream: Upstream;
  /** Somebody keeps account of who changed what. */
  isAudited: boolean;
  faults: Pick<FaultsOfRun, 'choose' | 'wait'>;
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

/** The way of a request: take, read, judge, decide, pass. The first step that has an answer ends it. */
export function createDataPath(options: DataPathOptions): DataPath {
  const { gate, guard, upstream, isAudited, faults, clientTimeout, timeout } = options;

  /** Framing, access, session, operation. */
  const take = (x: Exchange, refusal: AccessRefusal | undefined): Step => {
    const unreadable = framingError(x.req);
    if (unreadable) {
      // What else comes on the connection is not known, and not waited for.
      x.res.shouldKeepAlive = false;
      throw unreadable;
    }
    if (refusal) return problemOfRefusal(refusal);
    x.enter(takeSession(x.request.url, x.request.headers));
    x.match = gate.match(x.request);
    if (!x.match && guard.isUnguarded(x.request.method, x.request.url)) markUnguarded(x);
    return undefined;
  };

  /** A body that is judged is read to its limit; of another, what came along with the head. */
  const read = (x: Exchange): Step => {
    if (x.match) {
      x.isReading = true;
      readBytes(x.req, gate.bodyLimit, (bytes) => x.attempt(() => judge(x, bytes)));
    } else if (WITH_BODY.has(x.request.method)) {
      bytesAtHand(x.req, SHORT, (bytes) => {
        x.body = bytes;
        x.attempt(() => pass(x));
      });
    } else return pass(x);
    return undefined;
  };

  /** Judges it: at once, or once it has its record's lock and the record was read. */
  const judge = (x: Exchange, bytes: BytesRead): Step => {
    x.isReading = false;
    if (x.isOver) return undefined;
    if (bytes === undefined || x.req.socket.destroyed) {
      x.gone();
      return undefined;
    }
    if (bytes !== 'too-large') x.body = bytes;
    const { method, url, headers } = x.request;
    const asked: GuardedRequest = {
      request: { method, url, headers, body: bytes },
      match: x.match as NonNullable<Exchange['match']>,
      session: x.session as LiveSession,
      stream: x.req,
      isGone: () => x.isOver || x.req.socket.destroyed,
      sender: () => ({ client: addressOf(x.req), exchange: x.id }),
    };
    const name = guard.recordOf(asked.match);
    return name
      ? guard.judge(asked, name).then((decision) => decide(x, decision) as Answer)
      : decide(x, guard.judgeNow(asked));
  };

  /** Answers what is blocked, and lets the rest pass. */
  const decide = (x: Exchange, decision: Decision): Step => {
    const { inspection, remediation, approval, isApproved = false, isUnguarded = false } = decision;
    if (inspection instanceof PatchgateError) throw inspection;
    if (inspection === undefined || x.isOver) {
      decision.over?.('unsent');
      if (!x.isOver) x.gone();
      return undefined;
    }
    const { verdict, effects, json } = inspection;
    x.verdict = verdict;
    x.isUnguarded = isUnguarded;
    if (isAudited) {
      const record = gate.recordOf(x.match as NonNullable<Exchange['match']>);
      x.audited = { client: addressOf(x.req), record, effects, isApproved, approval };
    }
    return verdict.outcome === 'block' ? problemOfVerdict(verdict, remediation) : pass(x, json, decision);
  };

  /** A PUT or DELETE of a guarded record: nobody looks at what is lost. */
  const markUnguarded = (x: Exchange) => {
    const { method, url } = x.request;
    const record = gate.recordAt(url);
    const verdict = unguardedVerdict(method, record);
    x.verdict = verdict;
    x.isUnguarded = true;
    if (isAudited) x.audited = { client: addressOf(x.req), record };
  };

  /** The upstream answers, or a fault does. What the answer says of a record is told on its way. */
  const pass = (x: Exchange, json?: JsonValue, decision: Partial<Decision> = NO_DECISION): Step => {
    const { body, req } = x;
    const session = x.session as LiveSession;
    x.begin();
    const over = decision.over ?? guard.remembers(x.request, x.match, json);
    const fault = faults.choose(session, x.request);
    x.fault = fault;
    if (fault && isInstead(fault)) {
      // No upstream sees the request, so the next one that changes the same record need not wait for it.
      over?.('unsent');
      return answerInstead(fault, x, faults);
    }
    if (x.audited) x.audited.hasPassed = true;
    const { method, url, headers } = x.request;
    const request: UpstreamRequest = { method, url, headers, body, json, stream: req, session };
    const tell: Tell | undefined = over && {
      ...{ over, timeout, wantsBody: decision.wantsAnswer ?? true, outlives: decision.over !== undefined },
    };
    const answer = tell ? followed(x, upstream, request, tell) : upstream.handle(request, x.signal);
    return fault ? delayed(answer, fault, x, faults) : answer;
  };

  return (req, res, refusal) => {
    const x = new Exchange(req, res, options);
    watchBody(x, clientTimeout, (error) => x.giveUp(error));
    x.attempt(() => take(x, refusal) ?? read(x));
  };
}

const NO_DECISION: Partial<Decision> = {};

/** What is said of a change that is not judged. */
function unguardedVerdict(method: string, record: RecordName | undefined): Verdict {
  const finding: Finding = {
    rule: 'project.state-unknown',
    severity: 'warn',
    basis: 'inferred',
    pointer: '',
    message: `nobody looks at what this ${method} of ${record ? `project ${record.id}` : 'a project'} deletes`,
    hint: 'the guard judges PATCHes alone',
    source: 'service-api 4.1 rule 4',
  };
  return { outcome: 'pass', findings: [finding], omitted: 0 };
}
