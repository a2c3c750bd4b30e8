import type { Approvals } from '../guard/approvals.ts';
import type { RecordingStatus } from '../recordings/store.ts';
import { version } from '../version.ts';
import type { FinishedExchange } from './exchange.ts';

/** Seconds. */
const BOUNDS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
];

/** Values of a metric's labels, and how many requests had them. A text of them for each request would cost more than all else here. */
type Sample = { values: readonly (string | number)[]; count: number };

/** What a run counts of its requests, and writes in Prometheus' text format. */
export class Metrics {
  readonly #requests: Sample[] = [];
  readonly #findings: Sample[] = [];
  readonly #effects: Sample[] = [];
  /** How many times are within each bound; the last two are of all, and their sum. */
  readonly #gate: number[] = Array(BOUNDS.length + 2).fill(0);
  readonly #target: number[] = Array(BOUNDS.length + 2).fill(0);

  /** To be called once for each request, when it is over. */
  count({ verdict, response, answeredBy, durationMs, handedOnAfterMs }: FinishedExchange): void {
    const { outcome = 'none', operation = 'none', findings = [], effects = [] } = verdict ?? {};
    const status = response?.status ?? 'none';
    increase(this.#requests, operation, outcome, status);
    for (const { rule, severity } of findings) increase(this.#findings, rule, severity);
    for (const { kind } of effects) increase(this.#effects, kind, outcome);
    observe(this.#gate, handedOnAfterMs ?? durationMs);
    const wasWaitedFor = answeredBy === 'gate' && (status === 502 || status === 504);
    if (handedOnAfterMs !== undefined && (answeredBy === 'target' || wasWaitedFor))
      observe(this.#target, durationMs - handedOnAfterMs);
  }

  /** @param misses undefined if no recording answers @param kept undefined if nothing is recorded */
  text(mode: string, approvals: Approvals['counts'], misses?: number, kept?: RecordingStatus) {
    const { user, system } = process.cpuUsage();
    const approved = Object.entries(approvals).map(([event, count]) => `{event="${event}"} ${count}`);
    const all: [name: string, type: string, samples: readonly string[] | number | undefined][] = [
      ['patchgate_info', 'gauge', [`{version="${version()}",mode="${mode}"} 1`]],
      ['patchgate_requests_total', 'counter', samplesOf(this.#requests, 'operation', 'verdict', 'status')],
      ['patchgate_findings_total', 'counter', samplesOf(this.#findings, 'rule', 'severity')],
      ['patchgate_effects_total', 'counter', samplesOf(this.#effects, 'effect', 'verdict')],
      ['patchgate_approvals_total', 'counter', approved],
      ['patchgate_gate_seconds', 'histogram', timesOf(this.#gate)],
      ['patchgate_target_seconds', 'histogram', timesOf(this.#target)],
      ['patchgate_misses_total', 'counter', misses],
      ['patchgate_exchanges_recorded_total', 'counter', kept?.recorded],
      ['patchgate_exchanges_waiting', 'gauge', kept?.waiting],
      ['patchgate_exchanges_lost_total', 'counter', kept?.lost],
      ['process_cpu_seconds_total', 'counter', (user + system) / 1e6],
      ['process_resident_memory_bytes', 'gauge', process.memoryUsage.rss()],
      ['process_start_time_seconds', 'gauge', Math.round(performance.timeOrigin / 1000)],
    ];
    const lines = all.flatMap(([name, type, given]) => {
      const samples = typeof given === 'number' ? [` ${given}`] : given;
      return samples ? [`# TYPE ${name} ${type}`, ...samples.map((sample) => name + sample)] : [];
    });
    return `${lines.join('\n')}\n`;
  }
}

function increase(samples: Sample[], ...values: Sample['values']): void {
  const same = samples.find((one) => one.values.every((value, index) => value === values[index]));
  if (same) same.count++;
  else samples.push({ values, count: 1 });
}

function samplesOf(samples: readonly Sample[], ...labels: string[]): string[] {
  return samples.map(({ values, count }) => {
    const told = values.map((value, index) => `${labels[index]}=${JSON.stringify(String(value))}`);
    return `{${told.join()}} ${count}`;
  });
}

function observe(counts: number[], ms: number): void {
  const seconds = ms / 1000;
  for (let i = BOUNDS.length; i >= 0 && seconds <= (BOUNDS[i] ?? seconds); i--) (counts[i] as number)++;
  (counts[BOUNDS.length + 1] as number) += seconds;
}

function timesOf(counts: readonly number[]): string[] {
  const [all, sum] = counts.slice(BOUNDS.length);
  const within = BOUNDS.map((bound, index) => `_bucket{le="${bound}"} ${counts[index]}`);
  return [...within, `_bucket{le="+Inf"} ${all}`, `_sum ${sum}`, `_count ${all}`];
}
