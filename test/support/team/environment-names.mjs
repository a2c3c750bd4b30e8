import { listAt, member } from 'patchgate/config';

const ALLOWED = /^(?:Production|Staging|Development|preview-[0-9]+)$/;

/** @type {import('patchgate/config').Rule} */
export const environmentNames = {
  name: 'team.environment-names',
  severity: 'error',
  basis: 'inferred',
  says: 'an environment has a name that no deployment of ours knows',
  source: 'team handbook: environments',
  *check({ body }) {
    for (const [index, environment] of listAt(body, 'environments').entries()) {
      const name = member(environment, 'name');
      if (typeof name !== 'string' || ALLOWED.test(name)) continue;
      yield {
        pointer: `/environments/${index}/name`,
        message: `no deployment knows the environment ${JSON.stringify(name)}`,
        hint: 'take Production, Staging, Development, or preview-<number>',
      };
    }
  },
  examples: {
    passes: [{ body: { environments: [{ id: 7, name: 'preview-123' }] } }],
    fails: [{ body: { environments: [{ id: 2, name: 'production' }] }, pointers: ['/environments/0/name'] }],
  },
};
