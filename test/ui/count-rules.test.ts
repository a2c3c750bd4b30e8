import { expect, it } from 'vitest';
import type { Finding, Verdict } from '../../src/model/finding.ts';
import type { ShownExchange } from '../../src/server/show-exchange.ts';
import { countRules } from '../../src/ui/count-rules.ts';

const finding = (rule: string, severity: Finding['severity']): Finding => ({
  ...{ rule, severity, basis: 'stated', pointer: '', message: 'wrong' },
});

function exchange(id: number, outcome?: Verdict['outcome'], ...findings: Finding[]): ShownExchange {
  const request = { method: 'PATCH', url: '/x', headers: {} };
  const verdict: Verdict | undefined = outcome && { outcome, operation: `op${id % 2}`, findings, omitted: 0 };
  return { id, startedAt: `2026-11-23T08:00:0${id}Z`, durationMs: 1, request, verdict, answeredBy: 'gate' };
}

it('counts by rule what was blocked, what enforce would block, and what was warned of', () => {
  const counted = countRules([
    exchange(6, 'pass', finding('a', 'error'), finding('a', 'warn')),
    exchange(5, 'block', finding('a', 'error'), finding('b', 'warn')),
    exchange(4, 'pass', finding('b', 'warn')),
    exchange(3, 'pass', finding('a', 'warn'), finding('a', 'error')),
    exchange(2, 'pass'),
    exchange(1),
  ]);
  expect(counted).toEqual({
    judged: 5,
    blocked: 1,
    wouldBlock: 2,
    rules: [
      {
        ...{ rule: 'a', blocked: 1, wouldBlock: 2, warned: 0, operations: ['op0', 'op1'] },
        ...{ first: '2026-11-23T08:00:03Z', last: '2026-11-23T08:00:06Z', example: 6 },
      },
      {
        ...{ rule: 'b', blocked: 0, wouldBlock: 0, warned: 2, operations: ['op1', 'op0'] },
        ...{ first: '2026-11-23T08:00:04Z', last: '2026-11-23T08:00:05Z', example: 5 },
      },
    ],
  });
});

it('counts nothing of nothing', () => {
  expect(countRules([])).toEqual({ judged: 0, blocked: 0, wouldBlock: 0, rules: [] });
});
