import { hash } from 'node:crypto';
import { type RequestHead, splitTarget } from '../../http/http.ts';
import { type FaultPlan, type FaultRule, faultText, type Latency } from '../../model/fault.ts';
import { type PathPredicate, pathPatterns } from '../../settings/globs.ts';
import type { Session } from '../../upstreams/session.ts';

/** What happens to one answer. */
export interface Fault {
  /** Undefined: it only waits, as all answers do. */
  rule: FaultRule | undefined;
  /** In one line; undefined as above. */
  text: string | undefined;
  /** Milliseconds before its first byte. */
  delay: number | 'recorded';
}

/** How often a rule fitted a request, and how often it held for it. */
export interface Count {
  matched: number;
  applied: number;
}

interface Counts {
  requests: number;
  rules: Count[];
}

/** A fault that never happened. */
export interface IdleFault {
  /** In one line. */
  fault: string;
  /** How many requests it fitted. */
  matched: number;
  /** A fault before it happened, perhaps to the very requests that it is for. */
  isBehindOthers: boolean;
  /** As its rule has them. */
  rate?: number | undefined;
  after?: number | undefined;
}

/** The faults that hold for a session, and what was counted of them in each: as long as the session is there. */
export class FaultList {
  readonly plan: FaultPlan;
  readonly texts: readonly string[];
  readonly #paths: readonly (PathPredicate | undefined)[];
  readonly #operationOf: (head: RequestHead) => string | undefined;
  readonly #counts = new WeakMap<Session, Counts>();
  /** Of all sessions, those that have ended too. */
  readonly #total: Counts;

  private constructor(
    plan: FaultPlan,
    paths: readonly (PathPredicate | undefined)[],
    operationOf: (head: RequestHead) => string | undefined,
  ) {
    this.plan = plan;
    this.texts = plan.rules.map(faultText);
    this.#paths = paths;
    this.#operationOf = operationOf;
    this.#total = this.#noCounts();
  }

  static async of(
    plan: FaultPlan,
    operationOf: (head: RequestHead) => string | undefined,
  ): Promise<FaultList> {
    const paths = plan.rules.map(({ path }) => (path === undefined ? undefined : pathPatterns([path])));
    return new FaultList(plan, await Promise.all(paths), operationOf);
  }

  /** Nothing of it could happen to any answer. */
  get isEmpty(): boolean {
    const { rules, latency } = this.plan;
    return rules.length === 0 && !isFelt(latency);
  }

  /** The same without any. */
  emptied(): FaultList {
    return new FaultList({ ...this.plan, latency: undefined, rules: [] }, [], this.#operationOf);
  }

  /** What happens to the answer to a request: the first rule that fits, and holds this time. */
  choose(session: Session, head: RequestHead): Fault | undefined {
    const counts = this.#countsIn(session);
    counts.requests++;
    this.#total.requests++;
    const { latency, rules } = this.plan;
    const index = rules.findIndex(
      (rule, at) =>
        this.#fits(rule, at, head) && this.#holds(rule, at, counts.rules[at] as Count, session.name),
    );
    const rule = rules[index];
    const times = counts.rules[index]?.matched ?? 0;
    const delay = rule?.latency
      ? this.#delay(rule.latency, session.name, `${index} latency`, times)
      : this.#delay(latency, session.name, 'latency', counts.requests);
    return rule || delay !== 0 ? { rule, text: this.texts[index], delay } : undefined;
  }

  /** What was counted in some sessions, for each rule. */
  counted(sessions: readonly Session[]): Count[] {
    const total = this.#noCounts().rules;
    for (const session of sessions)
      for (const [at, { matched, applied }] of this.#counts.get(session)?.rules.entries() ?? []) {
        const count = total[at] as Count;
        count.matched += matched;
        count.applied += applied;
      }
    return total;
  }

  /** What never happened, in whatever session; nothing where no request came. */
  neverHappened(): IdleFault[] {
    const { requests, rules: counts } = this.#total;
    const first = counts.findIndex(({ applied }) => applied > 0);
    return this.plan.rules.flatMap(({ rate, after }, at) => {
      const { matched, applied } = counts[at] as Count;
      if (requests === 0 || applied > 0) return [];
      const isBehindOthers = first >= 0 && first < at;
      return [{ fault: this.texts[at] as string, matched, isBehindOthers, rate, after }];
    });
  }

  #fits({ method, operation }: FaultRule, index: number, head: RequestHead): boolean {
    if (method !== undefined && method !== head.method) return false;
    if (operation !== undefined && operation !== this.#operationOf(head)) return false;
    return this.#paths[index]?.(splitTarget(head.url).path) ?? true;
  }

  #holds({ after = 0, count, rate = 1 }: FaultRule, index: number, counted: Count, session: string): boolean {
    const total = this.#total.rules[index] as Count;
    counted.matched++;
    total.matched++;
    if (counted.matched <= after || counted.applied === count) return false;
    if (draw(this.plan.seed, session, `${index} rate`, counted.matched) >= rate) return false;
    counted.applied++;
    total.applied++;
    return true;
  }

  #delay(latency: Latency | undefined, session: string, what: string, ordinal: number): number | 'recorded' {
    if (latency === undefined || latency === 'recorded') return latency ?? 0;
    const { from, to } = latency;
    return from === to ? from : from + draw(this.plan.seed, session, what, ordinal) * (to - from);
  }

  #countsIn(session: Session): Counts {
    const counts = this.#counts.get(session) ?? this.#noCounts();
    this.#counts.set(session, counts);
    return counts;
  }

  #noCounts(): Counts {
    return { requests: 0, rules: this.plan.rules.map(() => ({ matched: 0, applied: 0 })) };
  }
}

/** None at all can be given as `0ms`, too. */
export function isFelt(latency: Latency | undefined): latency is Latency {
  return latency === 'recorded' || (latency !== undefined && latency.to > 0);
}

/**
 * A number from 0 to below 1 that depends on nothing but what is given: whatever else runs meanwhile, the same comes again.
 *
 * @param what that is drawn, and for which of several
 */
function draw(seed: number, session: string, what: string, ordinal: number): number {
  return hash('sha1', `${seed}\n${session}\n${what}\n${ordinal}`, 'buffer').readUIntBE(0, 6) / 2 ** 48;
}
