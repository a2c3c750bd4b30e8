import { type RequestHead, splitTarget } from '../../http/http.ts';
import { type FaultRule, faultText } from '../../model/fault.ts';
import { type PathPredicate, pathPatterns } from '../../settings/globs.ts';
import type { Session } from '../../upstreams/session.ts';

/** What happens to one answer. */
export interface Fault {
  rule: FaultRule;
  /** In one line. */
  text: string;
  /** Milliseconds before its first byte. */
  delay: number;
}

/** How often a rule fitted a request, and how often it held for it. */
export interface Count {
  matched: number;
  applied: number;
}

/** A fault that never happened. */
export interface IdleFault {
  /** In one line. */
  fault: string;
  /** How many requests it fitted. */
  matched: number;
  /** A fault before it happened, perhaps to the very requests that it is for. */
  isBehindOthers: boolean;
  /** As its rule has it. */
  rate?: number | undefined;
}

/** The faults that hold for a session, and what was counted of them in each: as long as the session is there. */
export class FaultList {
  readonly rules: readonly FaultRule[];
  readonly texts: readonly string[];
  readonly #paths: readonly (PathPredicate | undefined)[];
  readonly #operationOf: (head: RequestHead) => string | undefined;
  readonly #counts = new WeakMap<Session, Count[]>();
  /** Of all sessions, those that have ended too. */
  readonly #total: Count[];
  #hasRequests = false;

  private constructor(
    rules: readonly FaultRule[],
    paths: readonly (PathPredicate | undefined)[],
    operationOf: (head: RequestHead) => string | undefined,
  ) {
    this.rules = rules;
    this.texts = rules.map(faultText);
    this.#paths = paths;
    this.#operationOf = operationOf;
    this.#total = this.#noCounts();
  }

  static async of(
    rules: readonly FaultRule[],
    operationOf: (head: RequestHead) => string | undefined,
  ): Promise<FaultList> {
    const paths = rules.map(({ path }) => (path === undefined ? undefined : pathPatterns([path])));
    return new FaultList(rules, await Promise.all(paths), operationOf);
  }

  /** The same without any. */
  emptied(): FaultList {
    return new FaultList([], [], this.#operationOf);
  }

  /** What happens to the answer to a request: the first rule that fits, and holds this time. */
  choose(session: Session, head: RequestHead): Fault | undefined {
    this.#hasRequests = true;
    const counts = this.#countsIn(session);
    const index = this.rules.findIndex(
      (rule, at) => this.#fits(rule, at, head) && this.#holds(rule, at, counts[at] as Count),
    );
    const rule = this.rules[index];
    if (!rule) return undefined;
    const { from, to } = rule.latency ?? { from: 0, to: 0 };
    return { rule, text: this.texts[index] as string, delay: from + Math.random() * (to - from) };
  }

  /** What was counted in some sessions, for each rule. */
  counted(sessions: readonly Session[]): Count[] {
    const total = this.#noCounts();
    for (const session of sessions)
      for (const [at, { matched, applied }] of this.#counts.get(session)?.entries() ?? []) {
        const count = total[at] as Count;
        count.matched += matched;
        count.applied += applied;
      }
    return total;
  }

  /** What never happened, in whatever session; nothing if no request came. */
  neverHappened(): IdleFault[] {
    if (!this.#hasRequests) return [];
    const first = this.#total.findIndex(({ applied }) => applied > 0);
    return this.rules.flatMap(({ rate }, at) => {
      const { matched, applied } = this.#total[at] as Count;
      if (applied > 0) return [];
      return [{ fault: this.texts[at] as string, matched, isBehindOthers: first >= 0 && first < at, rate }];
    });
  }

  #fits({ method, operation }: FaultRule, index: number, head: RequestHead): boolean {
    if (method !== undefined && method !== head.method) return false;
    if (operation !== undefined && operation !== this.#operationOf(head)) return false;
    return this.#paths[index]?.(splitTarget(head.url).path) ?? true;
  }

  #holds({ count, rate = 1 }: FaultRule, index: number, counted: Count): boolean {
    const total = this.#total[index] as Count;
    counted.matched++;
    total.matched++;
    if (counted.applied === count || Math.random() >= rate) return false;
    counted.applied++;
    total.applied++;
    return true;
  }

  #countsIn(session: Session): Count[] {
    const counts = this.#counts.get(session) ?? this.#noCounts();
    this.#counts.set(session, counts);
    return counts;
  }

  #noCounts(): Count[] {
    return this.rules.map(() => ({ matched: 0, applied: 0 }));
  }
}
