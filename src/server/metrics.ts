import type { FinishedExchange } from './finished-exchange.ts';

/** What is known besides of a run, asked for at each scrape; undefined where there is nothing of the kind. */
export interface RunNumbers {
  version: string;
  /** `proxy`, `replay` or `fake` */
  mode: string;
  approvals: { readonly given: number; readonly used: number };
  sessions: number;
  /** Requests that nothing in the recording answered. */
  misses: number | undefined;
  recording: { recorded: number; waiting: number; lost: number; journalBytes: number } | undefined;
}

/** What a run counts of its requests, as plain numbers, and writes in Prometheus' text format. */
export class Metrics {
  readonly #requests = new LabelledCount('operation', 'verdict', 'status');
  readonly #findings = new LabelledCount('rule', 'severity');
  readonly #effects = new LabelledCount('effect', 'verdict');
  readonly #gate = new Histogram(GATE_BOUNDS);
  readonly #target = new Histogram(TARGET_BOUNDS);
  readonly #hasTarget: boolean;

  /** @param hasTarget a real service answers, or may */
  constructor(hasTarget: boolean) {
    this.#hasTarget = hasTarget;
  }

  /** To be called once for each request, when it is over. */
  count(exchange: FinishedExchange): void {
    const { verdict, response, durationMs, handedOnAfterMs } = exchange;
    const outcome = verdict?.outcome ?? 'none';
    this.#requests.add(verdict?.operation ?? 'none', outcome, String(response?.status ?? 'none'));
    if (verdict) {
      for (const { rule, severity } of verdict.findings) this.#findings.add(rule, severity);
      if (verdict.effects) for (const { kind } of verdict.effects) this.#effects.add(kind, outcome);
    }
    this.#gate.observe((handedOnAfterMs ?? durationMs) / 1000);
    if (handedOnAfterMs !== undefined && this.#hasTarget && isOfTarget(exchange))
      this.#target.observe((durationMs - handedOnAfterMs) / 1000);
  }

  text({ version, mode, approvals, sessions, misses, recording }: RunNumbers): string {
    const { user, system } = process.cpuUsage();
    const lines = [
      metric('gauge', 'patchgate_info', `{version="${version}",mode="${mode}"} 1`),
      metric('counter', 'patchgate_requests_total', ...this.#requests.samples()),
      metric('counter', 'patchgate_findings_total', ...this.#findings.samples()),
      metric('counter', 'patchgate_effects_total', ...this.#effects.samples()),
      metric('counter', 'patchgate_approvals_total', `{event="given"} ${approvals.given}`),
      `patchgate_approvals_total{event="used"} ${approvals.used}\n`,
      metric('histogram', 'patchgate_gate_seconds', ...this.#gate.samples()),
      metric('histogram', 'patchgate_target_seconds', ...this.#target.samples()),
      metric('gauge', 'patchgate_sessions', ` ${sessions}`),
      metric('counter', 'process_cpu_seconds_total', ` ${(user + system) / 1e6}`),
      metric('gauge', 'process_resident_memory_bytes', ` ${process.memoryUsage.rss()}`),
      metric('gauge', 'process_start_time_seconds', ` ${Math.round(performance.timeOrigin / 1000)}`),
    ];
    if (misses !== undefined) lines.push(metric('counter', 'patchgate_misses_total', ` ${misses}`));
    if (recording)
      lines.push(
        metric('counter', 'patchgate_exchanges_recorded_total', ` ${recording.recorded}`),
        metric('gauge', 'patchgate_exchanges_waiting', ` ${recording.waiting}`),
        metric('counter', 'patchgate_exchanges_lost_total', ` ${recording.lost}`),
        metric('gauge', 'patchgate_journal_bytes', ` ${recording.journalBytes}`),
      );
    return lines.join('');
  }
}

/** @param samples what follows the name: ` 1`, `{label="value"} 1`, `_sum 1` */
function metric(type: string, name: string, ...samples: readonly string[]): string {
  return `# TYPE ${name} ${type}\n${samples.map((sample) => `${name}${sample}\n`).join('')}`;
}

/** The target answered, or was waited for in vain. */
function isOfTarget({ answeredBy, response }: FinishedExchange): boolean {
  if (answeredBy === 'target') return true;
  return answeredBy === 'gate' && (response?.status === 502 || response?.status === 504);
}

/** One number for each combination of values that came. */
class LabelledCount {
  readonly #labels: readonly string[];
  readonly #counts = new Map<string, number>();

  constructor(...labels: string[]) {
    this.#labels = labels;
  }

  add(...values: string[]): void {
    const key = values.join('\n');
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  samples(): string[] {
    return Array.from(this.#counts, ([key, count]) => {
      const values = key.split('\n').map((value, index) => `${this.#labels[index]}=${JSON.stringify(value)}`);
      return `{${values.join()}} ${count}`;
    });
  }
}

/** Seconds, counted by the bounds that they are within. */
class Histogram {
  readonly #bounds: readonly number[];
  readonly #counts: number[];
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = [...bounds.map(() => 0), 0];
  }

  observe(seconds: number): void {
    let index = 0;
    while (index < this.#bounds.length && seconds > (this.#bounds[index] as number)) index++;
    (this.#counts[index] as number)++;
    this.#sum += seconds;
  }

  samples(): string[] {
    let count = 0;
    const buckets = this.#counts.map((more, index) => {
      count += more;
      return `_bucket{le="${this.#bounds[index] ?? '+Inf'}"} ${count}`;
    });
    return [...buckets, `_sum ${this.#sum}`, `_count ${count}`];
  }
}

const GATE_BOUNDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30];
const TARGET_BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
