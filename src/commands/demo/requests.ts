/** The PATCHes that the demo sends: a good one, and three that go wrong in their own way. */

const ENVIRONMENTS = [
  { id: 1, name: 'Production', isEnabled: true },
  { id: 2, name: 'Staging', isEnabled: false },
  { id: 3, name: 'Development', isEnabled: false },
];

export const PROJECT_PATH = '/api/v2/accounts/current/projects/42';

export const GOOD = { name: 'Checkout', languages: ['NODEJS', 'PYTHON', 'GO'], environments: ENVIRONMENTS };

export const STEPS: readonly { title: string; body: object }[] = [
  { title: 'A good PATCH: the full project, with one language more', body: GOOD },
  { title: 'One that forgets "languages"', body: { name: 'Checkout', environments: ENVIRONMENTS } },
  { title: 'One whose list of environments is empty', body: { ...GOOD, environments: [] } },
  { title: 'One that leaves an environment out', body: { ...GOOD, environments: ENVIRONMENTS.slice(0, 2) } },
];
