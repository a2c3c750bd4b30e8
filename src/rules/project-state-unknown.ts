import type { Rule } from '../model/rule.ts';

export const stateUnknown: Rule = {
  name: 'project.state-unknown',
  severity: 'off',
  basis: 'inferred',
  says: 'nobody knows what the project holds now, so nobody can say what the PATCH deletes',
  source: 'service-api 4.1 rule 4',
  guards: true,
  *check({ recordId, known, unread }) {
    const project = recordId === '' ? 'this project' : `project ${recordId}`;
    if (unread !== undefined) {
      yield {
        pointer: '',
        message: `${project} could not be read before this PATCH: ${unread}`,
        hint: 'send it again once a GET of the project works; --no-read-state judges by what the gate remembers',
        isUnread: true,
      };
    } else if (!known?.isWhole) {
      yield {
        pointer: '',
        message: `${known ? 'not all' : 'nothing'} is known of ${project}, so nobody can say what this deletes`,
        hint: 'compare it with the project before you send it; --guard=strict blocks such a PATCH',
        isUnknown: true,
      };
    } else if (known.seenAt !== undefined) {
      yield {
        pointer: '',
        message: `the service does not show ${project}: judged by what it held at ${new Date(known.seenAt).toISOString()}`,
        hint: 'environments made since then in another way are not protected',
        isRemembered: true,
      };
    }
  },
  examples: {
    passes: [{ body: {}, known: { name: 'Checkout', languages: [], environments: [] } }],
    fails: [{ body: {}, recordId: '42', pointers: [''] }],
  },
};
