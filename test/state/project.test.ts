import { expect, test } from 'vitest';
import { environmentsOf } from '../../src/state/project.ts';

test('environments are those that have an id', () => {
  const environments = [
    { id: 3, name: 'A', isEnabled: true },
    null,
    { id: '4' },
    { id: 1.5 },
    { id: -1, name: 7 },
  ];
  expect(environmentsOf({ environments })).toEqual([
    { id: 3, name: 'A', isEnabled: true, index: 0 },
    { id: -1, name: '', isEnabled: false, index: 4 },
  ]);
  for (const odd of [undefined, null, 'x', [], { environments: { 0: { id: 1 } } }])
    expect(environmentsOf(odd as never)).toEqual([]);
});
