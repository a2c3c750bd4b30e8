import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import express, { type ErrorRequestHandler, type RequestHandler, type Response } from 'express';
import { messageOf, PatchgateError } from '../../errors.ts';
import type { Gate } from '../../gate/gate.ts';
import type { Knowledge } from '../../guard/knowledge.ts';
import type { Redaction } from '../../recordings/redaction/redaction.ts';
import type { ExchangeList } from '../exchange-list.ts';
import type { FaultsOfRun } from '../faults/faults.ts';
import { type ProblemAnswer, problem, problemOfError } from '../problem.ts';
import { reset } from '../reset.ts';
import type { Sessions } from '../sessions.ts';
import type { ShownExchange } from '../show-exchange.ts';
import { CONTROL_ROOT } from './control-path.ts';
import { createEvents } from './events.ts';
import { getFaults, putFaults, takeFaults } from './faults.ts';
import { forgetKnown, showKnown } from './known-records.ts';
import { filterOf, sessionOf } from './query.ts';
import { readDryRun } from './read-dry-run.ts';
import { noSession, type ServedTo, showSession, showWholeSession } from './show-session.ts';

export interface ControlDeps {
  gate: Gate;
  exchanges: ExchangeList;
  /** What `health` says beside its status; with `trouble`, the status is `degraded`. */
  health: () => { trouble?: string | undefined; readonly [member: string]: unknown };
  sessions: Sessions;
  faults: FaultsOfRun;
  /** What was served to a session out of a recording; undefined where nothing is replayed. */
  servedTo?: ServedTo | undefined;
  knowledge: Knowledge;
  /** Of what is shown. */
  redaction: Redaction;
  /** Ends the streams of events. */
  stopping?: AbortSignal;
}

const ENDPOINTS = [
  'GET health',
  'POST validate',
  'GET exchanges',
  'GET exchanges/:id',
  'GET sessions',
  'GET sessions/:name',
  'DELETE sessions/:name',
  'GET state',
  'DELETE state/:account/:collection/:id',
  'GET faults',
  'PUT faults',
  'DELETE faults',
  'GET events',
  'POST reset',
].map((endpoint) => endpoint.replace(' ', ` ${CONTROL_ROOT}/`));

/** The control API, for every request at or below `/__patchgate`. An Express app. Design section 5. */
export function createControl(deps: ControlDeps): (req: IncomingMessage, res: ServerResponse) => void {
  const { gate, exchanges, sessions, faults, servedTo, knowledge } = deps;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');

  app.use((_req, res, next) => {
    res.setHeader('Cache-Control', 'no-store');
    res.setHeader('X-Content-Type-Options', 'nosniff');
    next();
  });
  const route = (path: string, method: 'get' | 'post', ...handlers: RequestHandler[]) =>
    app
      .route(`${CONTROL_ROOT}/${path}`)
      [method](...handlers)
      .all(wrongMethod(method === 'get' ? 'GET, HEAD' : 'POST'));

  route('health', 'get', (_req, res) => {
    const health = deps.health();
    res.json({ status: health.trouble === undefined ? 'ok' : 'degraded', ...health });
  });
  // The dry run's input holds the body as a JSON text or in base64, where it is longer than by itself.
  const inputLimit = 2 * gate.bodyLimit + 65_536;
  route('validate', 'post', express.raw({ type: () => true, limit: inputLimit }), (req, res) => {
    const input: unknown = req.body;
    const request = readDryRun(Buffer.isBuffer(input) ? input : Buffer.alloc(0), gate.bodyLimit);
    const match = gate.match(request);
    const name = match && gate.recordOf(match);
    const known = name && knowledge.of(name, sessions.default);
    res.json({ judged: match !== undefined, ...gate.inspect(request, match, { known }).verdict });
  });
  route('exchanges', 'get', async (req, res) => {
    res.type('json');
    await pipeline(Readable.from(listText(exchanges.list(filterOf(req)))), res);
  });
  route('exchanges/:id', 'get', (req, res) => {
    const id = String(req.params.id);
    const shown = /^\d{1,15}$/.test(id) ? exchanges.get(Number(id)) : undefined;
    if (shown === undefined) {
      throw new PatchgateError('not-found', `there is no exchange ${id.slice(0, 100)}`, {
        hint: `GET ${CONTROL_ROOT}/exchanges lists the last ones; older ones are forgotten`,
      });
    }
    res.json(shown);
  });
  route('sessions', 'get', (_req, res) => {
    res.json({ sessions: sessions.list().map((session) => showSession(session, servedTo)) });
  });
  app
    .route(`${CONTROL_ROOT}/sessions/:name`)
    .get((req, res) => {
      const session = sessions.get(req.params.name);
      if (session === undefined) throw noSession(req.params.name);
      res.json(showWholeSession(session, servedTo));
    })
    .delete((req, res) => {
      if (!sessions.end(req.params.name)) throw noSession(req.params.name);
      res.json({ status: 'ended' });
    })
    .all(wrongMethod('GET, HEAD, DELETE'));
  route('state', 'get', (_req, res) => {
    res.json(showKnown(knowledge.ledger?.state, deps.redaction));
  });
  app
    .route(`${CONTROL_ROOT}/state/:account/:collection/:id`)
    .delete((req, res) => {
      forgetKnown(knowledge.ledger?.state, req.params);
      res.json({ status: 'forgotten' });
    })
    .all(wrongMethod('DELETE'));
  app
    .route(`${CONTROL_ROOT}/faults`)
    .get(getFaults(faults))
    .put(express.raw({ type: () => true, limit: 1_048_576 }), putFaults(faults))
    .delete(takeFaults(faults))
    .all(wrongMethod('GET, HEAD, PUT, DELETE'));
  route('events', 'get', createEvents(exchanges, deps.stopping));
  route('reset', 'post', (req, res) => {
    reset(deps, sessionOf(req));
    res.json({ status: 'reset' });
  });

  app.use((req) => {
    throw new PatchgateError('not-found', `the control API has no ${req.path.slice(0, 200)}`, {
      hint: `it has: ${ENDPOINTS.join(', ')}`,
    });
  });
  app.use(answerError);
  return app;
}

/** Redacting a thousand large bodies takes a while, so after each one the data path has its turn. */
async function* listText(list: Iterable<ShownExchange>): AsyncGenerator<string> {
  let before = '{"exchanges":[';
  for (const shown of list) {
    yield before + JSON.stringify(shown);
    before = ',';
    await setImmediate();
  }
  yield before === ',' ? ']}' : `${before}]}`;
}

function wrongMethod(allow: string): RequestHandler {
  return (req, res) => {
    res.setHeader('Allow', allow);
    const detail = `${req.path} does not take ${req.method}`;
    send(res, problem('bad-usage', 405, { detail, hint: `use ${allow}` }));
  };
}

/** Express's own errors (a body past the limit, a broken escape) come with a status; any other is unexpected. */
const answerError: ErrorRequestHandler = (thrown, _req, res, _next) => {
  if (res.headersSent) {
    res.destroy();
    return;
  }
  send(res, problemOfError(asPatchgateError(thrown)));
};

function asPatchgateError(thrown: unknown): PatchgateError {
  if (thrown instanceof PatchgateError) return thrown;
  const status = thrown instanceof Error && 'status' in thrown ? Number(thrown.status) : 500;
  if (status === 413) return new PatchgateError('request-too-large', 'the input is too large');
  if (status >= 400 && status < 500)
    return new PatchgateError('bad-input', `the request cannot be read: ${messageOf(thrown)}`);
  return new PatchgateError('internal', `the control API failed: ${messageOf(thrown)}`);
}

/** Without `Patchgate-Blocked`: that is said of requests that were meant for the upstream. */
function send(res: Response, answer: ProblemAnswer): void {
  res.status(answer.status).type('application/problem+json').end(answer.body);
}
