import { type JsonValue, listAt, member } from '../json/json.ts';
import type { Place, Rule } from '../model/rule.ts';

export const percentageRange: Rule = {
  name: 'draft.percentage-range',
  severity: 'warn',
  basis: 'inferred',
  says: 'a percentage is not within 0 and 100',
  source: 'service-api 2.3',
  *check({ body }) {
    yield* outOfRange('/percentTraffic', member(body, 'percentTraffic'));
    for (const [index, variation] of listAt(body, 'variations').entries()) {
      yield* outOfRange(`/variations/${index}/percentSplit`, member(variation, 'percentSplit'));
    }
  },
  examples: {
    passes: [
      { body: { percentTraffic: 0, variations: [{ percentSplit: 100 }, {}] } },
      { body: { percentTraffic: '200' } },
    ],
    fails: [
      { body: { percentTraffic: 150 }, pointers: ['/percentTraffic'] },
      {
        body: { variations: [{ percentSplit: 101 }, { percentSplit: -1 }] },
        pointers: ['/variations/0/percentSplit', '/variations/1/percentSplit'],
      },
    ],
  },
};

function* outOfRange(pointer: string, value: JsonValue | undefined): Iterable<Place> {
  if (typeof value !== 'number' || (value >= 0 && value <= 100)) return;
  yield {
    pointer,
    message: `${pointer} is ${value}, which is no percentage`,
    hint: 'give a number from 0 to 100',
  };
}
