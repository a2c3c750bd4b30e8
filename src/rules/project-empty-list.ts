import { member } from '../json/json.ts';
import { losesEnvironment } from '../model/effect.ts';
import type { Rule } from '../model/rule.ts';

export const emptyList: Rule = {
  name: 'project.empty-list',
  severity: 'warn',
  basis: 'stated',
  says: 'a list is sent empty: that removes all that it held',
  source: 'service-api 4.1 rules 3 and 4',
  guards: true,
  *check({ body, known, effects = [] }) {
    const lost = effects.filter(losesEnvironment);
    // A memory of none may be out of date.
    const isCertain = lost.length > 0 || known?.seenAt === undefined;
    const mayAllGo = known?.isWhole && isCertain && lost.every(({ allowed }) => allowed);
    const isEmpty = (name: string) => {
      const list = member(body, name);
      return Array.isArray(list) && list.length === 0;
    };
    if (isEmpty('environments')) {
      yield {
        pointer: '/environments',
        message: '/environments is empty: every environment of the project is deleted permanently',
        hint: 'send all environments that are to stay',
        ...(!mayAllGo && { isDestructive: true }),
      };
    }
    if (isEmpty('languages')) {
      yield {
        pointer: '/languages',
        message: '/languages is empty: every language of the project is removed',
        hint: 'send all languages that are to stay',
      };
    }
  },
  examples: {
    passes: [
      { body: { languages: ['GO'], environments: [{ id: 1, name: 'A', isEnabled: true }] } },
      { body: {} },
    ],
    fails: [
      { body: { languages: ['GO'], environments: [] }, pointers: ['/environments'] },
      { body: { languages: [], environments: [] }, pointers: ['/environments', '/languages'] },
    ],
  },
};
