import type { Rule } from '../model/rule.ts';

export const languageRemoved: Rule = {
  name: 'project.language-removed',
  severity: 'warn',
  basis: 'stated',
  says: 'a language that the project has is left out: it is removed',
  source: 'service-api 4.1 rule 3',
  readsEffects: true,
  *check({ effects = [] }) {
    for (const effect of effects) {
      if (effect.kind !== 'language-removed') continue;
      yield {
        pointer: '/languages',
        message: `${effect.name} is left out: it is removed from the project`,
        hint: 'send all languages that are to stay',
      };
    }
  },
  examples: {
    passes: [{ body: { languages: ['GO'] }, effects: [{ kind: 'language-added', name: 'GO' }] }],
    fails: [
      {
        body: { languages: ['GO'] },
        effects: [{ kind: 'language-removed', name: 'PHP' }],
        pointers: ['/languages'],
      },
    ],
  },
};
