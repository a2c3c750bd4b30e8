import type { Rule } from '../model/rule.ts';
import { repeatedIds } from './duplicates.ts';

export const uniqueVariationId: Rule = {
  name: 'draft.unique-variation-id',
  severity: 'warn',
  basis: 'inferred',
  says: 'a variation id stands more than once in the list',
  source: 'service-api 2.3',
  check: ({ body }) => repeatedIds(body, 'variations', 'the id identifies the variation: give each its own'),
  examples: {
    passes: [{ body: { variations: [{ id: 1 }, { id: 2 }, {}] } }],
    fails: [{ body: { variations: [{ id: 1 }, { id: 2 }, { id: 2 }] }, pointers: ['/variations/2/id'] }],
  },
};
