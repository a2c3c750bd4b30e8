import { PROJECT } from '../../upstreams/fake/sample.ts';

/** The PATCHes that the demo sends: a good one, and three that go wrong in their own way. */

const { name, languages, environments } = PROJECT;

export const PROJECT_PATH = '/api/v2/accounts/current/projects/42';

export const GOOD = { name, languages: [...languages, 'GO'], environments };

export const STEPS: readonly { title: string; body: object }[] = [
  { title: 'A good PATCH: the full project, with one language more', body: GOOD },
  { title: 'One that forgets "languages"', body: { name, environments } },
  { title: 'One whose list of environments is empty', body: { ...GOOD, environments: [] } },
  { title: 'One that leaves an environment out', body: { ...GOOD, environments: environments.slice(0, 2) } },
];
