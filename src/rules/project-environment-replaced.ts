import type { Rule } from '../model/rule.ts';
import { environmentCalled, markOf, withProtection } from './environment-called.ts';

export const environmentReplaced: Rule = {
  name: 'project.environment-replaced',
  severity: 'warn',
  basis: 'inferred',
  says: 'an environment has a new id: the old one is deleted, and another one created',
  source: 'service-api 4.1 rule 6',
  guards: true,
  readsEffects: true,
  *check({ effects = [] }) {
    for (const effect of effects) {
      if (effect.kind !== 'environment-replaced') continue;
      const { id, name, newId, index } = effect;
      yield {
        pointer: `/environments/${index}/id`,
        message: `${environmentCalled(id, name)} has the new id ${newId}: ${id} is deleted permanently, ${newId} is created`,
        hint: withProtection(`send it with the id ${id} to keep it`, effect),
        ...markOf(effect),
      };
    }
  },
  examples: {
    passes: [
      {
        body: { environments: [{ id: 1, name: 'Live', isEnabled: true }] },
        effects: [{ kind: 'environment-renamed', id: 1, name: 'Production', to: 'Live' }],
      },
    ],
    fails: [
      {
        body: {
          environments: [
            { id: 2, name: 'Staging', isEnabled: false },
            { id: 11, name: 'Production', isEnabled: true },
          ],
        },
        effects: [
          {
            kind: 'environment-replaced',
            id: 1,
            name: 'Production',
            newId: 11,
            index: 1,
          },
        ],
        pointers: ['/environments/1/id'],
      },
    ],
  },
};
