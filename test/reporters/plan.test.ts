import { expect, test } from 'vitest';
import type { Effect } from '../../src/model/effect.ts';
import { outcomeOf, type Plan, planJson, planText } from '../../src/reporters/plan.ts';
import { finding } from './samples.ts';

/** One of each that a PATCH of a project can do. */
const SAMPLE: Plan = {
  ...{ project: '42', name: 'Checkout', body: 'body.json', source: 'state.json', known: 'whole' },
  effects: [
    { kind: 'environment-replaced', id: 1024, name: 'Production', newId: 1042, index: 0 },
    { kind: 'environment-deleted', id: 2, name: 'Staging' },
    { kind: 'environment-deleted', id: 5, name: 'e2e-1', allowed: true },
    { kind: 'environment-renamed', id: 3, name: 'QA', to: 'Quality' },
    { kind: 'environment-created', id: 9, name: '' },
    { kind: 'default-changed', from: [], to: [1042, 9] },
    { kind: 'language-removed', name: 'PYTHON' },
    { kind: 'language-added', name: 'GO' },
    { kind: 'name-changed', name: 'Checkout', to: 'Shop' },
  ],
  corrected: { name: 'Shop', languages: ['GO'], environments: [] },
  findings: [],
  advice: 'read it',
};
const text = (parts: Partial<Plan> = {}, isColoured = false) => planText({ ...SAMPLE, ...parts }, isColoured);
const NOTHING_LOST: Partial<Plan> = { effects: [], corrected: undefined };
const DELETED: Effect = { kind: 'environment-deleted', id: 1, name: 'Production' };
const REPLACED: Effect = { kind: 'environment-replaced', id: 1, name: 'Production', newId: 2, index: 0 };
const REMOVED: Effect = { kind: 'language-removed', name: 'GO' };

test.each<[Plan['known'], Effect[], ReturnType<typeof outcomeOf>]>([
  ['whole', [], 'kept'],
  ['whole', [REMOVED], 'kept'],
  ['whole', [DELETED], 'lost'],
  ['whole', [{ ...DELETED, allowed: true }], 'kept'],
  ['whole', [{ ...DELETED, allowed: true }, REPLACED], 'lost'],
  // What is not known could only be lost besides.
  ['part', [DELETED], 'lost'],
  ['part', [{ ...DELETED, allowed: true }], 'unclear'],
  ['nothing', [], 'unclear'],
])('%s is known, %j: %s', (known, effects, outcome) => {
  expect(outcomeOf({ known, effects })).toBe(outcome);
});

test('shows each effect, what they are together, and the ways out', () => {
  expect(text()).toBe(`Project 42 "Checkout", as known from state.json

  -/+ environment 1024 "Production" will be deleted permanently, and 1042 created in its place
    - environment 2 "Staging" will be deleted permanently
    - environment 5 "e2e-1" will be deleted permanently (as --allow-delete says)
    ~ environment 3 "QA" will be renamed to "Quality"
    + environment 9 will be created
    ~ default environment: none -> 1042, 9
    - language PYTHON will be removed
    + language GO will be added
    ~ the project will be renamed to "Shop"

Plan: 1 to create, 2 to delete, 1 to replace, 1 to rename, 4 other changes.

To keep what would be lost: send the body that is "corrected" in the plan with --format json.
To let it go: send the PATCH through patchgate proxy; it answers 409 with a token. Send it again with that token
in the header Patchgate-Approve. Names that may always go: --allow-delete PATTERN.
`);
});

test.each<[Partial<Plan>, string]>([
  [NOTHING_LOST, '\n\nNo changes: the project stays as it is.\n'],
  [{ ...NOTHING_LOST, effects: [REMOVED] }, '\n\nPlan: 1 other change. No environment is lost.\n'],
  // What is lost with leave is not called nothing.
  [{ ...NOTHING_LOST, effects: [{ ...DELETED, allowed: true }] }, '\n\nPlan: 1 to delete.\n'],
  [
    { ...NOTHING_LOST, known: 'nothing', name: undefined },
    'Project 42\n\nNothing is known of project 42 in state.json. So it is not known what this PATCH deletes.\nTo know it: read it\n',
  ],
  [{ known: 'part' }, 'it may hold more environments.\nTo know it: read it\n\nTo keep what would be lost'],
  [
    { findings: [finding({ line: 1, column: 2 })] },
    '\nThe gate would block this PATCH in any case:\n  body.json:1:2  schema.type  name must be a string\n\nTo keep what would be lost: send the body that is "corrected" in the plan with --format json.\n',
  ],
])('%j: %j', (parts, part) => {
  expect(text(parts)).toContain(part);
});

test('colours are red for what is lost, green for what is new, yellow for what changes', () => {
  const lines = text({}, true).split('\n');
  const colourOf = (part: string) =>
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what a colour is
    /\u001b\[(\d+)m.*\u001b\[39m$/.exec(lines.find((line) => line.includes(part)) ?? '')?.[1];
  expect(['Production', 'Staging', 'PYTHON'].map(colourOf)).toEqual(['31', '31', '31']);
  expect(['GO', 'Quality', 'Shop'].map(colourOf)).toEqual(['32', '33', '33']);
});

test('nothing in it steers a terminal', () => {
  const evil = '\u001b[2Ja\u202eb\u0007\n';
  const effects: Effect[] = [
    { kind: 'environment-renamed', id: 2, name: evil, to: evil },
    { kind: 'language-added', name: evil },
  ];
  const shown = text({ name: evil, body: evil, source: evil, known: 'part', effects });
  expect(shown.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});

test('the JSON holds the effects, and the corrected body and errors where there are any', () => {
  const json = (parts: Partial<Plan> = {}) => JSON.parse(planJson({ ...SAMPLE, ...parts }));
  const { effects, corrected } = SAMPLE;
  expect(json()).toEqual({ known: true, effects, corrected });
  expect(json({ ...NOTHING_LOST, known: 'part', findings: [finding()] })).toEqual({
    ...{ known: false, effects: [], findings: [finding()] },
  });
});
