import type { IncomingMessage, ServerResponse } from 'node:http';
import { PatchgateError } from '../errors.ts';
import type { Gate, Inspection } from '../gate.ts';
import { createFollow } from '../guard/follow.ts';
import type { Guard, Judged } from '../guard/guard.ts';
import type { Learner } from '../guard/knowledge.ts';
import type { Verdict } from '../model/finding.ts';
import type { RequestHead } from '../model/http.ts';
import type { Redaction } from '../recordings/redaction/redaction.ts';
import { type BytesRead, readBytes } from '../upstreams/read-bytes.ts';
import { STOPPED } from '../upstreams/stopped.ts';
import type { ResponseSink, Upstream } from '../upstreams/upstream.ts';
import type { Refusal } from './access.ts';
import { BodyBudget, HELD_AT_MOST, OVERLOADED } from './body-budget.ts';
import { Cors } from './cors.ts';
import type { FaultsOfRun, Injected } from './faults/faults.ts';
import { answerInstead, isInstead, onItsWay } from './faults/inject.ts';
import { keepSession } from './keep-session.ts';
import { BodyKeeper, keptBody } from './kept-body.ts';
import { isCutByStop } from './listen/cut-by-stop.ts';
import { isHeavy, OneATurn } from './one-a-turn.ts';
import { ownFault } from './own-fault.ts';
import { type ProblemAnswer, problemOfError, problemOfRefusal, problemOfVerdict } from './problem.ts';
import { ResponseWriter } from './response-writer.ts';
import type { Seen } from './seen.ts';
import { type InSession, takeSession } from './session-path.ts';
import type { LiveSession, Sessions } from './sessions.ts';
import { tooSlow } from './too-slow.ts';
import { hasBody, watchBody } from './watch-body.ts';
import { whyUnreadable } from './why-unreadable.ts';

export interface DataPathOptions {
  gate: Gate;
  guard: Guard;
  /** What learns from the answers, if anything does. */
  learner: Learner | undefined;
  upstream: Upstream;
  faults: Pick<FaultsOfRun, 'choose'>;
  /** Milliseconds that a client may take for a body that is judged, or be silent within one that streams; 0 is no limit. */
  clientTimeout: number;
  sessions: Sessions;
  /** Of what is said of a request that fails. */
  redaction: Redaction;
  /** Numbers the requests of a run, from 1. */
  nextId(): number;
  /** Called once for each request, when it is over. */
  onSeen(seen: Seen): void;
}

/** A plain handler of requests: it can be a server's only listener, or middleware of an Express app. */
export type Handler = (req: IncomingMessage, res: ServerResponse) => void;

/** @param refusal why the request is not to be answered, whatever it asks for */
export type DataPath = (req: IncomingMessage, res: ServerResponse, refusal?: Refusal) => void;

/**
 * The one path of a request: its bytes are read where an operation of the contract could be meant, the gate judges
 * them, and what passes goes to the upstream with the very bytes that were judged.
 */
export function createDataPath(options: DataPathOptions): DataPath {
  const { gate, guard, learner, upstream, faults, clientTimeout, sessions, redaction, nextId, onSeen } =
    options;
  const budget = new BodyBudget(Math.max(HELD_AT_MOST, 4 * gate.bodyLimit));
  const heavy = new OneATurn();
  const cors = new Cors();
  const follow = learner && createFollow(gate, learner);
  return (req, res, refusal) => {
    const method = req.method as string;
    const headers = req.rawHeaders;
    let url = req.url as string;
    let head: RequestHead = { method, url, headers };
    const sent = head;
    let asked: InSession | undefined;
    let bytesRead: Buffer | undefined;
    /** Of a body that flows by. */
    let keeper: BodyKeeper | undefined;
    const id = nextId();
    const startedAt = Date.now();
    const started = performance.now();
    /** Of the memory that its body takes. */
    let release: (() => void) | undefined;
    let session: LiveSession | undefined;
    let fault: Injected | undefined;
    /** The next one that changes the same record may be judged. */
    let leave: (() => void) | undefined;
    const report = (end: Pick<Seen, 'answeredBy' | 'response' | 'failure'>, verdict: Verdict | undefined) => {
      release?.();
      if (session) sessions.leave(session);
      onSeen({
        id,
        startedAt,
        durationMs: performance.now() - started,
        request: head,
        requestBody: bytesRead ? keptBody(bytesRead) : keeper?.kept,
        verdict,
        ...end,
        fault: fault?.text,
        session: session?.name,
      });
      leave?.();
    };

    /** Node waits for whoever began to read a body to read on, and a client that sends all of it first would, too. */
    const discardRest = () => req.unpipe().resume();

    const refuse = (answer: ProblemAnswer, verdict: Verdict | undefined, failure?: string) => {
      const body = keptBody(answer.shown ?? answer.body);
      res.writeHead(answer.status, cors.headersOf(sent, answer, 'gate') as string[]);
      res.end(answer.body);
      discardRest();
      const response = { status: answer.status, headers: answer.headers, body };
      report({ answeredBy: 'gate', response, failure }, verdict);
    };

    const refuseFor = (error: PatchgateError) => refuse(problemOfError(error), undefined, error.message);

    let fail = refuseFor;

    /** What throws within it is a fault of ours: the client is told, and others go on. */
    const attempt = (work: () => void) => {
      try {
        work();
      } catch (error) {
        fail(ownFault(error));
      }
    };

    const brokenOff = () => {
      const failure = isCutByStop(req.socket) ? STOPPED : 'the client broke off its request';
      report({ answeredBy: 'gate', response: undefined, failure }, undefined);
    };

    /** Answers a client that is too slow with its body. Undefined: it has its answer already. */
    let giveUp: ((error: PatchgateError) => void) | undefined;
    const watch = watchBody(req, res, clientTimeout, () => {
      if (giveUp === undefined || res.headersSent) req.destroy();
      else {
        res.shouldKeepAlive = false;
        giveUp(tooSlow(clientTimeout, watch.isWhole));
      }
    });

    const pass = (body: Buffer | undefined, inspection: Inspection | undefined) => {
      const verdict = inspection?.verdict;
      const own = session as LiveSession;
      bytesRead = body;
      // Not `on`: that would start the flow, perhaps before the upstream listens.
      if (!body && hasBody(req)) {
        keeper = new BodyKeeper();
        req.prependListener('data', (chunk: Buffer) => keeper?.add(chunk));
      }
      const writer = new ResponseWriter(
        res,
        verdict?.findings ?? [],
        redaction,
        (end) => {
          if (end.failure !== undefined) discardRest();
          report(end, verdict);
        },
        (answer, answeredBy) => cors.headersOf(sent, answer, answeredBy),
      );
      const inSession = (sink: ResponseSink) => (asked?.prefix ? keepSession(sink, asked, req) : sink);
      fail = (error) => writer.fail(error);
      fault = faults.choose(own, head);
      if (fault && isInstead(fault)) {
        // No upstream sees the request, so the next one that changes the same record need not wait for it.
        leave?.();
        leave = undefined;
        answerInstead(fault, writer, inSession(writer), body ? undefined : req);
        giveUp = fail;
        return;
      }
      const way = fault && onItsWay(fault, writer, () => stop());
      const client = way?.sink ?? writer;
      const follower = follow?.({ head, match, body: inspection?.json, session: own }, client);
      if (follower) {
        follower.onOver = leave;
        leave = undefined;
      }
      fail = (error) => {
        way?.stop();
        follower?.abandon();
        writer.fail(error);
      };
      const json = upstream.takesJson && inspection?.json;
      const cancel = upstream.handle(
        { method, url, headers, body, json, stream: req, session: own },
        inSession(follower ?? client),
      );
      // Whoever is ended says no more of how it went.
      const stop = () => {
        cancel();
        follower?.abandon();
      };
      writer.whenClientGone(() => {
        way?.stop();
        if (follower) follower.outlive(cancel);
        else cancel();
      });
      giveUp = (error) => {
        stop();
        fail(error);
      };
    };

    const unreadable = whyUnreadable(req);
    if (unreadable) {
      res.shouldKeepAlive = false;
      refuseFor(unreadable);
      return;
    }
    if (refusal) {
      refuse(problemOfRefusal(refusal), undefined, refusal.message);
      return;
    }
    try {
      asked = takeSession(url, headers);
      url = asked.url;
      head = { method, url, headers };
      session = sessions.enter(asked.name, startedAt);
    } catch (error) {
      refuseFor(error as PatchgateError);
      return;
    }
    const match = gate.match(head);
    if (!match) attempt(() => pass(undefined, undefined));
    else {
      watch.isWhole = true;
      giveUp = (error) => {
        stopReading();
        refuseFor(error);
      };
      const { takes, giveBack } = budget.share();
      release = giveBack;
      const onFull = () => {
        giveUp = undefined;
        res.shouldKeepAlive = false;
        refuseFor(OVERLOADED);
      };
      const answerTo = ({ inspection, wayOut }: Judged, bytes: Buffer | 'too-large') => {
        if (inspection === undefined) brokenOff();
        else if (inspection instanceof PatchgateError) refuseFor(inspection);
        else if (inspection.verdict.outcome === 'block') {
          if (bytes !== 'too-large') bytesRead = bytes;
          refuse(problemOfVerdict(inspection.verdict, wayOut), inspection.verdict);
        } else pass(bytes === 'too-large' ? undefined : bytes, inspection);
      };
      const judge = (bytes: BytesRead) => {
        if (bytes === undefined || req.socket.destroyed) return brokenOff();
        const request = { method, url, headers, body: bytes };
        const isGone = () => req.socket.destroyed;
        let isWaiting = true;
        const withdraw = guard.judge(
          { request, match, session: session as LiveSession, stream: req, isGone },
          (judged, done) => {
            isWaiting = false;
            leave = done;
            attempt(() => answerTo(judged, bytes));
          },
        );
        // What it holds is not kept until its turn would come.
        if (isWaiting) res.once('close', () => withdraw() && brokenOff());
      };
      const onRead = (bytes: BytesRead) => {
        watch.isWhole = false;
        giveUp = undefined;
        if (isHeavy(bytes, req)) heavy.add(() => judge(bytes));
        else judge(bytes);
      };
      const stopReading = readBytes(req, gate.bodyLimit, onRead, { takes, onFull });
    }
  };
}
