import { expect, it } from 'vitest';
import type { Effect } from '../../src/model/effect.ts';
import { plain } from '../../src/reporters/colours.ts';
import { effectLine } from '../../src/reporters/plan.ts';
import { effectLine as pageLine } from '../../src/ui/effects.tsx';

const EFFECTS: Effect[] = [
  { kind: 'environment-deleted', id: 3, name: 'Development' },
  { kind: 'environment-deleted', id: 3, name: 'a\u202eb', possibleSince: '2026-11-23T08:00:00Z' },
  { kind: 'environment-deleted', id: 3, name: '', protected: true, reason: 'guardPolicy' },
  { kind: 'environment-deleted', id: 3, name: 'x', allowed: true, reason: 'guardPolicy' },
  { kind: 'environment-replaced', id: 3, name: 'Development', newId: 33, index: 1, likelyTypo: true },
  { kind: 'environment-created', id: 4, name: 'New' },
  { kind: 'environment-renamed', id: 4, name: 'New', to: 'Newer' },
  { kind: 'default-changed', from: [1], to: [] },
  { kind: 'language-added', name: 'GO' },
  { kind: 'language-removed', name: 'GO' },
  { kind: 'name-changed', name: 'Shop', to: 'Checkout' },
  { kind: 'variable-removed', id: 7, possible: true },
];

it.each(EFFECTS)('writes an effect as plan does: $kind', (effect) => {
  const line = pageLine(effect).join(' ').replace('→', '->');
  expect(line).toBe(effectLine(effect, plain).trim());
});
