import { member } from '../json/json.ts';
import type { Rule } from '../model/rule.ts';

export const idMatchesPath: Rule = {
  name: 'draft.id-matches-path',
  severity: 'error',
  basis: 'stated',
  says: "the draft's id in the body is not that in the path",
  source: 'service-api 2.3',
  *check({ body, recordId }) {
    const id = member(body, 'draftId');
    if (typeof id !== 'number' || recordId === '' || id === Number(recordId)) return;
    yield {
      pointer: '/draftId',
      message: `/draftId is ${id}, but the path is that of draft ${recordId}`,
      hint: 'send the draft to its own path, or correct its id',
    };
  },
  examples: {
    passes: [
      { body: { draftId: 7 }, recordId: '7' },
      { body: { draftId: '8' }, recordId: '7' },
      { body: {}, recordId: '7' },
    ],
    fails: [{ body: { draftId: 8 }, recordId: '7', pointers: ['/draftId'] }],
  },
};
