import { expect, it } from 'vitest';
import { metricsText, type RunNumbers } from '../../../src/server/control/metrics-text.ts';
import { Counters } from '../../../src/server/counters.ts';
import { finding, finished, verdict } from '../../support/finished-exchange.ts';

const RUN: RunNumbers = { version: '0.2.0', mode: 'proxy', approvals: { given: 3, used: 1 }, sessions: 2 };

async function linesOf(counters: Counters, run: Partial<RunNumbers> = {}): Promise<string[]> {
  return (await metricsText(counters, { ...RUN, ...run })).split('\n');
}

it('has every number with its labels', async () => {
  const counters = new Counters(true);
  counters.count(
    finished({ durationMs: 3, handedOnAfterMs: 1, verdict: verdict({ findings: [finding('/a')] }) }),
  );
  counters.count(finished({ durationMs: 400, handedOnAfterMs: 300, verdict: undefined }));
  const recording = { recorded: 7, waiting: 6, lost: 5, journalBytes: 4 };
  expect(await linesOf(counters, { misses: 9, recording })).toEqual(
    expect.arrayContaining([
      'patchgate_info{version="0.2.0",mode="proxy"} 1',
      '# TYPE patchgate_requests_total counter',
      'patchgate_requests_total{operation="updateProject",verdict="pass",status="200"} 1',
      'patchgate_requests_total{operation="none",verdict="none",status="200"} 1',
      'patchgate_findings_total{rule="schema.type",severity="error"} 1',
      'patchgate_approvals_total{event="given"} 3',
      'patchgate_approvals_total{event="used"} 1',
      '# TYPE patchgate_gate_seconds histogram',
      'patchgate_gate_seconds_bucket{le="0.0005"} 0',
      'patchgate_gate_seconds_bucket{le="0.001"} 1',
      'patchgate_gate_seconds_bucket{le="0.25"} 1',
      'patchgate_gate_seconds_bucket{le="1"} 2',
      'patchgate_gate_seconds_bucket{le="+Inf"} 2',
      'patchgate_gate_seconds_sum 0.301',
      'patchgate_gate_seconds_count 2',
      'patchgate_target_seconds_count 2',
      'patchgate_sessions 2',
      'patchgate_misses_total 9',
      'patchgate_exchanges_recorded_total 7',
      'patchgate_exchanges_waiting 6',
      'patchgate_exchanges_lost_total 5',
      'patchgate_journal_bytes 4',
    ]),
  );
});

it('says nothing of a recording where there is none', async () => {
  const text = (await linesOf(new Counters(false))).join('\n');
  expect(text).not.toMatch(/patchgate_(?:misses|exchanges|journal)/);
  expect(text).toContain('process_resident_memory_bytes');
});

it('counts nothing twice from one scrape to the next', async () => {
  const counters = new Counters(true);
  counters.count(finished());
  await linesOf(counters);
  expect(await linesOf(counters)).toContain(
    'patchgate_requests_total{operation="updateProject",verdict="pass",status="200"} 1',
  );
});

it('keeps the names of rules and operations whatever characters they have', async () => {
  const counters = new Counters(true);
  counters.count(finished({ verdict: verdict({ operation: 'a"b\\c' }) }));
  expect(await linesOf(counters)).toContain(
    'patchgate_requests_total{operation="a\\"b\\\\c",verdict="pass",status="200"} 1',
  );
});
