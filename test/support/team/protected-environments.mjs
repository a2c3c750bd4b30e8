/** @type {import('patchgate/config').Rule} */
export const protectedEnvironments = {
  name: 'team.protected-environments',
  severity: 'error',
  basis: 'inferred',
  says: 'Production keeps its name',
  source: 'team handbook: environments',
  readsEffects: true,
  *check({ effects = [] }) {
    for (const effect of effects) {
      if (effect.kind !== 'environment-renamed' || effect.name !== 'Production') continue;
      yield {
        pointer: '/environments',
        message: `environment ${effect.id} (Production) becomes ${JSON.stringify(effect.to)}`,
        hint: 'ask the release team: dashboards go by the name',
      };
    }
  },
  examples: {
    passes: [
      {
        body: { environments: [{ id: 2, name: 'QA' }] },
        effects: [{ kind: 'environment-renamed', id: 2, name: 'Staging', to: 'QA' }],
      },
    ],
    fails: [
      {
        body: { environments: [{ id: 1, name: 'Live' }] },
        effects: [{ kind: 'environment-renamed', id: 1, name: 'Production', to: 'Live' }],
        pointers: ['/environments'],
      },
    ],
  },
};
