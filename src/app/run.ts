import type { PatchgateError } from '../errors.ts';
import type { Gate } from '../gate/gate.ts';
import type { NamedTokens } from '../server/access.ts';
import { createAccessLog } from '../server/access-log.ts';
import { Audit } from '../server/audit.ts';
import { entriesBy } from '../server/entry.ts';
import { type FinishedExchange, isOwnFailure } from '../server/exchange.ts';
import { ExchangeList } from '../server/exchange-list.ts';
import { createFaults } from '../server/faults.ts';
import { Metrics } from '../server/metrics.ts';
import { Sessions } from '../server/sessions.ts';
import type { Missed } from '../upstreams/replay/misses.ts';
import { version } from '../version.ts';
import type { Guarding } from './guard.ts';
import type { Backend, ServerKind, Setup } from './modes.ts';

/** All that a run is made of. */
export interface Parts extends Setup, Backend, Guarding {
  kind: ServerKind;
  gate: Gate;
  approvers: NamedTokens;
}

export type Run = ReturnType<typeof createRun>;

/** Keeps the requests of a run, and tells of them. @throws PatchgateError `cannot-write` */
export function createRun(parts: Parts) {
  const { config, kind, gate, approvals, rules, notice, store, replay } = parts;
  const { forward, database, outbox } = parts;
  const { redaction } = rules;
  const entryOf = entriesBy(gate, redaction, forward !== undefined);
  const hasAudit = config.audit !== undefined || (forward && outbox);
  const audit = hasAudit ? new Audit({ file: config.audit, outbox, entryOf, notice }) : undefined;
  const sessions = new Sessions();
  const log = createAccessLog(config.log, entryOf, parts.writeLog, parts.isLogColoured);
  const exchanges = new ExchangeList(redaction);
  const metrics = new Metrics();
  const counts = { requests: 0, failed: 0 };
  const stopping = new AbortController();
  const faults = createFaults(gate, config.fault, stopping.signal);
  let ids = 0;

  /** A recording that cannot answer is never a run that went well. */
  function fail(message: string, { method, url } = { method: '-', url: '-' }, name = '') {
    counts.failed++;
    const miss = { message, hint: undefined, details: undefined };
    replay?.misses.add({ method, url, session: { name } }, miss);
  }

  return {
    ...{ audit, sessions, faults, exchanges, redaction, counts, stopping, fail },
    /** Where it listens, for the page. */
    url: '',
    nextId: () => ++ids,
    onFinished(exchange: FinishedExchange) {
      const { request, session, failure } = exchange;
      counts.requests++;
      audit?.finished(exchange);
      if (isOwnFailure(exchange)) fail(failure ?? 'Patchgate failed', request, session?.name);
      metrics.count(exchange);
      log.finished(exchange);
      exchanges.add(exchange);
    },
    /** What was no request is logged and counted, and not listed. */
    onUnread(error: PatchgateError) {
      const exchange: FinishedExchange = {
        ...{ id: ++ids, startedAt: Date.now(), durationMs: 0, answeredBy: 'gate', failure: error.message },
        request: { method: '-', url: '-', headers: [] },
        response: { status: error.status, headers: [] },
      };
      metrics.count(exchange);
      log.finished(exchange);
    },
    /** A session takes with it its places in sequences, its misses and the state of its fake. */
    reset(session?: string) {
      sessions.end(session);
      if (session === undefined) faults.reset();
      exchanges.reset(session);
    },
    /** The requests that nothing in the recording answered. @param session of this one alone; `""` is the default one */
    misses: (session?: string): Missed => replay?.misses.list(session) ?? { count: 0, misses: [] },
    isReady: () => !stopping.signal.aborted && (!store?.isWritable || store.takesExchanges()),
    health() {
      const trouble = database?.trouble ?? (outbox ?? store)?.trouble ?? parts.trouble?.() ?? audit?.trouble;
      return {
        ...{ version: version(), mode: kind, doing: parts.summary },
        ...{ validation: config.validation, guard: config.guard },
        startedAt: new Date(performance.timeOrigin).toISOString(),
        url: this.url,
        recording: store && config.recording,
        trouble: trouble?.message,
      };
    },
    metrics: () =>
      metrics.text({
        ...{ version: version(), mode: kind, approvals: approvals.counts, sessions: sessions.count },
        misses: replay?.misses.list().count,
        recording: store?.isWritable ? store.counts : undefined,
      }),
    close() {
      audit?.close();
      log.flush();
    },
  };
}
