import { isObject } from '../json/json.ts';
import type { Rule } from '../model/rule.ts';

export const emptyUpdate: Rule = {
  name: 'feature.empty-update',
  severity: 'warn',
  basis: 'inferred',
  says: 'an update changes nothing',
  source: 'service-api 4.2',
  *check({ body }) {
    if (isObject(body) && Object.keys(body).length === 0) {
      yield {
        pointer: '',
        message: 'the body is {}: it changes nothing',
        hint: 'send the fields that are to change',
      };
    }
  },
  examples: {
    passes: [{ body: { description: 'x' } }, { body: [] }],
    fails: [{ body: {}, pointers: [''] }],
  },
};
