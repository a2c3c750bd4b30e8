import { listAt } from '../json/json.ts';
import type { Rule } from '../model/rule.ts';
import { duplicatesIn } from './duplicates.ts';

export const uniqueLanguage: Rule = {
  name: 'project.unique-language',
  severity: 'warn',
  basis: 'inferred',
  says: 'a language stands more than once in the list',
  source: 'service-api 2.1',
  *check({ body }) {
    const nameOf = (item: unknown) => (typeof item === 'string' ? item : undefined);
    for (const { index, first } of duplicatesIn(listAt(body, 'languages'), nameOf)) {
      yield {
        pointer: `/languages/${index}`,
        message: `/languages/${index} is the same as /languages/${first}`,
        hint: 'name each language once',
      };
    }
  },
  examples: {
    passes: [{ body: { languages: ['GO', 'PHP'] } }, { body: { languages: [1, 1] } }],
    fails: [{ body: { languages: ['GO', 'PHP', 'GO'] }, pointers: ['/languages/2'] }],
  },
};
