import type { ShownExchange } from '../server/show-exchange.ts';

/** The requests in which a rule found something. */
interface RuleCount {
  rule: string;
  /** Requests with an error of it that were blocked. */
  blocked: number;
  /** With an error of it, and passed: a gate that enforces blocks them. */
  wouldBlock: number;
  /** With a warning of it alone. */
  warned: number;
  operations: string[];
  /** ISO 8601. */
  first: string;
  last: string;
  /** Id of the latest one. */
  example: number;
}

interface CountedRules {
  judged: number;
  blocked: number;
  wouldBlock: number;
  rules: RuleCount[];
}

/** @param exchanges newest first */
export function countRules(exchanges: readonly ShownExchange[]): CountedRules {
  const rules = new Map<string, RuleCount>();
  const counted = { judged: 0, blocked: 0, wouldBlock: 0 };
  for (const { id, startedAt, verdict } of exchanges) {
    if (!verdict) continue;
    const isBlocked = verdict.outcome === 'block';
    counted.judged++;
    // An error is last: it stands for its rule.
    const found = verdict.findings.toSorted(
      (a, b) => Number(a.severity === 'error') - Number(b.severity === 'error'),
    );
    if (isBlocked) counted.blocked++;
    else if (found.at(-1)?.severity === 'error') counted.wouldBlock++;
    for (const [rule, severity] of new Map(found.map((one) => [one.rule, one.severity]))) {
      const none = { blocked: 0, wouldBlock: 0, warned: 0, operations: [], last: startedAt, example: id };
      const count = rules.get(rule) ?? { rule, ...none, first: startedAt };
      rules.set(rule, count);
      count[severity === 'warn' ? 'warned' : isBlocked ? 'blocked' : 'wouldBlock']++;
      count.first = startedAt;
      const { operation } = verdict;
      if (operation !== undefined && !count.operations.includes(operation)) count.operations.push(operation);
    }
  }
  const byWeight = (a: RuleCount, b: RuleCount) =>
    b.blocked + b.wouldBlock - (a.blocked + a.wouldBlock) ||
    b.warned - a.warned ||
    (a.rule < b.rule ? -1 : 1);
  return { ...counted, rules: [...rules.values()].sort(byWeight) };
}
