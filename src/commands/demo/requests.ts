import { PROJECT } from '../../upstreams/fake/sample.ts';

/** The PATCHes that the demo sends: a good one, and some that go wrong in their own way. */

const { name, languages, environments } = PROJECT;
const [production, ...others] = environments;

export const PROJECT_PATH = '/api/v2/accounts/current/projects/42';

export const GOOD = { name, languages: [...languages, 'GO'], environments };
const SHORTER = { ...GOOD, environments: environments.slice(0, 2) };

export interface Step {
  title: string;
  body: object;
  /** With the approval that the answer before it gave. */
  isApproved?: true;
}

export const STEPS: readonly Step[] = [
  { title: 'A good PATCH: the full project, with one language more', body: GOOD },
  { title: 'One that forgets "languages"', body: { name, environments } },
  {
    title: 'One with a typo: Production has the id 11, not 1',
    body: { ...GOOD, environments: [{ ...production, id: 11 }, ...others] },
  },
  { title: 'One that leaves an environment out', body: SHORTER },
  { title: 'The same again, approved: with the token of that answer', body: SHORTER, isApproved: true },
];
