import { listAt, member } from '../model/json.ts';
import type { Rule } from './rule.ts';

const enabled = (...flags: (boolean | string)[]) => ({
  body: {
    environments: flags.map((isEnabled, index) => ({ id: index + 1, name: `E${index + 1}`, isEnabled })),
  },
});

export const oneDefaultEnvironment: Rule = {
  name: 'project.one-default-environment',
  severity: 'warn',
  basis: 'inferred',
  says: 'one environment is marked as the default',
  source: 'service-api 4.1 rule 7',
  *check({ body }) {
    const flags = listAt(body, 'environments').map((environment) => member(environment, 'isEnabled'));
    const count = flags.filter((flag) => flag === true).length;
    // One that cannot be read might be the one that is missing.
    if (flags.length === 0 || count === 1 || (count === 0 && flags.some((flag) => flag !== false))) return;
    yield {
      pointer: '/environments',
      message: `/environments has ${count === 0 ? 'no' : count} environment${count > 1 ? 's' : ''} with isEnabled true`,
      hint: 'isEnabled marks the default environment: set it on one',
    };
  },
  examples: {
    passes: [enabled(true, false), enabled(), enabled(false, 'yes')],
    fails: [
      { ...enabled(true, true), pointers: ['/environments'] },
      { ...enabled(false, false), pointers: ['/environments'] },
    ],
  },
};
