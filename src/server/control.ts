import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import express, { type ErrorRequestHandler, type Request, type Response } from 'express';
import { messageOf, PatchgateError } from '../errors.ts';
import { type Approvals, type Decided, noApproval } from '../guard/approvals.ts';
import type { Guard } from '../guard/guard.ts';
import { isObject } from '../json/json.ts';
import type { ApprovalStatus } from '../model/approval.ts';
import { redactJson, redactText } from '../recordings/redact/redact.ts';
import type { Redaction } from '../recordings/redact/redaction.ts';
import type { FaultsGiven } from '../settings/faults.ts';
import { approverOf, type NamedTokens } from './access.ts';
import type { Audit } from './audit.ts';
import type { Handler } from './connections.ts';
import { CONTROL_ROOT } from './control-path.ts';
import type { ExchangeFilter, ExchangeList } from './exchange-list.ts';
import type { Faults } from './faults.ts';
import { problemOfError, sendProblem } from './problem.ts';
import { type Sessions, sessionNameOf } from './sessions.ts';
import type { ShownExchange } from './show-exchange.ts';

export interface ControlDeps {
  guard: Pick<Guard, 'knownAt'>;
  approvals: Approvals;
  /** Those who may decide; none: all who may ask. */
  approvers: NamedTokens;
  run: {
    exchanges: ExchangeList;
    sessions: Sessions;
    faults: Faults;
    redaction: Redaction;
    audit: Pick<Audit, 'decided'> | undefined;
    health(): { readonly trouble: string | undefined; readonly [member: string]: unknown };
    isReady(): boolean;
    metrics(): string;
    reset(session?: string): void;
    stopping: AbortController;
  };
}

/** Bytes that may wait for a client of events. */
const WAITING_AT_MOST = 1_048_576;
const HEARTBEAT_MS = 15_000;
const NUMBER = /^\d{1,9}$/;
const STATUS = /^(?:pending|approved|declined|used|expired)$/;

/** Returns what it answers as JSON; undefined: it has answered itself. */
type Route = (req: Request, res: Response) => unknown;

/** The control API, for every request at or below `/__patchgate`. docs/reference/control-api.md describes each route. */
export function createControl({ guard, approvals, approvers, run }: ControlDeps): Handler {
  const { exchanges, sessions, faults, redaction } = run;
  // A decision that is sent again changes nothing.
  approvals.subscribe((one) => {
    if (one.status === 'approved' || one.status === 'declined') run.audit?.decided(one);
  });

  function faultsWith(req: Request, given?: FaultsGiven) {
    queryOf(req, {});
    if (given !== undefined) faults.set(given);
    return { faults: faults.list() };
  }

  const routes: Readonly<Record<string, Route>> = {
    'GET health'() {
      const health = run.health();
      return { status: health.trouble === undefined ? 'ok' : 'degraded', ...health };
    },
    'GET health/live': () => ({ status: 'ok' }),
    'GET health/ready'(_req, res) {
      res.status(run.isReady() ? 200 : 503);
      return { status: run.isReady() ? 'ok' : 'not ready' };
    },
    'GET metrics'(_req, res) {
      res.type('text/plain; version=0.0.4; charset=utf-8').send(run.metrics());
    },
    async 'GET exchanges'(req, res) {
      const forms = { limit: NUMBER, verdict: /^(?:pass|block)$/, session: /^/, bodies: /^(?:true|false)$/ };
      const { limit = 'Infinity', verdict, session, bodies } = queryOf(req, forms);
      const outcome = verdict as ExchangeFilter['outcome'];
      const list = exchanges.list({ limit: Number(limit), outcome, session, bodies: bodies !== 'false' });
      await pipeline(Readable.from(listText(list)), res.type('json'));
    },
    'GET exchanges/:id'({ params }) {
      const shown = exchanges.get(Number(params.id));
      const known = shown?.verdict && guard.knownAt(shown.request.url, sessions.find(shown.session ?? ''));
      if (shown) return { ...shown, known: known && redactJson(known.record, redaction) };
      const hint = `GET ${CONTROL_ROOT}/exchanges lists the last ones; older ones are forgotten`;
      throw new PatchgateError('not-found', 'there is no such exchange', { hint });
    },
    async 'GET approvals'(req) {
      const { limit = 'Infinity', status } = queryOf(req, { limit: NUMBER, status: STATUS });
      const list = await approvals.list({ limit: Number(limit), status: status as ApprovalStatus });
      const mayDecide = approvers.size > 0 ? approverOf(req.rawHeaders, approvers) !== undefined : undefined;
      return { approvals: list, approvers: approvals.needApprover, mayDecide };
    },
    async 'GET approvals/:id'({ params }) {
      const approval = await approvals.get(String(params.id));
      if (!approval) throw noApproval(String(params.id));
      return approval;
    },
    async 'POST approvals/:id'(req) {
      const decided = decisionOf(req, redaction);
      const by = approverOf(req.rawHeaders, approvers);
      return approvals.decide(String(req.params.id), decided, by);
    },
    async 'GET events'({ method }, res) {
      // A client that reads too slowly is cut off.
      const send = (text: string) =>
        void (res.writableLength > WAITING_AT_MOST ? res.destroy() : res.write(text));
      const tell = (event: string) => (data: object) =>
        send(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
      res.type('text/event-stream');
      // Something has to be sent at once, or a client cannot tell that it is connected.
      send(':\n\n');
      if (method === 'HEAD') return void res.end();
      const ends = [
        exchanges.subscribe((shown) => tell(`exchange\nid: ${shown.id}`)(shown)),
        approvals.subscribe(tell('approval')),
      ];
      const heartbeat = setInterval(send, HEARTBEAT_MS, ':\n\n').unref();
      await once(res, 'close', { signal: run.stopping.signal }).catch(() => res.end());
      for (const end of ends) end();
      clearInterval(heartbeat);
    },
    'GET faults': (req) => faultsWith(req),
    'PUT faults': (req) => faultsWith(req, (req.body ?? null) as FaultsGiven),
    'DELETE faults': (req) => faultsWith(req, []),
    'POST reset'(req) {
      queryOf(req, {});
      run.reset(sessionNameOf(req.rawHeaders) || undefined);
      return { status: 'reset' };
    },
  };

  const app = express();
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing');
  app.use((_req, res, next) => {
    res.set({ 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' });
    next();
  });
  app.use(express.json({ type: () => true, strict: false, limit: '5mb' }));
  for (const [name, route] of Object.entries(routes)) {
    const [method = '', path] = name.split(' ');
    app[method.toLowerCase() as 'get'](`${CONTROL_ROOT}/${path}`, async (req, res) => {
      const answer = await route(req, res);
      if (answer !== undefined) res.json(answer);
    });
  }
  app.use(({ method, path }) => {
    const hint = `below ${CONTROL_ROOT}/ it has: ${Object.keys(routes).join(', ')}`;
    throw new PatchgateError('not-found', `the control API has no ${method} ${path.slice(0, 200)}`, { hint });
  });
  const answerError: ErrorRequestHandler = (thrown, _req, res, _next) => {
    if (res.headersSent) res.destroy();
    else sendProblem(res, problemOfError(asPatchgateError(thrown)));
  };
  app.use(answerError);
  return app;
}

/** Showing a thousand exchanges takes a while, so the data path has its turn after each. */
async function* listText(list: Iterable<ShownExchange>): AsyncGenerator<string> {
  let before = '{"exchanges":[';
  for (const shown of list) {
    yield before + JSON.stringify(shown);
    before = ',';
    await setImmediate();
  }
  yield before === ',' ? ']}' : `${before}]}`;
}

/** The parameters of a query, each in its form and at most once. @throws PatchgateError `bad-input` */
function queryOf<Name extends string>(
  { query }: Request,
  forms: Readonly<Record<Name, RegExp>>,
): { [name in Name]?: string } {
  const known = new Map<string, RegExp>(Object.entries(forms));
  for (const [name, value] of Object.entries(query)) {
    if (typeof value === 'string' && known.get(name)?.test(value)) continue;
    const taken = Array.from(known, ([one, { source }]) => `${one} (${source}), once`).join('; ');
    throw badInput(`wrong parameter ${name.slice(0, 100)}`, `it takes ${taken || 'none'}`);
  }
  return query as { [name in Name]?: string };
}

/** Characters of a reason. */
const LONGEST_REASON = 500;

/** @throws PatchgateError `bad-input` */
function decisionOf({ body }: Request, redaction: Redaction): Decided {
  const { decision, reason = '', ...others } = isObject(body) ? body : {};
  const isReason = typeof reason === 'string' && reason.length <= LONGEST_REASON;
  const isPlain = isReason && Object.keys(others).length === 0;
  if (isPlain && (decision === 'approve' || decision === 'decline'))
    return { decision, reason: reason === '' ? undefined : redactText(reason, redaction) };
  const decline = `{"decision": "decline", "reason": "why, in ${LONGEST_REASON} characters at most"}`;
  throw badInput('that is no decision', `send {"decision": "approve"} or ${decline}`);
}

function badInput(message: string, hint: string): PatchgateError {
  return new PatchgateError('bad-input', message, { hint });
}

/** Express's own errors (a body past the limit, a broken escape) come with a status; any other is a fault of ours. */
function asPatchgateError(thrown: unknown): PatchgateError {
  if (thrown instanceof PatchgateError) return thrown;
  const status = thrown instanceof Error && 'status' in thrown ? Number(thrown.status) : 500;
  if (status === 413)
    return new PatchgateError('request-too-large', 'the input is too large', { hint: 'it takes 5 MB' });
  if (status < 500) return badInput(`the request cannot be read: ${messageOf(thrown)}`, 'correct it');
  return new PatchgateError('internal', `the control API failed: ${messageOf(thrown)}`);
}
