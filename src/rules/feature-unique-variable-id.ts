import type { Rule } from '../model/rule.ts';
import { repeatedIds } from './duplicates.ts';

export const uniqueVariableId: Rule = {
  name: 'feature.unique-variable-id',
  severity: 'warn',
  basis: 'inferred',
  says: 'a variable id stands more than once in the list',
  source: 'service-api 2.2',
  check: ({ body }) => repeatedIds(body, 'variables', 'the id identifies the variable: send each once'),
  examples: {
    passes: [{ body: { variables: [{ id: 1 }, { id: 2 }, {}, {}] } }],
    fails: [{ body: { variables: [{ id: 1 }, { id: 1 }] }, pointers: ['/variables/1/id'] }],
  },
};
