import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { messageOf, PatchgateError } from '../errors.ts';
import { readServerTls } from '../http/tls.ts';
import { redactUrl } from '../recordings/redact/redact.ts';
import type { RecordingStore } from '../recordings/store.ts';
import { createAccess } from '../server/access.ts';
import { createAccessLog } from '../server/access-log.ts';
import type { Audit, AuditOptions } from '../server/audit.ts';
import { CONTROL_ROOT, isControlPath } from '../server/control/control-path.ts';
import { createDataPath } from '../server/data-path.ts';
import { AS_SENT, type ExchangeFilter, ExchangeList, type SentExchanges } from '../server/exchange-list.ts';
import { accessTo, type FakeAccess } from '../server/fake-access.ts';
import { type Faults, FaultsOfRun } from '../server/faults/faults.ts';
import { type FinishedExchange, isOwnFailure } from '../server/finished-exchange.ts';
import { failClosed, type Handler, inTurn } from '../server/handler.ts';
import { type Listening, listen } from '../server/listen/listen.ts';
import { Metrics } from '../server/metrics.ts';
import { readNamedTokens } from '../server/named-tokens.ts';
import { problemOfError, sendProblem } from '../server/problem.ts';
import { quotingNoSecrets } from '../server/redact-verdict.ts';
import { isSessionPath } from '../server/session-path.ts';
import { Sessions } from '../server/sessions.ts';
import type { ShownExchange } from '../server/show-exchange.ts';
import { createUpgradePath } from '../server/upgrade-path.ts';
import { watchBody } from '../server/watch-body.ts';
import type { Config } from '../settings/config.ts';
import type { Missed, Misses } from '../upstreams/replay/misses.ts';
import type { CrossSessionHit } from '../upstreams/replay/served.ts';
import type { Unserved } from '../upstreams/replay/unserved.ts';
import { secretsOf } from '../upstreams/set-headers.ts';
import { version } from '../version.ts';
import { closing, orClose } from './closing.ts';
import { gateOf } from './compose-gate.ts';
import { type ComposedGuard, composeGuard } from './compose-guard.ts';
import { type Composed, composeUpstream, type RuntimeContext, type ServerKind } from './compose-upstream.ts';
import { openShared } from './open-database.ts';
import { rulesOf } from './open-recording.ts';

export interface Patchgate {
  /** All that it answers, the control API included: to be mounted in an Express app, before any body parser. */
  handler: Handler;
  /** What it does, for people: `forwards to https://…, records into "checkout" (all)`. */
  summary: string;
  /** Starts its own server, with the control API. @throws PatchgateError `cannot-listen` */
  listen(): Promise<Listening>;
  /** Which exchanges of the recording were never served; undefined where none is replayed. Reads every file of the
   *  recording, before `close`. @param session of what was recorded in this one alone; `""`: in none
   *  @throws PatchgateError where one is broken */
  unserved(session?: string): Promise<Unserved | undefined>;
  /** The requests that nothing in the recording answered; none where something else answers these. The control API's reset
   *  forgets none. @param session of this one alone; `""` is the default one */
  misses(session?: string): Missed;
  /** The sessions that a replay answered with what others recorded. A reset over HTTP forgets none. */
  crossSessionHits(): CrossSessionHit[];
  /** What went by lately, newest first, as the control API lists it: redacted, bodies cut at 64 KiB. */
  exchanges(filter?: ExchangeFilter): Iterable<ShownExchange>;
  /** The same with all that is secret, for what compares them. */
  [AS_SENT](filter?: ExchangeFilter): SentExchanges;
  /** How many requests came by now, how many of them the gate blocked, and how often it could not do its work itself: it answered 500, or
   *  found a file of its recording that is broken. The control API's reset forgets none. */
  counts(): { requests: number; blocked: number; failed: number };
  /** How many exchanges were recorded by now; undefined where none can be. */
  recorded(): number | undefined;
  /** How many lines wait in the outbox for the database. */
  waiting(): number;
  /** What makes answers fail. */
  faults: Faults;
  /** What the fake holds; undefined where there is none. */
  records: FakeAccess | undefined;
  /** As new: the list of exchanges, the misses, the places in sequences, the state of the fake. @param session of this one alone; `""` is the default one */
  reset(session?: string): void;
  /** Ends what listens, writes out and frees everything. @throws PatchgateError `cannot-write` where exchanges could not be kept */
  close(): Promise<void>;
}

/** Milliseconds that an unused session lasts. */
const SESSION_IDLE = 10 * 60_000;

/** Puts the parts together: the only place that knows them all. */
export async function createPatchgate(
  kind: ServerKind,
  given: Config,
  context: RuntimeContext,
): Promise<Patchgate> {
  // What answers in the place of the service changes nothing that anybody keeps account of.
  const config = kind === 'proxy' ? given : { ...given, audit: undefined };
  const approvers = readNamedTokens(config.approvers, context.env, '--approvers');
  const secrets = [...secretsOf(config.setHeader, context.env), ...(approvers?.secrets ?? [])];
  const rules = rulesOf(config, secrets);
  const { redaction } = rules;
  const { controlToken } = config;
  const { clientTimeout = CLIENT_TIMEOUT } = context;
  const gate = quotingNoSecrets(await gateOf(config, context), redaction);
  const access = createAccess({ ...config, approvers });
  const tls = await readServerTls(config);
  const records = kind === 'proxy';
  const opened = kind === 'fake' ? undefined : await openShared(config, context, { records });
  const { database, outbox } = opened ?? {};
  const shared = { ...context, database, outbox };
  const closeShared = { close: async () => opened?.close() };
  const parts = await orClose(closeShared, () => composeUpstream(kind, config, rules, shared));
  const { upstream, forward, store, replay, fake } = parts;
  const guarding = await orClose({ close: () => closing(parts, closeShared) }, () =>
    composeGuard(config, gate, approvers?.names, parts, redaction, shared),
  );
  const { guard, approvals, remembered } = guarding;
  const closeParts = () => closing(parts, guarding, closeShared);
  const audit = await orClose({ close: closeParts }, () =>
    auditOf(config, parts, kind === 'proxy' ? outbox : undefined, {
      ...{ redaction, notice: context.notice },
    }),
  );
  /** Of the data port, for the page: its copies lead there. */
  let dataUrl: string | undefined;
  const sessions = new Sessions(SESSION_IDLE, {
    start: (session) => fake?.start(session),
    end: (session) => (fake ?? replay)?.end(session),
  });
  const faults = await orClose({ close: closeParts }, () =>
    FaultsOfRun.of({ gate, sessions, start: config.fault }),
  );

  const log = createAccessLog(config.log, redaction, context.writeLog, context.isLogColoured);
  const exchanges = new ExchangeList(redaction);
  const metrics = new Metrics(forward !== undefined && !fake);
  let count = 0;
  const nextId = () => ++count;
  let requests = 0;
  let blocked = 0;
  let failed = 0;
  /** A recording that cannot answer is never a run that went well. */
  const fail = (request: Parameters<Misses['add']>[0], message: string) => {
    failed++;
    replay?.misses.add(request, { message, hint: undefined, details: undefined });
  };
  const onFinished = (exchange: FinishedExchange) => {
    requests++;
    if (exchange.verdict?.outcome === 'block') blocked++;
    if (isOwnFailure(exchange)) {
      const { request, session = '', failure = 'Patchgate failed' } = exchange;
      fail({ method: request.method, url: request.url, session: { name: session } }, failure);
    }
    metrics.count(exchange);
    log.finished(exchange);
    exchanges.add(exchange);
  };

  /** What a session has of its own ends with it: the places in sequences, the state of the fake, its faults. */
  const resetRun = (session?: string) => {
    if (session === undefined) {
      sessions.endAll();
      faults.reset();
    } else sessions.end(session);
    exchanges.reset(session);
  };
  const startedAt = new Date().toISOString();
  const health = () => ({
    version: version(),
    mode: kind,
    doing: parts.summary,
    validation: config.validation,
    guard: config.guard,
    targetInsecure: forward?.isInsecure ?? false,
    startedAt,
    url: dataUrl,
    recording: store && config.recording,
    known: remembered && { records: remembered.count, file: remembered.place || undefined },
    trouble: (database?.trouble ?? (outbox ?? store)?.trouble ?? guarding.trouble ?? audit?.trouble)?.message,
  });
  const findUnserved = async (session?: string) => {
    // All is looked at: a store that cannot read at once does it now.
    for (const { method, path } of (replay && store?.ready && store.places()) ?? [])
      await store?.ready?.(method, path);
    return replay?.unserved(session);
  };
  const stopping = new AbortController();
  /** What a recording answers needs no target. */
  const needed = fake || parts.played ? undefined : forward;
  let reachable: Promise<boolean> | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;
  /** Probes of many cost the target one connection a second. */
  const canReachTarget = () => {
    if (needed && performance.now() - askedAt > CONNECT_PATIENCE) {
      askedAt = performance.now();
      reachable = needed.canReach(CONNECT_PATIENCE);
    }
    return reachable ?? true;
  };
  const isReady = async () =>
    !stopping.signal.aborted && (!store?.isWritable || store.takesExchanges()) && canReachTarget();
  const metricsText = () => {
    const recorded = parts.recorded?.();
    return metrics.text({
      ...{ version: version(), mode: kind, approvals: approvals.counts },
      sessions: sessions.list().length,
      misses: replay?.misses.list().count,
      recording: recorded === undefined || !store ? undefined : { recorded, ...store.counts },
    });
  };
  // Most runs never ask for it, and Express takes as long to load as all the rest.
  let control: Promise<Handler> | undefined;
  const answerControl = async (req: IncomingMessage, res: ServerResponse) => {
    control ??= import('../server/control/control.ts').then(({ createControl }) =>
      createControl({
        ...{
          gate,
          exchanges,
          sessions,
          faults,
          redaction,
          guard,
          health,
          isReady,
          metrics: metricsText,
          reset: resetRun,
        },
        ...{ approvals, approvers },
        onDecided: (approval) => audit?.decided(approval),
        stopping: stopping.signal,
      }),
    );
    try {
      (await control)(req, res);
    } catch (cause) {
      const message = `the control API cannot start: ${messageOf(cause)}`;
      sendProblem(res, problemOfError(new PatchgateError('internal', message, { cause })));
    }
  };

  const handlerAt = (at: () => 'own' | 'other') =>
    inTurn(
      failClosed((req, res) => {
        const asked = isOfControl(req) ? 'control' : 'target';
        const refusal = access(req, asked, at());
        if (refusal || asked === 'target') paths.data(req, res, refusal);
        else {
          watchBody({ req, res }, clientTimeout, () => req.destroy());
          void answerControl(req, res);
        }
      }),
    );

  let hasToldOfWebSockets = !store?.isWritable;
  const onUpgrade = (exchange: FinishedExchange) => {
    onFinished(exchange);
    if (hasToldOfWebSockets) return;
    hasToldOfWebSockets = true;
    const { method, url } = exchange.request;
    context.notice(
      `not recorded: ${method} ${redactUrl(url, redaction)}: WebSockets are forwarded only, and a replay has none. This is not said again`,
    );
  };

  const paths = {
    data: createDataPath({
      ...{ gate, guard, upstream, audit, faults, clientTimeout, timeout: config.timeout },
      ...{ sessions, redaction, nextId, onFinished },
    }),
    upgrade: forward && createUpgradePath({ gate, forward, nextId, onFinished: onUpgrade }),
  };

  /** Of what was no request there is nothing to show but that it came. */
  const unread = (error: PatchgateError) => {
    const exchange: FinishedExchange = {
      id: nextId(),
      startedAt: Date.now(),
      durationMs: 0,
      request: { method: '-', url: '-', headers: [] },
      requestBody: undefined,
      verdict: undefined,
      answeredBy: 'gate',
      response: { status: error.status, headers: [], body: undefined },
      failure: error.message,
    };
    metrics.count(exchange);
    log.finished(exchange);
  };

  const openUiPort = async (dataPort: Listening) => {
    const { ui: port } = config;
    if (port === undefined) return undefined;
    // On the data port it does not count: there the control API is as open or closed as without an inspector.
    const token = controlToken ?? randomBytes(16).toString('hex');
    const { listenForUi } = await import('../server/ui-port.ts');
    const own = await listenForUi({
      ...{ port, token, approvers, clientTimeout },
      control: (req, res) => void answerControl(req, res),
    });
    dataUrl = dataPort.url;
    // A token that was given is known, and no notice shows it.
    context.notice(
      controlToken === undefined
        ? `inspector: ${own.url}/#token=${token}`
        : `inspector: ${own.url}/ (it asks for the control token)`,
    );
    return own;
  };

  /** Looks at every file, for a second before the first request comes, and at the rest between requests. */
  const lookAt = async (store: RecordingStore) => {
    const loaded = store.load();
    let timer: NodeJS.Timeout | undefined;
    const isDue = new Promise<'due'>((resolve) => {
      timer = setTimeout(resolve, LOOK_MS, 'due');
    });
    const first = await Promise.race([loaded, isDue]);
    clearTimeout(timer);
    if (first !== 'due') return;
    loaded.catch((error: unknown) => {
      context.notice(messageOf(error));
      fail({ method: '-', url: '-', session: { name: '' } }, messageOf(error));
    });
  };

  const listening: Listening[] = [];
  return {
    handler: handlerAt(() => 'other'),
    summary: [
      parts.summary,
      remembered && summaryOf(remembered),
      audit && `audits to ${[config.audit, outbox && 'the database'].filter(Boolean).join(' and ')}`,
      faults.summary,
    ]
      .filter(Boolean)
      .join('; '),
    async listen() {
      if (replay && store) await lookAt(store);
      const at = () => (one.isLoopback ? 'own' : 'other');
      const one: Listening = await listen(
        {
          request: handlerAt(at),
          // What may not ask is read again as an ordinary request, and refused.
          upgrade:
            forward &&
            ((req, socket, head) =>
              !isOfControl(req) &&
              !access(req, 'target', at()) &&
              (paths.upgrade?.(req, socket, head) ?? false)),
          unread,
        },
        {
          ...{ host: config.host, port: config.port, clientTimeout, tls },
          notice: context.notice,
          target: forward && !fake ? config.target : undefined,
        },
      );
      if (!one.isLoopback && controlToken === undefined)
        context.notice(
          `others can reach ${one.url}, so the control API (${CONTROL_ROOT}/) is off until it has a token: PATCHGATE_CONTROL_TOKEN`,
        );
      const forUi = await orClose(one, () => openUiPort(one));
      let closed: Promise<void> | undefined;
      const close = () => {
        // A stream of events would go on for ever.
        stopping.abort();
        closed ??= closing(one, { close: async () => forUi?.close() });
        // What waits for a fault alone would be waited for.
        faults.endWaits();
        return closed;
      };
      const unref = () => {
        one.unref();
        forUi?.unref();
      };
      const own = { ...one, unref, close };
      listening.push(own);
      return own;
    },
    unserved: findUnserved,
    misses: (session) => replay?.misses.list(session) ?? { count: 0, misses: [] },
    crossSessionHits: () => replay?.crossSessionHits.list() ?? [],
    exchanges: (filter) => exchanges.list(filter),
    [AS_SENT]: (filter) => exchanges[AS_SENT](filter),
    counts: () => ({ requests, blocked, failed }),
    recorded: () => parts.recorded?.(),
    waiting: () => outbox?.counts.waiting ?? 0,
    faults,
    records: fake && accessTo(fake, sessions),
    reset(session) {
      // What a test has begun anew is not told of it.
      blocked -= session === undefined ? blocked : [...exchanges.list({ session, outcome: 'block' })].length;
      resetRun(session);
      replay?.misses.reset(session);
      replay?.crossSessionHits.reset(session);
    },
    async close() {
      await Promise.all(listening.map((one) => one.close()));
      sessions.close();
      try {
        await closeParts();
      } finally {
        audit?.close();
        log.flush();
      }
    },
  };
}

/** Milliseconds that a client may take for a request's head, or for a body that is judged; or be silent within another. */
const CLIENT_TIMEOUT = 60_000;

/** Milliseconds in which a recording is looked at before the first request. */
const LOOK_MS = 1000;

/** Milliseconds that the target has to take a connection: probes themselves wait a second or so. */
const CONNECT_PATIENCE = 800;

/** @throws PatchgateError `cannot-write` */
async function auditOf(
  { audit: file }: Config,
  { forward, played }: Composed,
  outbox: AuditOptions['outbox'],
  options: Pick<AuditOptions, 'redaction' | 'notice'>,
): Promise<Audit | undefined> {
  if (file === undefined && !outbox) return undefined;
  const { Audit } = await import('../server/audit.ts');
  const forwards = forward !== undefined && played === undefined;
  return new Audit({
    ...options,
    file,
    outbox,
    forwards,
  });
}

function isOfControl({ url = '' }: IncomingMessage): boolean {
  return isControlPath(url) && !isSessionPath(url);
}

function summaryOf({ count, place }: NonNullable<ComposedGuard['remembered']>): string {
  const known = count === undefined ? '' : `${count === 0 ? 'none' : count} of `;
  return `knows ${known}its records (${place || 'in memory alone'})`;
}
