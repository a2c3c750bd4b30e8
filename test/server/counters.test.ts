import { describe, expect, it } from 'vitest';
import { Counters, Distribution, type LabelledCount } from '../../src/server/counters.ts';
import type { FinishedExchange } from '../../src/server/finished-exchange.ts';
import { finding, finished, verdict } from '../support/finished-exchange.ts';

const BLOCK = verdict({ outcome: 'block', findings: [finding('/a'), finding('/b')] });
const answer = (status: number) => ({ status, headers: [], body: undefined });

function counted(...all: Partial<FinishedExchange>[]): Counters {
  const counters = new Counters(true);
  for (const one of all) counters.count(finished(one));
  return counters;
}

const shown = (counts: LabelledCount) =>
  [...counts.entries()].map(({ labels, count }) => `${labels.join(' ')}: ${count}`);
const count = ({ counts }: Distribution) => counts.reduce((sum, one) => sum + one, 0);

describe('requests', () => {
  it.each<[string, Partial<FinishedExchange>, string]>([
    ['what passes', {}, 'updateProject pass 200'],
    ['what is blocked', { verdict: BLOCK, response: answer(422) }, 'updateProject block 422'],
    ['what is not judged', { verdict: undefined }, 'none none 200'],
    ['what has no answer', { response: undefined }, 'updateProject pass none'],
    [
      'what no operation lists',
      { verdict: { outcome: 'block', findings: [], omitted: 0 } },
      'none block 200',
    ],
  ])('are counted by operation, verdict and status: %s', (_, one, labels) => {
    expect(shown(counted(one, one).requests)).toEqual([`${labels}: 2`]);
  });

  it('are one number for one combination, whatever their paths and sessions', () => {
    const all = Array.from({ length: 500 }, (_, id) => ({
      ...{ id, session: `s${id}` },
      request: { method: 'PATCH', url: `/accounts/${id}`, headers: [] },
    }));
    expect(shown(counted(...all).requests)).toEqual(['updateProject pass 200: 500']);
  });
});

it('counts each finding by rule and severity, and each effect by kind and verdict', () => {
  const effects = [
    { kind: 'environment-deleted', id: 3, name: 'Development' },
    { kind: 'environment-deleted', id: 4, name: 'QA' },
  ] as const;
  const warning = verdict({ effects, findings: [finding('/c', { severity: 'warn' })] });
  const counters = counted({ verdict: BLOCK }, { verdict: warning }, { verdict: { ...BLOCK, effects } });
  expect(shown(counters.findings)).toEqual(['schema.type error: 4', 'schema.type warn: 1']);
  expect(shown(counters.effects)).toEqual(['environment-deleted pass: 2', 'environment-deleted block: 2']);
});

describe('times', () => {
  it.each<[string, Partial<FinishedExchange>, gate: number, target: number | undefined]>([
    ['of what the target answers are parted', {}, 0.002, 0.01],
    [
      'of what is blocked are the gate’s',
      { handedOnAfterMs: undefined, answeredBy: 'gate' },
      0.012,
      undefined,
    ],
    ['of a target that is silent are its own', { answeredBy: 'gate', response: answer(504) }, 0.002, 0.01],
    [
      'of a fault are not',
      { answeredBy: 'gate', response: answer(504), fault: 'status=504' },
      0.002,
      undefined,
    ],
    ['of what a recording answers are not', { answeredBy: 'recording' }, 0.002, undefined],
  ])('%s', (_, members, gate, target) => {
    const { gateSeconds, targetSeconds } = counted({ durationMs: 12, handedOnAfterMs: 2, ...members });
    expect([gateSeconds.sum, count(gateSeconds)]).toEqual([expect.closeTo(gate, 9), 1]);
    expect([targetSeconds.sum, count(targetSeconds)]).toEqual(
      target === undefined ? [0, 0] : [expect.closeTo(target, 9), 1],
    );
  });

  it('are none of a target where there is none: a replay plays its failures', () => {
    const counters = new Counters(false);
    counters.count(finished({ answeredBy: 'gate', handedOnAfterMs: 1, response: answer(502) }));
    expect(count(counters.targetSeconds)).toBe(0);
  });

  it('are counted within the first bound that holds them', () => {
    const seconds = new Distribution([0.1, 1]);
    for (const one of [0, 0.1, 0.11, 1, 1.01, 60]) seconds.observe(one);
    expect(seconds.counts).toEqual([2, 2, 2]);
    expect(seconds.sum).toBeCloseTo(62.22);
  });
});
