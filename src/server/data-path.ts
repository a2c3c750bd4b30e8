import { PatchgateError } from '../errors.ts';
import type { Gate } from '../gate/gate.ts';
import type { Decision, Guard, GuardedRequest } from '../guard/guard.ts';
import { announcesBody } from '../http/http.ts';
import type { JsonValue } from '../json/json.ts';
import type { Verdict } from '../model/finding.ts';
import { type BytesRead, bytesAtHand, readBytes } from '../upstreams/bodies.ts';
import type { Session, Upstream, UpstreamRequest } from '../upstreams/upstream.ts';
import { attempt, gone, type Step } from './answer.ts';
import type { Handler } from './connections.ts';
import { BodyKeeper, type Exchange, newExchange, type Run } from './exchange.ts';
import type { Faults } from './faults.ts';
import { followed } from './follow.ts';
import { unclearFraming } from './framing.ts';
import { problemOfVerdict } from './problem.ts';
import { type Sessions, sessionNameOf } from './sessions.ts';

export interface DataPathOptions extends Run {
  gate: Gate;
  guard: Guard;
  upstream: Upstream;
  sessions: Pick<Sessions, 'enter'>;
  faults: Pick<Faults, 'choose' | 'answer' | 'delay'>;
  /** Milliseconds that the answer to a PATCH may take before the next one of its record goes on; 0: for ever. */
  timeout: number;
}

/** @param refusal why the request is not to be answered, whatever it asks for */
type DataPath = (...args: [...Parameters<Handler>, refusal?: PatchgateError]) => void;

/** Methods and bytes of an unjudged body that goes on as a whole if it came along with its head. */
const WITH_BODY: ReadonlySet<string> = new Set(['PATCH', 'POST', 'PUT']);
const SHORT = 65_536;

/** The way of a request: take, read, judge, decide, pass. The first step that has an answer ends it. */
export function createDataPath(options: DataPathOptions): DataPath {
  const { gate, guard, upstream, sessions, faults, timeout } = options;

  /** Framing, access, session, operation. */
  const take = (x: Exchange, refusal: PatchgateError | undefined): Step => {
    const unclear = unclearFraming(x.req);
    if (unclear !== undefined) {
      // What else comes on the connection is not known, and not waited for.
      x.res.shouldKeepAlive = false;
      throw new PatchgateError('malformed-request', `the request is ambiguous: ${unclear}`);
    }
    if (refusal) throw refusal;
    const { method, url, headers } = x.request;
    x.session = sessions.enter(sessionNameOf(headers));
    x.match = gate.match(x.request);
    if (!x.match && guard.isUnguarded(x.request)) {
      x.verdict = unguardedVerdict(method, gate.recordAt(url)?.id);
      x.unguarded = true;
    }
    return undefined;
  };

  /** A body that is judged is read to its limit; of another, what came along with the head. */
  const read = (x: Exchange): Step => {
    if (x.match) readBytes(x.req, gate.bodyLimit, (bytes) => attempt(x, () => judge(x, bytes)));
    else if (WITH_BODY.has(x.request.method)) {
      bytesAtHand(x.req, SHORT, (bytes) => {
        x.body = bytes;
        attempt(x, () => pass(x));
      });
    } else return pass(x);
    return undefined;
  };

  /** Judges it: at once, or once it has its record's lock and the record was read. */
  const judge = (x: Exchange, bytes: BytesRead): Step => {
    if (bytes === undefined || x.req.socket.destroyed) gone(x);
    if (x.isOver || bytes === undefined) return undefined;
    if (bytes !== 'too-large') x.body = bytes;
    const { method, url, headers } = x.request;
    const asked: GuardedRequest = {
      request: { method, url, headers, body: bytes },
      match: x.match as NonNullable<Exchange['match']>,
      session: x.session as Session,
      stream: x.req,
      signal: x.client.gone.signal,
      isGone: () => x.isOver || x.req.socket.destroyed,
      sender: () => ({ client: x.client.address, exchange: x.id }),
    };
    const { session, stream } = asked;
    if (upstream.holds?.({ method, url, headers, body: x.body, json: undefined, stream, session })) {
      // Nothing can be lost.
      const { verdict } = gate.inspect(asked.request, asked.match, { isInFile: true, approval: 'approved' });
      return decide(x, { inspection: { verdict, json: undefined } });
    }
    const name = guard.recordOf(asked.match);
    if (!name) return decide(x, guard.judgeNow(asked));
    return guard.judge(asked, name).then((decision) => void attempt(x, () => decide(x, decision)));
  };

  /** Answers blocked requests, and lets the rest pass. */
  const decide = (x: Exchange, decision: Decision): Step => {
    const { inspection } = decision;
    if (inspection instanceof PatchgateError) throw inspection;
    if (inspection === undefined || x.isOver) {
      decision.over?.('unsent');
      return void gone(x);
    }
    x.verdict = inspection.verdict;
    x.effects = inspection.effects;
    x.approval = decision.approval;
    x.isApproved = decision.isApproved;
    if (decision.isUnguarded) x.unguarded = true;
    return x.verdict.outcome === 'block'
      ? problemOfVerdict(x.verdict, decision.remediation)
      : pass(x, inspection.json, decision);
  };

  /** The upstream answers, or a fault does. The guard reads along in the answer. */
  const pass = (x: Exchange, json?: JsonValue, decision: Partial<Decision> = {}): Step => {
    const { body, req, client } = x;
    const session = x.session as Session;
    x.handedOnAfterMs = performance.now() - x.started;
    if (!body && announcesBody(x.request.headers)) {
      const keeper = new BodyKeeper();
      x.requestBody = keeper;
      // Not `on`: that would start the flow, perhaps before the upstream listens.
      req.prependListener('data', (chunk: Buffer) => keeper.add(chunk));
    }
    const over = decision.over ?? guard.remembers(x.request, x.match, json);
    const fault = faults.choose(session, x.request);
    x.fault = fault?.text;
    if (fault?.status || fault?.reset) {
      // No upstream sees the request, so the next one that changes the same record need not wait for it.
      over?.('unsent');
      return faults.answer(fault, x);
    }
    x.isSent = true;
    const { method, url, headers } = x.request;
    const judged = x.verdict?.operation === undefined ? undefined : (json ?? null);
    const request: UpstreamRequest = { method, url, headers, body, json: judged, stream: req, session };
    const { wantsAnswer: tells = true, over: isGuarded } = decision;
    const answer = over
      ? followed(x, upstream, request, over, { tells, outlives: isGuarded !== undefined, timeout })
      : upstream.handle(request, client.gone.signal);
    return fault ? faults.delay(fault, answer, x) : answer;
  };

  return (req, res, refusal) => {
    const x = newExchange(req, res, options);
    // No arrow: V8 puts one that is assigned to a property into its old space, and keeps the request with it.
    x.client.onGone = gone.bind(undefined, x);
    attempt(x, () => take(x, refusal) ?? read(x));
  };
}

/** The verdict on a PUT or DELETE of a guarded record: nobody looks at its losses. */
function unguardedVerdict(method: string, id: string | undefined): Verdict {
  const finding = {
    rule: 'project.state-unknown',
    severity: 'warn',
    basis: 'inferred',
    pointer: '',
    message: `the gate does not check this ${method}: ${id ? `project ${id}` : 'a project'} may lose environments`,
    hint: 'the guard judges PATCHes alone',
    source: 'service-api 4.1 rule 4',
  } as const;
  return { outcome: 'pass', findings: [finding], omitted: 0 };
}
