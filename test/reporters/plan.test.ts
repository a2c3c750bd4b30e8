import { expect, test } from 'vitest';
import type { Effect } from '../../src/model/effect.ts';
import { outcomeOf, type Plan } from '../../src/reporters/plan.ts';

const DELETED: Effect = { kind: 'environment-deleted', id: 1, name: 'Production' };
const REPLACED: Effect = { kind: 'environment-replaced', id: 1, name: 'Production', newId: 2, index: 0 };
const REMOVED: Effect = { kind: 'language-removed', name: 'GO' };

test.each<[Plan['known'], Effect[], ReturnType<typeof outcomeOf>]>([
  ['whole', [], 'kept'],
  ['whole', [REMOVED], 'kept'],
  ['whole', [DELETED], 'lost'],
  ['whole', [REPLACED], 'lost'],
  ['whole', [{ ...DELETED, allowed: true }], 'kept'],
  ['whole', [{ ...DELETED, allowed: true }, REPLACED], 'lost'],
  // What is not known could only be lost besides.
  ['part', [DELETED], 'lost'],
  ['part', [REMOVED], 'unclear'],
  ['part', [{ ...DELETED, allowed: true }], 'unclear'],
  ['nothing', [], 'unclear'],
])('%s is known, %j: %s', (known, effects, outcome) => {
  expect(outcomeOf({ known, effects })).toBe(outcome);
});
