import type { Rule } from '../../src/model/rule.ts';

/** A team's own rule: a name of an environment is not in capitals. */
export function shouting(changes: Partial<Rule> = {}): Rule {
  return {
    name: 'team.shouting',
    severity: 'error',
    basis: 'inferred',
    says: 'a name of an environment is not in capitals',
    source: 'the handbook',
    *check({ body }) {
      const list = (body as { environments?: unknown } | null)?.environments;
      for (const [index, item] of Array.isArray(list) ? list.entries() : []) {
        const name: unknown = item?.name;
        if (typeof name === 'string' && name !== name.toUpperCase())
          yield {
            pointer: `/environments/${index}/name`,
            message: `${name} is not loud`,
            hint: name.toUpperCase(),
          };
      }
    },
    examples: {
      passes: [{ body: { environments: [{ name: 'PRODUCTION' }] } }],
      fails: [{ body: { environments: [{ name: 'A' }, { name: 'b' }] }, pointers: ['/environments/1/name'] }],
    },
    ...changes,
  };
}
