import type { PatchgateError } from '../errors.ts';
import { createAccessLog } from '../server/access-log.ts';
import { Audit } from '../server/audit.ts';
import { entriesBy } from '../server/entry.ts';
import { type FinishedExchange, isOwnFailure } from '../server/exchange.ts';
import { ExchangeList } from '../server/exchange-list.ts';
import { createFaults } from '../server/faults.ts';
import { Metrics } from '../server/metrics.ts';
import { Sessions } from '../server/sessions.ts';
import { version } from '../version.ts';
import type { Guarding } from './guard.ts';
import type { Backend, Setup } from './modes.ts';

/** All that a run is made of. */
export interface Parts extends Setup, Backend, Guarding {}

export type Run = ReturnType<typeof createRun>;

/** Keeps the requests of a run, and tells of them. @throws PatchgateError `cannot-write` */
export function createRun(parts: Parts) {
  const { config, kind, gate, approvals, rules, notice, store, replay } = parts;
  const { forward, database, outbox, state } = parts;
  const { redaction } = rules;
  const entryOf = entriesBy(gate, redaction, forward !== undefined);
  const hasAudit = config.audit !== undefined || outbox;
  const audit = hasAudit ? new Audit({ file: config.audit, outbox, entryOf, notice }) : undefined;
  const sessions = new Sessions();
  const log = createAccessLog(config.log, entryOf, redaction, parts.writeLog, parts.isLogColoured);
  const exchanges = new ExchangeList(redaction);
  const metrics = new Metrics();
  const counts = { requests: 0, failed: 0 };
  const stopping = new AbortController();
  const faults = createFaults(gate, config.fault, stopping.signal);
  let ids = 0;

  /** A recording that cannot answer is never a run that went well. */
  function fail(message: string, { request, session }: Partial<FinishedExchange> = {}) {
    counts.failed++;
    const { method, url } = request ?? { method: '-', url: '-' };
    replay?.misses.add({ method, url, session: session ?? { name: '' } }, { message });
  }

  return {
    ...{ audit, sessions, faults, exchanges, redaction, counts, stopping, fail },
    /** Where it listens, for the page. */
    url: '',
    nextId: () => ++ids,
    onFinished(exchange: FinishedExchange) {
      counts.requests++;
      audit?.finished(exchange);
      if (isOwnFailure(exchange)) fail(exchange.failure ?? 'Patchgate failed', exchange);
      metrics.count(exchange);
      log.finished(exchange);
      exchanges.add(exchange);
    },
    /** What was no request is logged and counted, and not listed. */
    onUnread({ message: failure, status }: PatchgateError) {
      const exchange: FinishedExchange = {
        ...{ id: ++ids, startedAt: Date.now(), durationMs: 0, answeredBy: 'gate', failure },
        request: { method: '-', url: '-', headers: [] },
        response: { status, headers: [] },
      };
      metrics.count(exchange);
      log.finished(exchange);
    },
    /** A session takes with it its places in sequences, and the state of its fake; its misses stay. */
    reset(session?: string) {
      sessions.end(session);
      if (session === undefined) faults.reset();
      exchanges.reset(session);
    },
    isReady: () => !stopping.signal.aborted && store?.status()?.takes !== false,
    health() {
      const trouble =
        database?.trouble ?? (outbox ?? store)?.status()?.trouble ?? state?.trouble ?? audit?.trouble;
      return {
        ...{ version: version(), mode: kind, doing: parts.summary },
        ...{ validation: config.validation, guard: config.guard },
        startedAt: new Date(performance.timeOrigin).toISOString(),
        url: this.url,
        recording: store && config.recording,
        trouble: trouble?.message,
      };
    },
    metrics: () => metrics.text(kind, approvals.counts, replay?.misses.list().count, store?.status()),
    close() {
      audit?.close();
      log.flush();
    },
  };
}
