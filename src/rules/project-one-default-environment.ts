import { listAt, member } from '../json/json.ts';
import type { Rule } from '../model/rule.ts';

const enabled = (...flags: (boolean | string)[]) => ({
  body: {
    environments: flags.map((isEnabled, index) => ({ id: index + 1, name: `E${index + 1}`, isEnabled })),
  },
});

export const oneDefaultEnvironment: Rule = {
  name: 'project.one-default-environment',
  severity: 'warn',
  basis: 'inferred',
  says: 'no environment, or more than one, is marked as the default',
  source: 'service-api 4.1 rule 7',
  check({ body }) {
    const environments = listAt(body, 'environments');
    let enabled = 0;
    let unreadable = 0;
    for (const environment of environments) {
      const flag = member(environment, 'isEnabled');
      if (flag === true) enabled++;
      else if (flag !== false) unreadable++;
    }
    // One that cannot be read might be the one that is missing.
    if (environments.length === 0 || enabled === 1 || (enabled === 0 && unreadable > 0)) return [];
    return [
      {
        pointer: '/environments',
        message: `/environments has ${enabled === 0 ? 'no environment' : `${enabled} environments`} with isEnabled true`,
        hint: 'isEnabled marks the default environment: set it on one',
      },
    ];
  },
  examples: {
    passes: [enabled(true, false), enabled(), enabled(false, 'yes')],
    fails: [
      { ...enabled(true, true), pointers: ['/environments'] },
      { ...enabled(false, false), pointers: ['/environments'] },
    ],
  },
};
