import { describe, expect, it } from 'vitest';
import { effectsOf } from '../../src/state/effects.ts';
import { oddValues } from '../support/odd-values.ts';

describe('a feature', () => {
  const known = {
    variables: [{ id: 1, variableName: 'colour' }, { id: 2 }, { variableName: 'without an id' }],
    variations: [
      { key: 'on', name: 'On' },
      { key: 'off', name: 'Off' },
    ],
    goals: [{ metricId: 11 }, { metricId: 12 }],
  };

  it('may lose what a list that is sent leaves out', () => {
    const body = { variables: [{ id: 2 }], variations: [{ key: 'off' }], goals: [] };
    expect(effectsOf('feature', known, body)).toEqual([
      { kind: 'variable-removed', id: 1, name: 'colour', possible: true },
      { kind: 'variation-removed', id: 'on', name: 'On', possible: true },
      { kind: 'goal-removed', id: 11, possible: true },
      { kind: 'goal-removed', id: 12, possible: true },
    ]);
  });

  it('loses nothing by what is not sent, or is no list', () => {
    expect(effectsOf('feature', known, { name: 'x', variables: {}, goals: null })).toEqual([]);
  });

  it('tells an id as a number from one as a text', () => {
    expect(effectsOf('feature', known, { variables: [{ id: '1' }, { id: 2 }] })).toMatchObject([{ id: 1 }]);
  });
});

it('a draft may lose variations and goals', () => {
  const known = { variations: [{ id: 1, name: 'Control' }], goals: [{ id: 5, name: 'Visits' }, { id: 5 }] };
  expect(effectsOf('draft', known, { variations: [{ id: 2 }], goals: [{}] })).toEqual([
    { kind: 'variation-removed', id: 1, name: 'Control', possible: true },
    { kind: 'goal-removed', id: 5, possible: true },
  ]);
});

it('odd values have effects, or none, and are left as they are', () => {
  const names = ['variables', 'variations', 'goals', 'key', 'metricId', 'environments', 'languages', 'name'];
  const odd = [...oddValues([...names, 'id', 'variableName'], 1500, 3)];
  for (const [index, body] of odd.entries()) {
    const known = odd[(index * 7 + 1) % odd.length];
    if (typeof known !== 'object' || known === null || Array.isArray(known)) continue;
    const before = structuredClone([known, body]);
    for (const kind of ['project', 'feature', 'draft'] as const) effectsOf(kind, known, body);
    expect([known, body]).toEqual(before);
  }
});
