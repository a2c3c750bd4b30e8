import { describe, expect, test } from 'vitest';
import type { Effect } from '../../src/model/effect.ts';
import { outcomeOf, type Plan, planJson, planText } from '../../src/reporters/plan.ts';

/** One of each that a PATCH of a project can do. */
const SAMPLE_PLAN: Plan = {
  project: '42',
  name: 'Checkout',
  body: 'body.json',
  source: '.patchgate/state.json (written 3m ago)',
  known: 'whole',
  effects: [
    {
      kind: 'environment-replaced',
      id: 1024,
      name: 'Production',
      newId: 1042,
      index: 0,
      likelyTypo: true,
    },
    { kind: 'environment-deleted', id: 2, name: 'Staging' },
    { kind: 'environment-deleted', id: 5, name: 'e2e-1', allowed: true },
    { kind: 'environment-renamed', id: 3, name: 'QA', to: 'Quality' },
    { kind: 'environment-created', id: 9, name: 'Preview' },
    { kind: 'default-changed', from: [1024], to: [1042, 9] },
    { kind: 'language-removed', name: 'PYTHON' },
    { kind: 'language-added', name: 'GO' },
    { kind: 'name-changed', name: 'Checkout', to: 'Shop' },
  ],
  corrected: { name: 'Shop', languages: ['GO'], environments: [] },
  findings: [],
  advice: 'read it',
};

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

describe('the text', () => {
  const text = (parts: Partial<Plan> = {}) => planText({ ...SAMPLE_PLAN, ...parts }, false);
  const NOTHING_LOST: Partial<Plan> = { effects: [], corrected: undefined };

  test('shows each effect, what they are together, and the ways out', () => {
    expect(text()).toBe(`Project 42 "Checkout", as known from .patchgate/state.json (written 3m ago)

  -/+ environment 1024 "Production" will be deleted permanently, and 1042 created in its place; likely a typo: did you mean 1024?
    - environment 2 "Staging" will be deleted permanently
    - environment 5 "e2e-1" will be deleted permanently (as --allow-delete says)
    ~ environment 3 "QA" will be renamed to "Quality"
    + environment 9 "Preview" will be created
    ~ default environment: 1024 -> 1042, 9
    - language PYTHON will be removed
    + language GO will be added
    ~ the project will be renamed to "Shop"

Plan: 1 to create, 2 to delete, 1 to replace, 1 to rename, 4 other changes.

To keep what would be lost: --write-full body.json writes the body that does.
To let it go: send the PATCH through patchgate proxy; it answers 409 with a token. Send it again with that token
in the header Patchgate-Approve. Names that may always go: --allow-delete PATTERN.
`);
  });

  test('shows the beginning of a long name', () => {
    const effects: Effect[] = [{ kind: 'environment-created', id: 9, name: 'x'.repeat(5000) }];
    expect(text({ effects })).toContain(`+ environment 9 "${'x'.repeat(200)}…" will be created\n`);
  });

  test('is short where nothing changes', () => {
    expect(text(NOTHING_LOST)).toBe(
      'Project 42 "Checkout", as known from .patchgate/state.json (written 3m ago)\n\nNo changes: the project stays as it is.\n',
    );
  });

  test('says so where something changes and no environment is lost', () => {
    const effects: Effect[] = [{ kind: 'default-changed', from: [], to: [1] }];
    const shown = text({ ...NOTHING_LOST, effects });
    expect(shown).toContain('default environment: none -> 1\n');
    expect(shown).toMatch(/\nPlan: 1 other change\. No environment is lost\.\n$/);
  });

  test('what is lost with leave is no reason for advice, and is not called nothing', () => {
    const effects = [{ kind: 'environment-deleted', id: 5, name: 'e2e-1', allowed: true } as const];
    expect(text({ ...NOTHING_LOST, effects })).toMatch(/\nPlan: 1 to delete\.\n$/);
  });

  test('an environment without a name has its id', () => {
    const effects = [{ kind: 'environment-deleted', id: 5, name: '' } as const];
    expect(text({ effects })).toContain('- environment 5 will be deleted permanently\n');
  });

  test('of a body from standard input the corrected one goes to some file', () => {
    expect(text({ body: '<stdin>' })).toContain('--write-full FILE writes');
  });

  test('shows the errors for which the gate would block it besides', () => {
    const finding = {
      rule: 'schema.required',
      severity: 'error',
      basis: 'stated',
      pointer: '/languages',
      message: 'languages is mandatory',
      hint: 'send the full project',
      line: 1,
      column: 2,
    } as const;
    const { line: _, column: __, hint: ___, ...bare } = finding;
    expect(text({ ...NOTHING_LOST, findings: [finding, { ...bare, rule: 'x' }] })).toContain(`
The gate would block this PATCH in any case:
  body.json:1:2  schema.required  languages is mandatory
    hint: send the full project
  body.json  x  languages is mandatory
`);
    const lost = text({ findings: [finding] });
    expect(lost).toContain('To keep what would be lost');
    expect(lost).not.toContain('To let it go');
  });

  describe('where not all is known', () => {
    test('nothing is planned of what nothing is known of', () => {
      const shown = text({ ...NOTHING_LOST, known: 'nothing', name: undefined, source: 'a.json' });
      expect(shown).toBe(`Project 42

Nothing is known of project 42 in a.json. So it is not known what this PATCH deletes.
To know it: read it
`);
    });

    test('a part without a loss is no promise', () => {
      const shown = text({ ...NOTHING_LOST, known: 'part', source: 'a.json' });
      expect(shown).toBe(`Project 42 "Checkout", as known from a.json

Not all of project 42 is known from a.json: it may hold more environments. So it is not known what this PATCH deletes.
To know it: read it
`);
    });

    test('a loss is one all the same', () => {
      const shown = text({ known: 'part', source: 'a.json' });
      expect(shown).toContain(
        'it may hold more environments.\nTo know it: read it\n\nTo keep what would be lost',
      );
      expect(shown).not.toContain('it is not known what');
    });
  });

  describe('colours', () => {
    test('are red for what is lost, green for what is new, yellow for what changes', () => {
      const lines = planText(SAMPLE_PLAN, true).split('\n');
      const colourOf = (part: string) =>
        // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what a colour is
        /\u001b\[(\d+)m.*\u001b\[39m$/.exec(lines.find((line) => line.includes(part)) ?? '')?.[1];
      expect(['Production', 'Staging', 'PYTHON'].map(colourOf)).toEqual(['31', '31', '31']);
      expect(['Preview', 'GO'].map(colourOf)).toEqual(['32', '32']);
      expect(['Quality', 'Shop', '1024 -> 1042'].map(colourOf)).toEqual(['33', '33', '33']);
    });

    test('are the only thing that steers a terminal', () => {
      const evil = '\u001b[2Ja\u202eb\u0007\n';
      const plan: Plan = {
        ...SAMPLE_PLAN,
        name: evil,
        body: evil,
        source: evil,
        known: 'part',
        effects: [
          { kind: 'environment-deleted', id: 1, name: evil },
          { kind: 'environment-renamed', id: 2, name: evil, to: evil },
          { kind: 'language-added', name: evil },
          { kind: 'name-changed', name: evil, to: evil },
          { kind: 'variable-removed', id: evil, possible: true },
        ],
      };
      expect(planText(plan, false).replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      expect(planText(plan, false)).toContain('variable \ufffd[2Ja\ufffdb\ufffd\ufffd may be removed');
    });
  });
});

describe('the JSON', () => {
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
});
