import { expect, test } from 'vitest';
import type { Plan } from '../../src/reporters/plan.ts';
import { planJson } from '../../src/reporters/plan-json.ts';
import { SAMPLE_PLAN } from './sample-plan.ts';

const json = (parts: Partial<Plan> = {}) => JSON.parse(planJson({ ...SAMPLE_PLAN, ...parts }));

test('holds the effects as they are, and the corrected body where something is lost', () => {
  const { effects, corrected } = SAMPLE_PLAN;
  expect(json()).toEqual({ known: true, effects, corrected });
  expect(json({ effects: [], corrected: undefined })).toEqual({ known: true, effects: [] });
});

test.each(['part', 'nothing'] as const)('knows of no project of which %s is known', (known) => {
  expect(json({ known, effects: [], corrected: undefined })).toEqual({ known: false, effects: [] });
});

test('has the errors only where there are some', () => {
  const finding = {
    rule: 'schema.required',
    severity: 'error',
    basis: 'stated',
    pointer: '/languages',
    message: 'languages is mandatory',
  } as const;
  expect(json({ findings: [finding] }).findings).toEqual([finding]);
  expect(json()).not.toHaveProperty('findings');
});

test('is pretty-printed, with a line feed at its end', () => {
  expect(planJson({ ...SAMPLE_PLAN, effects: [], corrected: undefined })).toBe(
    '{\n  "known": true,\n  "effects": []\n}\n',
  );
});
