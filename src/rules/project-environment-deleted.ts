import type { Rule } from '../model/rule.ts';
import { environmentCalled, markOf, withProtection } from './environment-called.ts';

export const environmentDeleted: Rule = {
  name: 'project.environment-deleted',
  severity: 'warn',
  basis: 'stated',
  says: 'an environment that the project has is left out: it is deleted permanently',
  source: 'service-api 4.1 rule 4',
  guards: true,
  readsEffects: true,
  *check({ effects = [] }) {
    for (const effect of effects) {
      if (effect.kind !== 'environment-deleted') continue;
      const { id, name } = effect;
      yield {
        pointer: '/environments',
        message: `${environmentCalled(id, name)} is left out: it is deleted permanently`,
        hint: withProtection('send all environments that are to stay', effect),
        ...markOf(effect),
      };
    }
  },
  examples: {
    passes: [
      { body: { environments: [{ id: 1, name: 'Production', isEnabled: true }] } },
      {
        body: { environments: [{ id: 4, name: 'QA', isEnabled: true }] },
        effects: [{ kind: 'environment-created', id: 4, name: 'QA' }],
      },
    ],
    fails: [
      {
        body: { environments: [{ id: 1, name: 'Production', isEnabled: true }] },
        effects: [
          { kind: 'environment-deleted', id: 2, name: 'Staging' },
          { kind: 'environment-deleted', id: 3, name: 'Development', allowed: true },
        ],
        pointers: ['/environments', '/environments'],
      },
    ],
  },
};
