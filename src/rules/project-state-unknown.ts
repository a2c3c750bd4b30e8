import type { Rule } from '../model/rule.ts';

export const stateUnknown: Rule = {
  name: 'project.state-unknown',
  severity: 'off',
  basis: 'inferred',
  says: 'what the project holds is not known, so neither is what the PATCH deletes',
  source: 'service-api 4.1 rule 4',
  guards: true,
  *check({ recordId, known }) {
    if (known?.isWhole) return;
    const project = recordId === '' ? 'this project' : `project ${recordId}`;
    yield {
      pointer: '',
      message: `${known ? 'not all' : 'nothing'} is known of ${project}, so it is not known what this deletes`,
      hint: 'read the project first, with a GET through the gate, or start the gate with --read-state',
      isUnknown: true,
    };
  },
  examples: {
    passes: [{ body: {}, known: { name: 'Checkout', languages: [], environments: [] } }],
    fails: [{ body: {}, recordId: '42', pointers: [''] }],
  },
};
