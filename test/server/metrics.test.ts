import { expect, it } from 'vitest';
import type { FinishedExchange } from '../../src/server/exchange.ts';
import { Metrics, type RunNumbers } from '../../src/server/metrics.ts';
import { finding, finished, verdict } from '../support/finished-exchange.ts';

const RUN: RunNumbers = {
  ...{ version: '0.2.0', mode: 'proxy', approvals: { given: 3, used: 1 }, sessions: 2 },
  ...{ misses: undefined, recording: undefined },
};

function linesOf(
  all: Partial<FinishedExchange>[],
  run: Partial<RunNumbers> = {},
  hasTarget = true,
): string[] {
  const metrics = new Metrics(hasTarget);
  for (const one of all) metrics.count(finished(one));
  return metrics.text({ ...RUN, ...run }).split('\n');
}

it('has every number with its labels', () => {
  const effects = [{ kind: 'environment-deleted', id: 3, name: 'Development' }] as const;
  const lines = linesOf(
    [
      { durationMs: 3, handedOnAfterMs: 1, verdict: verdict({ findings: [finding('/a')], effects }) },
      { durationMs: 400, handedOnAfterMs: 300, verdict: undefined, response: undefined },
      { verdict: verdict({ operation: 'a"b\\c', outcome: 'block' }), answeredBy: 'gate' },
    ],
    { misses: 9, recording: { recorded: 7, waiting: 6, lost: 5, journalBytes: 4 } },
  );
  expect(lines).toEqual(
    expect.arrayContaining([
      'patchgate_info{version="0.2.0",mode="proxy"} 1',
      'patchgate_requests_total{operation="a\\"b\\\\c",verdict="block",status="200"} 1',
      '# TYPE patchgate_gate_seconds histogram',
      'patchgate_gate_seconds_bucket{le="0.0005"} 0',
      'patchgate_gate_seconds_bucket{le="0.001"} 1',
      'patchgate_gate_seconds_bucket{le="1"} 3',
      'patchgate_gate_seconds_bucket{le="+Inf"} 3',
      'patchgate_gate_seconds_sum 0.3133456',
      'patchgate_gate_seconds_count 3',
      'patchgate_target_seconds_count 2',
    ]),
  );
  expect(linesOf([]).join()).not.toMatch(/patchgate_(?:misses|exchanges|journal)/);
});

const answer = (status: number) => ({ status, headers: [], body: undefined });

it.each<[string, number, Partial<FinishedExchange>, boolean?]>([
  ['what it answers', 1, {}],
  ['what it did not answer', 1, { answeredBy: 'gate', response: answer(504) }],
  ['nothing of a fault', 0, { answeredBy: 'fault', response: answer(502) }],
  ['nothing of a recording', 0, { answeredBy: 'recording' }],
  ['nothing where there is no target', 0, {}, false],
])('the time of the target is that of %s', (_, count, one, hasTarget) => {
  const lines = linesOf([{ handedOnAfterMs: 2, ...one }], {}, hasTarget);
  expect(lines).toContain(`patchgate_target_seconds_count ${count}`);
});
