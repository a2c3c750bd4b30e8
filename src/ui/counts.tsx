import type { ShownExchange } from '../server/show-exchange.ts';
import { KEPT, useLive } from './live.ts';
import { Ago } from './parts.tsx';
import { hrefOf, type Route } from './router.ts';
import { useNow } from './time.ts';

/** The requests in which a rule found something. */
export interface RuleCount {
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

export interface CountedRules {
  judged: number;
  blocked: number;
  wouldBlock: number;
  rules: RuleCount[];
}

export function Counts(_: { route: Route }) {
  const { exchanges } = useLive();
  const now = useNow();
  const { judged, blocked, wouldBlock, rules } = countRules(exchanges);
  return (
    <>
      <h1>Counts</h1>
      <p>
        Of the last {amount(exchanges.length, 'exchange')}, {judged} were judged: {blocked} were blocked,{' '}
        <strong>{wouldBlock} passed that enforce would block</strong>.
      </p>
      <p class="quiet">
        It covers what the list holds, {KEPT.toLocaleString('en')} exchanges at most. An audit covers all:
        patchgate report.
      </p>
      {rules.length > 0 && (
        <table class="stacked">
          <caption class="unseen">Requests by rule</caption>
          <thead>
            <tr>
              <th scope="col">Rule</th>
              <th scope="col">Blocked</th>
              <th scope="col">Enforce would block</th>
              <th scope="col">Warned</th>
              <th scope="col">Operations</th>
              <th scope="col">First seen</th>
              <th scope="col">Last seen</th>
              <th scope="col">Example</th>
            </tr>
          </thead>
          <tbody>
            {rules.map(({ rule, ...count }) => (
              <tr key={rule}>
                <th scope="row">
                  <a href={hrefOf([], { rule })}>{rule}</a>
                </th>
                <td data-label="Blocked" class="digits">
                  {count.blocked}
                </td>
                <td data-label="Enforce would block" class="digits">
                  {count.wouldBlock}
                </td>
                <td data-label="Warned" class="digits">
                  {count.warned}
                </td>
                <td data-label="Operations">{count.operations.join(', ')}</td>
                <td data-label="First seen">
                  <Ago at={count.first} now={now} />
                </td>
                <td data-label="Last seen">
                  <Ago at={count.last} now={now} />
                </td>
                <td data-label="Example">
                  <a href={hrefOf(['exchanges', count.example])}>Exchange {count.example}</a>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
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

/** `1 exchange`, `1,000 exchanges` */
function amount(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}
