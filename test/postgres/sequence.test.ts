import { describe, expect, it } from 'vitest';
import type { RecordedRequest } from '../../src/model/exchange.ts';
import { sequenceOf } from '../../src/postgres/sequence.ts';
import { DEFAULT_RULES, matchRules } from '../../src/recordings/match-rules.ts';

const request: RecordedRequest = {
  method: 'GET',
  path: '/projects',
  query: 'a=1&b=2',
  headers: {},
  body: { json: { x: 1, y: 2 } },
};

describe('sequenceOf', () => {
  it('is the same for what matching takes for the same, in one session', () => {
    const same = { ...request, query: 'b=2&a=1', body: { text: '{ "y": 2, "x": 1 }' } };
    const before = sequenceOf({ request, session: '' }, DEFAULT_RULES);
    expect(sequenceOf({ request: same, session: '' }, DEFAULT_RULES)).toEqual(before);
    expect(sequenceOf({ request: same, session: 'other' }, DEFAULT_RULES)).not.toEqual(before);
  });

  it('goes by the rules', () => {
    const rules = matchRules({ ignoreQuery: ['b'] });
    const other = { ...request, query: 'a=1&b=3' };
    const sequences = [request, other].map((one) => sequenceOf({ request: one, session: '' }, rules));
    expect(sequences[0]).toEqual(sequences[1]);
    expect(sequenceOf({ request: other, session: '' }, DEFAULT_RULES)).not.toEqual(
      sequenceOf({ request, session: '' }, DEFAULT_RULES),
    );
  });
});
