import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import express, { type ErrorRequestHandler, type Request, type RequestHandler } from 'express';
import { messageOf, PatchgateError } from '../../errors.ts';
import type { Gate } from '../../gate/gate.ts';
import { type ApprovalFilter, type Approvals, noApproval } from '../../guard/approvals.ts';
import type { Guard } from '../../guard/guard.ts';
import { isObject } from '../../json/json.ts';
import type { Approval, ApprovalStatus, Decision } from '../../model/approval.ts';
import type { FaultsGiven } from '../../model/fault.ts';
import { redactJson, redactText } from '../../recordings/redact/redact.ts';
import type { Redaction } from '../../recordings/redact/redaction.ts';
import { yieldToEventLoop } from '../../recordings/yield-to-event-loop.ts';
import { SESSION_HEADER, type ServedInSession, type Session } from '../../upstreams/session.ts';
import type { ExchangeFilter, ExchangeList } from '../exchange-list.ts';
import type { FaultsOfRun } from '../faults/faults.ts';
import type { NamedTokens } from '../named-tokens.ts';
import { LIVE, type Probes, READY } from '../probes.ts';
import { problem, problemOfError, sendProblem } from '../problem.ts';
import { type LiveSession, type Sessions, sessionNameOf } from '../sessions.ts';
import type { ShownExchange } from '../show-exchange.ts';
import { CONTROL_ROOT } from './control-path.ts';
import { createEvents } from './events.ts';
import { readDryRun, readJson } from './read-dry-run.ts';

export interface ControlDeps {
  /** Read anew for each request: it may be another one by then. */
  readonly gate: Gate;
  exchanges: ExchangeList;
  /** What `health` says beside its status; with `trouble`, the status is `degraded`. */
  health: () => { trouble?: string | undefined; readonly [member: string]: unknown };
  probes: Probes;
  /** Writes the metrics. */
  metrics(req: IncomingMessage, res: ServerResponse): Promise<void>;
  sessions: Sessions;
  faults: FaultsOfRun;
  /** What was served to a session out of a recording; undefined where nothing is replayed. */
  servedTo?: ((session: Session) => ServedInSession) | undefined;
  guard: Pick<Guard, 'knownOf'>;
  approvals: Approvals;
  /** Told of each decision. */
  onDecided?: ((approval: Approval) => void) | undefined;
  /** Those who may decide; undefined: all who may ask. */
  approvers?: Pick<NamedTokens, 'nameOf'> | undefined;
  /** Of what is shown. */
  redaction: Redaction;
  /** Makes a run as new. @param session that one alone */
  reset(session?: string): void;
  /** Ends the streams of events. */
  stopping?: AbortSignal;
}

type Method = 'get' | 'post' | 'put' | 'delete';
type Routes = Record<string, { [method in Method]?: RequestHandler | RequestHandler[] }>;

/** The control API, for every request at or below `/__patchgate`: an Express app. docs/reference/control-api.md describes each route. */
export function createControl(deps: ControlDeps): (req: IncomingMessage, res: ServerResponse) => void {
  const { exchanges, sessions, faults, guard, approvals } = deps;
  const bytesUpTo = (limit: number) => express.raw({ type: () => true, limit });

  const routes: Routes = {
    health: {
      get: (_req, res) => {
        const health = deps.health();
        res.json({ status: health.trouble === undefined ? 'ok' : 'degraded', ...health });
      },
    },
    [LIVE]: { get: deps.probes.live },
    [READY]: { get: deps.probes.ready },
    metrics: { get: deps.metrics },
    validate: {
      post: [
        // The body comes as a JSON text or in base64, where it is longer than by itself.
        (req, res, next) => bytesUpTo(2 * deps.gate.bodyLimit + 65_536)(req, res, next),
        async (req, res) => {
          const { gate } = deps;
          const request = readDryRun(req.body, gate.bodyLimit);
          const match = gate.match(request);
          const name = match && gate.recordOf(match);
          const known = name && guard.knownOf(name, sessions.default);
          const { verdict } = gate.inspect(request, match, { known });
          const shown = known && { known: redactJson(known.record, deps.redaction) };
          res.json({ judged: match !== undefined, ...verdict, ...shown });
        },
      ],
    },
    exchanges: {
      get: async (req, res) => {
        res.type('json');
        await pipeline(Readable.from(listText(exchanges.list(filterOf(req)))), res);
      },
    },
    'exchanges/:id': {
      get: (req, res) => {
        const id = String(req.params.id);
        const shown = /^\d{1,15}$/.test(id) ? exchanges.get(Number(id)) : undefined;
        const hint = `GET ${CONTROL_ROOT}/exchanges lists the last ones; older ones are forgotten`;
        if (!shown) throw notFound(`there is no exchange ${id.slice(0, 100)}`, hint);
        res.json(shown);
      },
    },
    sessions: {
      get: (req, res) => {
        const { session: name } = parametersOf(req, ['session'], '?session=NAME');
        // The default one has no name that a path could hold.
        const one = name === undefined ? undefined : sessions.get(name);
        if (name !== undefined && !one) throw noSession(name);
        res.json({
          sessions: one
            ? [showWholeSession(one, deps)]
            : sessions.list().map((session) => showSession(session, deps)),
        });
      },
    },
    'sessions/:name': {
      get: (req, res) => {
        const name = String(req.params.name);
        const session = sessions.get(name);
        if (session === undefined) throw noSession(name);
        res.json(showWholeSession(session, deps));
      },
      delete: (req, res) => {
        const name = String(req.params.name);
        if (!sessions.end(name)) throw noSession(name);
        res.json({ status: 'ended' });
      },
    },
    faults: {
      get: (req, res) => {
        res.json(faults.list(sessionOf(req)));
      },
      put: [
        bytesUpTo(1_048_576),
        async (req, res) => {
          const session = sessionOf(req);
          const given = readJson(req.body, 'send {"faults": ["PATCH status=503 count=2"]}') as FaultsGiven;
          await faults.set(given, session);
          res.json(faults.list(session));
        },
      ],
      delete: (req, res) => {
        const session = sessionOf(req);
        faults.clear(session);
        res.json(faults.list(session));
      },
    },
    approvals: {
      get: async (req, res) => {
        const list = await approvals.list(approvalFilterOf(req));
        const mayDecide = deps.approvers && deps.approvers.nameOf(req.rawHeaders) !== undefined;
        res.json({ approvals: list, approvers: approvals.needApprover, mayDecide });
      },
    },
    'approvals/:id': {
      get: async (req, res) => {
        const id = String(req.params.id);
        const approval = await approvals.get(id);
        if (!approval) throw noApproval(id);
        res.json(approval);
      },
      post: [
        bytesUpTo(65_536),
        async (req, res) => {
          const decided = readDecision(req.body, deps.redaction);
          const by = deps.approvers?.nameOf(req.rawHeaders);
          const { approval, isNew } = await approvals.decide(String(req.params.id), decided, by);
          if (isNew) deps.onDecided?.(approval);
          res.json(approval);
        },
      ],
    },
    events: { get: createEvents(exchanges, approvals, deps.stopping) },
    reset: {
      post: (req, res) => {
        deps.reset(sessionOf(req));
        res.json({ status: 'reset' });
      },
    },
  };

  const app = express();
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing');
  app.use((_req, res, next) => {
    res.setHeader('Cache-Control', 'no-store');
    res.setHeader('X-Content-Type-Options', 'nosniff');
    next();
  });
  for (const [path, handlers] of Object.entries(routes)) {
    const route = app.route(`${CONTROL_ROOT}/${path}`);
    const methods = Object.keys(handlers) as Method[];
    for (const method of methods) route[method](handlers[method] ?? []);
    route.all(wrongMethod(methods.map((method) => (method === 'get' ? 'GET, HEAD' : method.toUpperCase()))));
  }
  const endpoints = Object.entries(routes).flatMap(([path, handlers]) =>
    Object.keys(handlers).map((method) => `${method.toUpperCase()} ${CONTROL_ROOT}/${path}`),
  );
  app.use((req) => {
    throw notFound(`the control API has no ${req.path.slice(0, 200)}`, `it has: ${endpoints.join(', ')}`);
  });
  app.use(answerError);
  return app;
}

/** Redacting a thousand large bodies takes a while, so every few milliseconds the data path has its turn. */
async function* listText(list: Iterable<ShownExchange>): AsyncGenerator<string> {
  let text = '{"exchanges":[';
  let comma = '';
  for (const shown of list) {
    text += comma + JSON.stringify(shown);
    comma = ',';
    const rest = yieldToEventLoop();
    if (!rest) continue;
    yield text;
    text = '';
    await rest;
  }
  yield `${text}]}`;
}

const LIST_EXAMPLE = '?limit=20&verdict=block&session=NAME&bodies=false';

/** Which exchanges are asked for. @throws PatchgateError `bad-input` */
function filterOf(req: Request): ExchangeFilter {
  const names = ['limit', 'verdict', 'session', 'bodies'] as const;
  const { limit, verdict, session, bodies } = parametersOf(req, names, LIST_EXAMPLE);
  if (verdict !== undefined && verdict !== 'pass' && verdict !== 'block')
    throw badQuery('verdict is neither pass nor block', LIST_EXAMPLE);
  if (bodies !== undefined && bodies !== 'true' && bodies !== 'false')
    throw badQuery('bodies is neither true nor false', LIST_EXAMPLE);
  return { limit: limitIn(limit, LIST_EXAMPLE), outcome: verdict, session, bodies: bodies !== 'false' };
}

/** Which session is meant; undefined: all. A client that names its session with every request means that one here, too.
 *  @throws PatchgateError `bad-input` */
function sessionOf(req: Request): string | undefined {
  const { session } = parametersOf(req, ['session'], '?session=NAME');
  const named = sessionNameOf(req.rawHeaders) || undefined;
  if (session === undefined || named === undefined || session === named) return session ?? named;
  throw new PatchgateError('bad-input', `the query and the header ${SESSION_HEADER} name two sessions`, {
    hint: 'name the session in one of them',
  });
}

/** The parameters of a query, each at most once. */
function parametersOf<Name extends string>(
  req: Request,
  names: readonly Name[],
  example: string,
): { [name in Name]?: string } {
  for (const [name, value] of Object.entries(req.query)) {
    const shown = name.slice(0, 100);
    if (!(names as readonly string[]).includes(name)) throw badQuery(`unknown parameter ${shown}`, example);
    if (typeof value !== 'string') throw badQuery(`${shown} comes more than once`, example);
  }
  return req.query as { [name in Name]?: string };
}

function badQuery(message: string, example: string): PatchgateError {
  return new PatchgateError('bad-input', message, { hint: `use ${example}, or leave it out` });
}

/** A session as the list has it. `""` is the default one; `served` is absent where nothing is replayed. */
function showSession(session: LiveSession, { servedTo }: ControlDeps): object {
  const { name, startedAt, lastUsedAt, requests } = session;
  return {
    name,
    startedAt: new Date(startedAt).toISOString(),
    lastUsedAt: new Date(lastUsedAt).toISOString(),
    requests,
    ...(servedTo && { served: servedTo(session).count }),
  };
}

/** The same with the exchanges that were served to it, in the order in which they first were; `cut`: there were more. */
function showWholeSession(session: LiveSession, deps: ControlDeps): object {
  const served = deps.servedTo?.(session);
  return {
    ...showSession(session, deps),
    ...(served && { exchanges: [...served.exchanges], ...(served.isCut && { cut: true }) }),
  };
}

const STATUSES: readonly string[] = [
  'pending',
  'approved',
  'declined',
  'used',
  'expired',
] satisfies ApprovalStatus[];
const APPROVALS_EXAMPLE = '?status=pending&limit=20';

/** @throws PatchgateError `bad-input` */
function approvalFilterOf(req: Request): ApprovalFilter {
  const { limit, status } = parametersOf(req, ['limit', 'status'], APPROVALS_EXAMPLE);
  if (status !== undefined && !STATUSES.includes(status))
    throw badQuery(`status is none of ${STATUSES.join(', ')}`, APPROVALS_EXAMPLE);
  return { limit: limitIn(limit, APPROVALS_EXAMPLE), status: status as ApprovalStatus | undefined };
}

/** @throws PatchgateError `bad-input` */
function limitIn(limit: string | undefined, example: string): number | undefined {
  if (limit === undefined) return undefined;
  if (!/^\d{1,9}$/.test(limit)) throw badQuery('limit is not a number', example);
  return Number(limit);
}

const DECISION_EXAMPLE = 'send {"decision": "approve"} or {"decision": "decline", "reason": "why"}';
/** Characters of a reason. */
const LONGEST_REASON = 500;

/** @throws PatchgateError `bad-input` */
function readDecision(body: unknown, redaction: Redaction): { decision: Decision; reason?: string } {
  const wrong = (message: string) => new PatchgateError('bad-input', message, { hint: DECISION_EXAMPLE });
  const given = readJson(body, DECISION_EXAMPLE);
  if (!isObject(given)) throw wrong('the decision is no JSON object');
  const { decision, reason, ...others } = given;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw wrong(`unknown member ${unknown.slice(0, 100)}`);
  if (decision !== 'approve' && decision !== 'decline')
    throw wrong('decision is neither approve nor decline');
  if (reason === undefined || reason === '') return { decision };
  if (typeof reason !== 'string') throw wrong('reason is no text');
  if (reason.length > LONGEST_REASON) throw wrong(`reason has more than ${LONGEST_REASON} characters`);
  return { decision, reason: redactText(reason, redaction) };
}

function noSession(name: string): PatchgateError {
  return notFound(
    `there is no session ${name.slice(0, 100)}`,
    `GET ${CONTROL_ROOT}/sessions lists those that there are; a session begins with its first request and ends when it is no longer used`,
  );
}

function notFound(message: string, hint: string): PatchgateError {
  return new PatchgateError('not-found', message, { hint });
}

function wrongMethod(allowed: readonly string[]): RequestHandler {
  const allow = allowed.join(', ');
  return (req, res) => {
    res.setHeader('Allow', allow);
    const detail = `${req.path} does not take ${req.method}`;
    sendProblem(res, problem('bad-usage', 405, { detail, hint: `use ${allow}` }));
  };
}

/** Express's own errors (a body past the limit, a broken escape) come with a status; any other is unexpected. */
const answerError: ErrorRequestHandler = (thrown, _req, res, _next) => {
  if (res.headersSent) res.destroy();
  else sendProblem(res, problemOfError(asPatchgateError(thrown)));
};

function asPatchgateError(thrown: unknown): PatchgateError {
  if (thrown instanceof PatchgateError) return thrown;
  const status = thrown instanceof Error && 'status' in thrown ? Number(thrown.status) : 500;
  if (status === 413) return new PatchgateError('request-too-large', 'the input is too large');
  if (status >= 400 && status < 500)
    return new PatchgateError('bad-input', `the request cannot be read: ${messageOf(thrown)}`);
  return new PatchgateError('internal', `the control API failed: ${messageOf(thrown)}`);
}
