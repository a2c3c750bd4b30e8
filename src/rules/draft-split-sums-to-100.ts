import { listAt, member } from '../json/json.ts';
import type { Rule } from '../model/rule.ts';

const splits = (...shares: (number | undefined)[]) => ({
  body: { variations: shares.map((percentSplit) => (percentSplit === undefined ? {} : { percentSplit })) },
});

export const splitSumsTo100: Rule = {
  name: 'draft.split-sums-to-100',
  severity: 'warn',
  basis: 'observed',
  says: "the variations' shares do not sum to 100",
  source: 'service-api 2.3',
  *check({ body }) {
    const shares = listAt(body, 'variations').map((variation) => member(variation, 'percentSplit'));
    if (shares.length === 0 || !shares.every((share) => typeof share === 'number')) return;
    const sum = shares.reduce((total, share) => total + share, 0);
    if (sum === 100) return;
    yield {
      pointer: '/variations',
      message: `the percentSplit of /variations sum to ${sum}, not 100`,
      hint: 'the values seen sum to 100: check that no traffic is lost',
    };
  },
  examples: {
    passes: [splits(50, 50), splits(50, undefined), splits()],
    fails: [
      { ...splits(50, 40), pointers: ['/variations'] },
      { ...splits(0), pointers: ['/variations'] },
    ],
  },
};
