import type { FinishedExchange } from './finished-exchange.ts';

/** What a run counts of its requests, as plain numbers; `control/metrics-text.ts` writes them for Prometheus. */
export class Counters {
  /** By operation, verdict and status. */
  readonly requests = new LabelledCount();
  /** By rule and severity. */
  readonly findings = new LabelledCount();
  /** By kind and verdict. */
  readonly effects = new LabelledCount();
  readonly gateSeconds = new Distribution(GATE_BOUNDS);
  readonly targetSeconds = new Distribution(TARGET_BOUNDS);
  readonly #hasTarget: boolean;

  /** @param hasTarget a real service answers, or may */
  constructor(hasTarget: boolean) {
    this.#hasTarget = hasTarget;
  }

  /** To be called once for each request, when it is over. */
  count(exchange: FinishedExchange): void {
    const { verdict, response, durationMs, handedOnAfterMs } = exchange;
    const outcome = verdict?.outcome ?? 'none';
    this.requests.add(verdict?.operation ?? 'none', outcome, String(response?.status ?? 'none'));
    if (verdict) {
      for (const { rule, severity } of verdict.findings) this.findings.add(rule, severity);
      if (verdict.effects) for (const { kind } of verdict.effects) this.effects.add(kind, outcome);
    }
    this.gateSeconds.observe((handedOnAfterMs ?? durationMs) / 1000);
    if (handedOnAfterMs !== undefined && this.#hasTarget && isOfTarget(exchange))
      this.targetSeconds.observe((durationMs - handedOnAfterMs) / 1000);
  }
}

/** The target answered, or was waited for in vain. */
function isOfTarget({ answeredBy, response, fault }: FinishedExchange): boolean {
  if (answeredBy === 'target') return true;
  return answeredBy === 'gate' && !fault && (response?.status === 502 || response?.status === 504);
}

/** One number for each combination of labels that came. */
export class LabelledCount {
  readonly #entries = new Map<string, { labels: readonly string[]; count: number }>();

  add(...labels: string[]): void {
    const key = labels.join('\n');
    const entry = this.#entries.get(key);
    if (entry) entry.count++;
    else this.#entries.set(key, { labels, count: 1 });
  }

  entries(): Iterable<{ labels: readonly string[]; count: number }> {
    return this.#entries.values();
  }
}

/** Seconds, counted by the bounds that they are within. */
export class Distribution {
  readonly bounds: readonly number[];
  /** One more than bounds: the last one is of those beyond all. */
  readonly counts: number[];
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = [...bounds.map(() => 0), 0];
  }

  observe(seconds: number): void {
    let index = 0;
    while (index < this.bounds.length && seconds > (this.bounds[index] as number)) index++;
    (this.counts[index] as number)++;
    this.sum += seconds;
  }
}

const GATE_BOUNDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30];
const TARGET_BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
