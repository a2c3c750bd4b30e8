import type { Rule } from '../model/rule.ts';
import { repeatedIds } from './duplicates.ts';

const environments = (...ids: number[]) => ({
  body: { environments: ids.map((id) => ({ id, name: `Environment ${id}`, isEnabled: id === 1 })) },
});

export const uniqueEnvironmentId: Rule = {
  name: 'project.unique-environment-id',
  severity: 'error',
  basis: 'inferred',
  says: 'an environment id stands more than once in the list',
  source: 'service-api 2.1',
  check: ({ body }) =>
    repeatedIds(
      body,
      'environments',
      'the id identifies the environment: give each its own, or leave one out',
    ),
  examples: {
    passes: [environments(1, 2), { body: { environments: [{ name: 'A' }, { name: 'B' }] } }],
    fails: [
      { ...environments(1, 1), pointers: ['/environments/1/id'] },
      { ...environments(1, 2, 1, 1), pointers: ['/environments/2/id', '/environments/3/id'] },
    ],
  },
};
