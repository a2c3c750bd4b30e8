import { Counter, Gauge, type Metric, Registry } from 'prom-client';
import type { Counters, Distribution, LabelledCount } from '../counters.ts';

/** What is known besides of a run, asked for at each scrape. */
export interface RunNumbers {
  version: string;
  /** `proxy`, `replay` or `fake` */
  mode: string;
  /** Approvals that were asked for, and used. */
  approvals: { readonly given: number; readonly used: number };
  sessions: number;
  /** Where a recording is replayed: requests that nothing in it answered. */
  misses?: number | undefined;
  /** Where exchanges are recorded. */
  recording?: { recorded: number; waiting: number; lost: number; journalBytes: number } | undefined;
}

export const METRICS_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

/** Prometheus' text format. The registry lives for one scrape: nothing is counted twice. */
export function metricsText(counters: Counters, run: RunNumbers): Promise<string> {
  const registry = new Registry();
  const registers = [registry];
  const gauge = (name: string, help: string, value: number, labels: Record<string, string> = {}) =>
    new Gauge({ name, help, labelNames: Object.keys(labels), registers }).set(labels, value);
  const counter = (name: string, help: string, value: number) =>
    new Counter({ name, help, registers }).inc(value);
  const labelled = <Name extends string>(
    name: string,
    help: string,
    labelNames: Name[],
    counts: LabelledCount,
  ) => {
    const metric = new Counter<string>({ name, help, labelNames, registers });
    for (const { labels, count } of counts.entries())
      metric.inc(Object.fromEntries(labelNames.map((label, index) => [label, labels[index] ?? ''])), count);
  };

  gauge('patchgate_info', 'Version and mode of the program; always 1.', 1, {
    version: run.version,
    mode: run.mode,
  });
  labelled(
    'patchgate_requests_total',
    'Requests that are over, by operation of the contract (none: no operation concerns it), verdict (none: not judged) and status (none: no answer).',
    ['operation', 'verdict', 'status'],
    counters.requests,
  );
  labelled(
    'patchgate_findings_total',
    'Findings, at most 100 of a request.',
    ['rule', 'severity'],
    counters.findings,
  );
  labelled(
    'patchgate_effects_total',
    'What PATCHes would do to records (verdict block), or were let do (pass).',
    ['effect', 'verdict'],
    counters.effects,
  );
  const approvals = new Counter({
    name: 'patchgate_approvals_total',
    help: 'Approvals of deletions that were asked for, by a 409 or a PATCH that waits, and those that were used.',
    labelNames: ['event'],
    registers,
  });
  for (const event of ['given', 'used'] as const) approvals.inc({ event }, run.approvals[event]);
  registerHistogram(
    registry,
    'patchgate_gate_seconds',
    'Time from the head of a request until it was handed on or blocked: its body was read, and it waited for its record, but not for a decision.',
    counters.gateSeconds,
  );
  registerHistogram(
    registry,
    'patchgate_target_seconds',
    "Time from the handing on to the last byte of the target's answer, or until the target was given up.",
    counters.targetSeconds,
  );
  gauge('patchgate_sessions', 'Sessions in use, the default one included.', run.sessions);
  if (run.misses !== undefined)
    counter('patchgate_misses_total', 'Requests that nothing in the recording answered.', run.misses);
  if (run.recording) {
    const { recorded, waiting, lost, journalBytes } = run.recording;
    counter('patchgate_exchanges_recorded_total', 'Exchanges that are on disk.', recorded);
    gauge(
      'patchgate_exchanges_waiting',
      'Exchanges in memory alone, as the disk does not take them; with --store, all lines that the database does not have yet.',
      waiting,
    );
    counter('patchgate_exchanges_lost_total', 'Exchanges that could not be kept.', lost);
    gauge('patchgate_journal_bytes', 'Bytes of the journal that are in no other file yet.', journalBytes);
  }

  const { user, system } = process.cpuUsage();
  counter('process_cpu_seconds_total', 'Time of CPU that the process took.', (user + system) / 1e6);
  gauge('process_resident_memory_bytes', 'Memory that the process holds.', process.memoryUsage.rss());
  gauge(
    'process_start_time_seconds',
    'When the process started, in seconds since the epoch.',
    Math.round(performance.timeOrigin / 1000),
  );
  return registry.metrics();
}

/** A histogram of prom-client only observes single values, so this one says itself what it holds. */
function registerHistogram(
  registry: Registry,
  name: string,
  help: string,
  { bounds, counts, sum }: Distribution,
): void {
  let count = 0;
  const buckets = counts.map((more, index) => {
    count += more;
    return { metricName: `${name}_bucket`, labels: { le: bounds[index] ?? '+Inf' }, value: count };
  });
  const values = [
    ...buckets,
    { metricName: `${name}_sum`, labels: {}, value: sum },
    { metricName: `${name}_count`, labels: {}, value: count },
  ];
  const get = async () => ({ name, help, type: 'histogram', aggregator: 'sum', values });
  registry.registerMetric({ name, get } as unknown as Metric);
}
