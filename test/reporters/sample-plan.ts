import type { Plan } from '../../src/reporters/plan.ts';

/** One of each that a PATCH of a project can do. */
export const SAMPLE_PLAN: Plan = {
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
